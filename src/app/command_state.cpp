#include <cstdio>

#include "headroom/app/commands.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/app/export_state.hpp"
#include "headroom/app/identity.hpp"
#include "headroom/base/error.hpp"
#include "headroom/io/file.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

namespace {

void inspect(const Options& options) {
  const Store store(store_folder(options), Store::Mode::kReadOnly);
  for (const auto& [key, value] : store.identity()) {
    std::printf("%-24s %s\n", key.c_str(), value.c_str());
  }
  const auto rest = store.rest();
  const auto first = store.first_entry(), last = store.last_entry();
  std::uint64_t counts[3] = {}, bytes[3] = {};
  store.each_row([&](const RowKey& key, std::string_view row) {
    ++counts[static_cast<std::size_t>(key.kind)];
    bytes[static_cast<std::size_t>(key.kind)] += row.size();
  });
  const auto number = [](const char* name, std::uint64_t value) {
    std::printf("%-24s %llu\n", name, static_cast<unsigned long long>(value));
  };
  number("checkpoint of batch", rest ? rest->batch : 0);
  number("first batch journalled", first ? first->number : 0);
  number("last batch journalled", last ? last->number : 0);
  number("users", counts[0]);
  number("items", counts[1]);
  number("bytes of users", bytes[0]);
  number("bytes of items", bytes[1]);
  std::printf("%-24s %s\n", "digest", store.digest().c_str());
}

void write_export(const Options& options, const std::string& folder) {
  const Store store(store_folder(options), Store::Mode::kReadOnly);
  check_claim(store, options);
  const auto rows = export_state(store, options, folder);
  std::printf("%zu rows are in %s; state %s\n", rows, folder.c_str(), store.digest().c_str());
}

void read_import(const Options& options, const std::string& folder, ImportLog log) {
  make_folder(options.folder);
  Store store(store_folder(options), Store::Mode::kCreate);
  const auto rows = import_state(folder, options, store, log);
  std::printf("%zu rows are in %s; state %s\n", rows, store_folder(options).c_str(),
              store.digest().c_str());
  if (log == ImportLog::kSame) {
    std::puts("It goes on in the log that it was made from, which must be in the folder too.");
  } else {
    std::printf(
        "It begins with a log of its own; its lists are named %s and so on.\n",
        to_text('r', {options.engine.instance, epoch_of(store), store.rest().value().batch + 1, 0})
            .c_str());
  }
}

}  // namespace

void add_state_command(CLI::App& app) {
  auto* command = app.add_subcommand("state", "the state store");
  command->require_subcommand(1);
  auto* sub = command->add_subcommand("inspect", "what it was made for and what it holds");
  const ConfigFlags config(*sub);
  sub->callback([config] { inspect(config.options()); });
  const auto add = [&](const char* name, const char* words, const char* flag) {
    auto* other = command->add_subcommand(name, words);
    auto folder = std::make_shared<std::string>();
    other->add_option(flag, *folder, "the folder of line JSON and NumPy files")->required();
    return std::make_pair(other, folder);
  };
  const auto [out, into] = add("export", "writes it as line JSON and NumPy files", "--into");
  const ConfigFlags exported(*out);
  out->callback([exported, into = into] { write_export(exported.options(), *into); });
  const auto [in, from] = add("import", "makes a new one from exported files", "--from");
  const ConfigFlags imported(*in);
  auto same = std::make_shared<bool>(false);
  in->add_flag("--same-log", *same,
               "go on in the log that it was made from, copied into the folder; without: with a "
               "log of its own");
  in->callback([imported, from = from, same] {
    read_import(imported.options(), *from, *same ? ImportLog::kSame : ImportLog::kNew);
  });
}

}  // namespace headroom
