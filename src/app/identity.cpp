#include "headroom/app/identity.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "headroom/app/edges.hpp"
#include "headroom/app/settings.hpp"
#include "headroom/app/version.hpp"
#include "headroom/base/error.hpp"
#include "headroom/io/file_source.hpp"

namespace headroom {

namespace {

// Raised whenever a row is written in another way.
constexpr std::string_view kStoreVersion = "7";

// The state itself has these in it.
constexpr std::array kOfTheState = {"seed",           "clock",           "learner.method",
                                    "learner.rank",   "learner.history", "learner.level_of_detail",
                                    "limits.seen_ids"};
// Lists depend on these, so a batch is only repeated under the same.
constexpr std::array kOfTheLists = {"learner.", "pressure.",  "weights.", "seats.",
                                    "lists.",   "listening.", "limits."};

const std::string kLog = "log", kEpoch = "epoch", kPartitions = "partitions";

std::uint32_t epoch_in(const StoreIdentity& identity) {
  const auto at = identity.find(kEpoch);
  return at == identity.end() ? 1 : static_cast<std::uint32_t>(std::stoul(at->second));
}

StoreIdentity fixed(Options options) {
  StoreIdentity identity{{"store version", std::string(kStoreVersion)},
                         {"instance", std::to_string(options.engine.instance)}};
  for (const Setting& setting : settings(options)) {
    for (const std::string_view key : kOfTheState) {
      if (setting.key == key) identity[setting.key] = setting.write();
    }
  }
  return identity;
}

void check_output(const Store& store, std::string_view what, char letter,
                  const std::optional<OutputId>& made, const std::optional<OutputId>& there) {
  if (!there) return;
  const auto order = [](const OutputId& id) { return std::tie(id.epoch, id.batch, id.k); };
  const auto last = store.last_entry();
  const std::uint64_t known = last ? last->number : made ? made->batch : 0;
  const std::string head = "the state store " + store.folder().string();
  const std::uint32_t epoch = epoch_of(store);
  if (there->epoch > epoch || (there->epoch == epoch && there->batch > known)) {
    throw Error(head + (known == 0 ? " is new" : " ends at batch " + std::to_string(known)) +
                ", but " + std::string(what) + " up to batch " + std::to_string(there->batch) +
                " were already delivered: put back the store that made them, or move away all of "
                "its output and this store to begin anew (with Kafka: start with --rebuild in a "
                "new folder)");
  }
  if (made && order(*there) < order(*made)) {
    throw Error(head + ": " + std::string(what) + " after batch " + std::to_string(there->batch) +
                " up to " + to_text(letter, *made) +
                " are missing in the output: put them back (headroom repeat makes them again), or "
                "move all of it away");
  }
}

std::optional<std::string> name_of_log(const Options& options, const EventLog& source) {
  if (const auto* const kafka = dynamic_cast<const KafkaLog*>(&source)) return kafka->id();
  const auto* const file = dynamic_cast<const FileSource*>(&source);
  if (file == nullptr) return log_id(log_folder(options));
  const auto id = file->id();
  return id ? std::optional("file " + *id) : std::nullopt;
}

// How many partitions the events have, where that is not the log's own affair.
std::optional<std::string> partitions_of(const EventLog& source) {
  const auto* const kafka = dynamic_cast<const KafkaLog*>(&source);
  return kafka != nullptr ? std::optional(std::to_string(kafka->partitions())) : std::nullopt;
}

StoreIdentity changeable(Options options) {
  StoreIdentity identity{{"program", std::string(version())},
                         {"kernels", std::string(kernels_of(options.kernels).name)}};
  for (const Setting& setting : settings(options)) {
    for (const std::string_view section : kOfTheLists) {
      if (setting.key.starts_with(section)) identity[setting.key] = setting.write();
    }
  }
  return identity;
}

}  // namespace

void claim(Store& store, const Options& options, std::uint64_t repeating) {
  auto wanted = fixed(options);
  const auto free = changeable(options);
  const auto found = store.identity();
  if (!found.empty()) {
    check_identity(store, found, wanted);
    if (repeating > 0) {
      try {
        check_identity(store, found, free);
      } catch (const Error& error) {
        throw Error(std::string(error.what()) + "; the last run did not end cleanly and " +
                    std::to_string(repeating) +
                    " batches must be repeated as they were: start and stop it once as before");
      }
    }
  }
  wanted.insert(free.begin(), free.end());
  wanted[kEpoch] = std::to_string(epoch_of(store));
  for (const std::string& key : {kLog, kPartitions}) {
    if (const auto kept = found.find(key); kept != found.end()) wanted.insert(*kept);
  }
  if (wanted != found) store.set_identity(wanted);
}

void check_change(const Store& store, const Options& options, const EventLog& source,
                  const LogChange& change) {
  if (!change.reset) check_log(store, options, source);
  const auto identity = store.identity();
  const auto known = identity.find(kPartitions);
  const auto partitions = partitions_of(source);
  if (!partitions || known == identity.end() || known->second == *partitions) return;
  if (change.new_partitions) return;
  throw Error("the topic of events has " + *partitions + " partitions, but had " + known->second +
              " when the state store " + store.folder().string() +
              " was last used: the records of some users move to another one; when none of "
              "theirs is on its way any more, start with --new-partitions");
}

bool claim_log(Store& store, const Options& options, const EventLog& source,
               const LogChange& change) {
  check_change(store, options, source, change);
  const auto given = name_of_log(options, source);
  auto identity = store.identity();
  const auto before = identity;
  if (given) identity[kLog] = *given;
  if (const auto partitions = partitions_of(source)) identity[kPartitions] = *partitions;
  if (identity != before) store.set_identity(identity);
  return given.has_value();
}

std::string known_log(const Store& store) {
  const auto identity = store.identity();
  const auto known = identity.find(kLog);
  return known == identity.end() ? "" : known->second;
}

void check_log(const Store& store, const Options& options, const EventLog& source) {
  const auto given = name_of_log(options, source);
  const auto identity = store.identity();
  const auto known = identity.find(kLog);
  if (known == identity.end() || known->second == given) return;
  throw Error("the state store " + store.folder().string() + " was made from another log (" +
              known->second + ", not " + given.value_or("an empty file") +
              "): what it took of that one says nothing here" +
              (options.source == SourceKind::kKafka
                   ? "; if a topic was deleted and made again, start with --reset to take all of it"
                   : ""));
}

void check_output(const Store& store, const Delivered& made, const Delivered& there) {
  check_output(store, "lists", 'r', made.list, there.list);
  check_output(store, "dead letters", 'd', made.letter, there.letter);
}

void check_claim(const Store& store, const Options& options) {
  check_claim(store, store.identity(), options);
}

void check_claim(const Store& store, const StoreIdentity& made_for, const Options& options) {
  check_identity(store, made_for, fixed(options));
}

void check_repeatable(const Store& store, const Options& options) {
  check_claim(store, options);
  check_identity(store, store.identity(), changeable(options));
}

StoreIdentity with_new_log(StoreIdentity identity) {
  identity.erase(kLog);
  identity.erase(kPartitions);
  identity[kEpoch] = std::to_string(epoch_in(identity) + 1);
  return identity;
}

void set_epoch(Store& store, std::uint32_t epoch) {
  auto identity = store.identity();
  identity[kEpoch] = std::to_string(epoch);
  store.set_identity(identity);
}

std::uint32_t epoch_of(const Store& store) { return epoch_in(store.identity()); }

}  // namespace headroom
