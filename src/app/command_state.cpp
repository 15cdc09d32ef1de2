#include <cstdio>

#include "headroom/app/commands.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/app/status.hpp"
#include "headroom/base/error.hpp"
#include "headroom/io/store.hpp"

namespace headroom {

namespace {

void inspect(const Options& options) {
  const Store store(store_folder(options), Store::Mode::kReadOnly);
  for (const auto& [key, value] : store.identity()) {
    std::printf("%-24s %s\n", key.c_str(), value.c_str());
  }
  const auto rest = store.rest();
  const auto last = store.last_entry();
  std::uint64_t counts[3] = {}, bytes[3] = {};
  store.each_row([&](const RowKey& key, std::string_view row) {
    ++counts[static_cast<std::size_t>(key.kind)];
    bytes[static_cast<std::size_t>(key.kind)] += row.size();
  });
  const auto number = [](const char* name, std::uint64_t value) {
    std::printf("%-24s %llu\n", name, static_cast<unsigned long long>(value));
  };
  number("checkpoint of batch", rest ? rest->batch : 0);
  number("last batch journalled", last ? last->number : 0);
  number("users", counts[0]);
  number("items", counts[1]);
  number("bytes of users", bytes[0]);
  number("bytes of items", bytes[1]);
  std::printf("%-24s %s\n", "digest", store.digest().c_str());
}

}  // namespace

void add_state_command(CLI::App& app) {
  auto* command = app.add_subcommand("state", "the state store");
  command->require_subcommand(1);
  auto* sub = command->add_subcommand("inspect", "what it was made for and what it holds");
  const ConfigFlags config(*sub);
  sub->callback([config] { inspect(config.options()); });
}

}  // namespace headroom
