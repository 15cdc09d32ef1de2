#include <cstdio>
#include <optional>

#include "headroom/app/checkpoints.hpp"
#include "headroom/app/commands.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/app/identity.hpp"
#include "headroom/app/runner.hpp"
#include "headroom/base/error.hpp"
#include "headroom/io/file.hpp"

namespace headroom {

namespace {

struct RepeatFlags {
  std::string into, from;
  std::uint64_t to = 0;  // 0: all
};

// Copies a checkpoint into a new store.
void copy_checkpoint(const Store& from, Store& to) {
  const auto rest = from.rest();
  if (!rest) throw Error("the state store " + from.folder().string() + ": has no checkpoint yet");
  SavedRows rows;
  from.each_row([&](const RowKey& key, std::string_view bytes) { rows.add(key, bytes); });
  to.stage(rows);
  to.write(*rest);
}

// Refuses to begin after batch `done` where the journal does not go on from there.
void check_begin(const Store& journal, std::uint64_t done) {
  const auto first = journal.first_entry();
  if (!first) throw Error("the state store " + journal.folder().string() + ": has no journal");
  if (first->number > done + 1) {
    throw Error("the state store " + journal.folder().string() + ": its journal begins at batch " +
                std::to_string(first->number) + ", the records before were removed: --from a " +
                "state of batch " + std::to_string(first->number - 1) +
                " or later is needed, not " +
                (done == 0 ? "nothing" : "of batch " + std::to_string(done)));
  }
}

void repeat(const Options& options, const RepeatFlags& flags) {
  Options copy = options;
  copy.folder = flags.into;
  copy.sink = SinkKind::kLog;
  std::error_code ignored;
  if (std::filesystem::exists(store_folder(copy), ignored)) {
    throw Error(flags.into + ": there is a state store already; repeat into a new folder");
  }
  const Store journal(store_folder(options), Store::Mode::kReadOnly);
  std::optional<Store> from;
  if (!flags.from.empty()) {
    from.emplace(flags.from, Store::Mode::kReadOnly);
    check_claim(*from, options);
  }
  const auto begun = from ? from->rest() : std::nullopt;
  check_begin(journal, begun ? begun->batch : 0);
  check_repeatable(journal, options);
  if (options.source == SourceKind::kStdin) copy.source = SourceKind::kLog;
  Options read = options;
  read.source = copy.source;
  if (read.source == SourceKind::kLog)
    log_id(log_folder(read));  // none is made where there is none
  const auto source = open_source(read, {.until_end = true});
  check_log(journal, read, *source);

  make_folder(copy.folder);  // from here on nothing is wrong with what was asked for
  Store store(store_folder(copy), Store::Mode::kCreate);
  store.set_identity(journal.identity());
  if (from) copy_checkpoint(*from, store);
  const auto sink = open_sink(copy, epoch_of(store));
  Runner runner(copy, store, *sink);
  const std::uint64_t first = runner.engine().state().batch;
  Checkpoints checkpoints(copy, runner.engine(), store, first);
  journal.each_entry(first + 1, [&](const JournalEntry& entry) {
    if (flags.to > 0 && entry.number > flags.to) return;
    runner.take_again(*source, entry, true);
    checkpoints.between_batches();
  });
  checkpoints.finish();
  std::printf("batches %llu to %llu repeated into %s; state %s\n",
              static_cast<unsigned long long>(first + 1),
              static_cast<unsigned long long>(runner.engine().state().batch), flags.into.c_str(),
              store.digest().c_str());
}

}  // namespace

void add_repeat_command(CLI::App& app) {
  auto* command =
      app.add_subcommand("repeat", "runs the recorded batches again, into another folder");
  const ConfigFlags config(*command);
  auto flags = std::make_shared<RepeatFlags>();
  command->add_option("--into", flags->into, "a new folder for the lists and the state")
      ->required();
  command->add_option("--from", flags->from,
                      "a state store to begin from (a copy made earlier); else from nothing");
  command->add_option("--to", flags->to, "the last batch to repeat; else all");
  command->callback([config, flags] { repeat(config.options(), *flags); });
}

}  // namespace headroom
