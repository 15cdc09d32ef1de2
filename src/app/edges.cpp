#include "headroom/app/edges.hpp"

#include <unistd.h>

#include <cstdio>
#include <limits>

#include "headroom/app/settings.hpp"
#include "headroom/base/error.hpp"
#include "headroom/io/file_source.hpp"
#include "headroom/io/retention.hpp"
#include "headroom/wire/codec.hpp"

namespace headroom {

namespace {

Retention retention(const Options& options) {
  Retention retention;
  if (options.keep_bytes > 0) retention.bytes = options.keep_bytes;
  if (options.keep_for.count() > 0) retention.age = options.keep_for;
  return retention;
}

}  // namespace

Decode make_decode() {
  return [decoder = std::make_shared<EventDecoder>()](std::string_view bytes, Event& into) {
    return decoder->decode(bytes, into);
  };
}

OutputCodec output_codec() {
  return {[](const RankedList& list, std::string& into) { encode(list, into); },
          [](const DeadLetter& letter, std::string& into) { encode(letter, into); }, output_id_of};
}

Router make_router(std::uint32_t partitions) {
  return [decode = make_decode(), partitions, event = Event{}](std::string_view record) mutable {
    if (decode(record, event)) return Destination{};
    return std::visit(
        [&](const auto& what) {
          if constexpr (requires { what.user; }) {
            return Destination{Topic::kEvents, partition_of(what.user, partitions)};
          } else {
            return Destination{Topic::kItems, 0};
          }
        },
        event.what);
  };
}

std::pair<const std::string&, std::string> KafkaRouter::operator()(std::string_view record) {
  if (decode_(record, event_)) return {topics_.events, ""};
  return std::visit(
      [&](const auto& what) -> std::pair<const std::string&, std::string> {
        if constexpr (requires { what.user; }) {
          return {topics_.events, what.user};
        } else {
          return {topics_.items, what.item};
        }
      },
      event_.what);
}

void print_notice(const std::string& trouble) {
  static std::string last;
  if (trouble != last && !trouble.empty()) std::fprintf(stderr, "waiting: %s\n", trouble.c_str());
  last = trouble;
}

KafkaConnection kafka_connection(const Options& options, const EdgeFlags& flags) {
  return {resolved(options.kafka), options.topics, options.engine.instance, flags.notice,
          flags.stop};
}

std::unique_ptr<EventLog> open_source(const Options& options, const EdgeFlags& flags) {
  if (options.source == SourceKind::kKafka) {
    return std::make_unique<KafkaLog>(
        KafkaLogSettings{kafka_connection(options, flags), options.start, options.start_time,
                         flags.known_log, options.engine.clock == ClockKind::kEvent,
                         flags.until_end, flags.reset},
        make_decode());
  }
  if (options.source == SourceKind::kFile) {
    const AtEnd at_end = flags.until_end ? AtEnd::kStop : AtEnd::kFollow;
    return std::make_unique<FileSource>(options.source_file, at_end, make_decode());
  }
  LocalLogSettings settings;
  settings.folder = log_folder(options);
  settings.partitions = options.partitions;
  settings.by_time = options.engine.clock == ClockKind::kEvent;
  settings.events = retention(options);
  auto log = std::make_unique<LocalLog>(std::move(settings), make_decode());
  if (flags.until_end && options.source == SourceKind::kLog) log->no_more();
  return log;
}

std::unique_ptr<ListSink> open_sink(const Options& options, std::uint32_t epoch,
                                    const EdgeFlags& flags) {
  if (options.sink == SinkKind::kKafka) {
    return std::make_unique<KafkaSink>(kafka_connection(options, flags), epoch, output_codec());
  }
  const StopAsked& stop = flags.stop;
  const auto topic = [&](std::string_view name) {
    return to_topic(log_folder(options), name, options.segment_bytes, stop);
  };
  auto lists = options.sink == SinkKind::kFile ? to_file(options.sink_file, stop)
               : options.sink == SinkKind::kStdout
                   ? to_stream(STDOUT_FILENO, "standard output", stop)
                   : topic(kListTopic);
  return std::make_unique<LocalSink>(std::move(lists), topic(kDeadLetterTopic), output_codec());
}

void retain(const Options& options, EventLog& source, Store& store, std::uint64_t checkpoint,
            Time now) {
  if (auto* log = dynamic_cast<LocalLog*>(&source); log != nullptr && !log->retain(now).empty()) {
    store.trim_journal(log->there(), checkpoint);
  }
  if (auto* log = dynamic_cast<KafkaLog*>(&source); log != nullptr) {
    if (const Bounds begins = log->new_begins(); !begins.empty()) {
      store.trim_journal(begins, checkpoint);
    }
  }
  if (options.sink == SinkKind::kKafka) return;
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  for (const auto topic : {kListTopic, kDeadLetterTopic}) {
    retain(partition_folder(log_folder(options), topic, 0), retention(options), kAll, now);
  }
}

}  // namespace headroom
