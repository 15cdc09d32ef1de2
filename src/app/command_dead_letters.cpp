#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <unordered_set>

#include "headroom/app/commands.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/base/error.hpp"
#include "headroom/base/hash.hpp"
#include "headroom/wire/codec.hpp"

namespace headroom {

namespace {

struct LetterFlags {
  std::string kind;
  bool json = false, dry_run = false;
};

std::vector<std::string> kinds() {
  std::vector<std::string> all;
  for (int kind = 0; kind < static_cast<int>(RejectKind::kCount); ++kind) {
    all.emplace_back(name(static_cast<RejectKind>(kind)));
  }
  return all;
}

// Bytes as one printable line, not too long.
std::string printable(std::string_view bytes) {
  constexpr std::size_t kMost = 100;
  std::string text;
  for (const char c : bytes.substr(0, kMost)) text += c >= ' ' && c < 127 ? c : '?';
  return bytes.size() > kMost ? text + "..." : text;
}

// Those that are there now: what is sent again may come back while we read.
using TakeLine = std::function<void(std::string_view line)>;

void each_line_of_kafka(const Options& options, const TakeLine& take) {
  KafkaTailSettings settings;
  settings.connection = kafka_connection(options, {.notice = print_notice});
  settings.topics = {options.topics.dead_letters};
  settings.from_begin = settings.until_end = true;
  tail_kafka(settings, [&](const std::string&, std::string_view line) {
    take(line);
    return true;
  });
}

void each_line_of_log(const Options& options, const TakeLine& take) {
  PartitionReader reader(partition_folder(log_folder(options), kDeadLetterTopic, 0));
  const std::uint64_t end = reader.end();
  while (reader.position() < end) {
    const auto line = reader.next();
    if (!line && !reader.is_locked_out()) return;
    if (!line) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    take(line->bytes);
  }
}

template <class Take>
void each_letter(const Options& options, const LetterFlags& flags, const Take& take) {
  OutputDecoder decoder;
  const auto each_line = options.sink == SinkKind::kKafka ? each_line_of_kafka : each_line_of_log;
  each_line(options, [&](std::string_view line) {
    DeadLetter letter;
    if (const auto why = decoder.decode(line, letter)) {
      throw Error("a dead letter can't be read: " + why->words + ": " + printable(line));
    }
    if (flags.kind.empty() || name(letter.reject.reason.kind) == flags.kind) take(letter, line);
  });
}

void list(const Options& options, const LetterFlags& flags) {
  std::size_t count = 0;
  each_letter(options, flags, [&](const DeadLetter& letter, std::string_view line) {
    ++count;
    const auto& [place, reason, bytes] = letter.reject;
    if (flags.json) {
      std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
    } else {
      std::printf("%s  %s/%u at %llu  %s: %s\n    %s\n", to_text('d', letter.id).c_str(),
                  std::string(name(place.topic)).c_str(), place.partition,
                  static_cast<unsigned long long>(place.offset),
                  std::string(name(reason.kind)).c_str(), reason.words.c_str(),
                  printable(bytes).c_str());
    }
  });
  if (count == 0 && !flags.json) std::puts("There are no dead letters.");
}

// Takes a record to where records come from; the second, when all are there.
struct Appender {
  TakeLine append;
  std::function<void()> flush;
};

Appender appender(const Options& options) {
  if (options.source == SourceKind::kKafka) {
    const auto writer =
        std::make_shared<KafkaWriter>(kafka_connection(options, {.notice = print_notice}));
    const auto route = std::make_shared<KafkaRouter>(options.topics);
    return {[=](std::string_view record) {
              const auto [topic, key] = (*route)(record);
              writer->append(topic, key, record);
            },
            [=] { writer->flush(); }};
  }
  const auto log =
      std::make_shared<LogWriter>(log_folder(options), options.partitions, options.segment_bytes);
  return {[log, route = make_router(log->partitions())](std::string_view record) {
            const auto [topic, partition] = route(record);
            log->append(topic, partition, std::span(&record, 1));
          },
          [] {}};
}

struct HashOfHash {
  std::size_t operator()(const Hash128& hash) const { return hash.low; }
};

// Only what can be taken now is sent again: the rest would only come back. A record that came back
// several times goes once.
void replay(const Options& options, const LetterFlags& flags) {
  const auto [append, flush] = appender(options);
  const Decode decode = make_decode();
  std::uint64_t sent = 0, still_bad = 0;
  std::unordered_set<Hash128, HashOfHash> seen;
  each_letter(options, flags, [&](const DeadLetter& letter, std::string_view) {
    if (!seen.insert(hash128(letter.reject.bytes)).second) return;
    Event event;
    if (decode(letter.reject.bytes, event)) {
      ++still_bad;
      return;
    }
    ++sent;
    if (flags.dry_run) return;
    append(letter.reject.bytes);
  });
  flush();
  std::printf("%llu records %s; %llu are still not to be read\n",
              static_cast<unsigned long long>(sent),
              flags.dry_run ? "could be sent again" : "sent again",
              static_cast<unsigned long long>(still_bad));
}

}  // namespace

void add_dead_letters_command(CLI::App& app) {
  auto* command = app.add_subcommand("dead-letters", "records that were not taken");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* words, auto run) {
    auto* sub = command->add_subcommand(name, words);
    const ConfigFlags config(*sub);
    auto flags = std::make_shared<LetterFlags>();
    sub->add_option("--kind", flags->kind, "only this kind, e.g. far_time")
        ->check(CLI::IsMember(kinds()));
    if (std::string_view(name) == "list") {
      sub->add_flag("--json", flags->json, "the records themselves, one a line");
    } else {
      sub->add_flag("--dry-run", flags->dry_run, "only say what would be sent");
    }
    sub->callback([config, flags, run] { run(config.options(), *flags); });
  };
  add("list", "shows them with their reasons", list);
  add("replay",
      "sends those again that can be read now; what was taken before is dropped by its id", replay);
}

}  // namespace headroom
