#include <array>
#include <chrono>
#include <cstdio>

#include "headroom/app/commands.hpp"
#include "headroom/app/edges.hpp"
#include "headroom/app/export_state.hpp"
#include "headroom/app/identity.hpp"
#include "headroom/base/error.hpp"
#include "headroom/engine/state.hpp"
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
  constexpr auto kKinds = static_cast<std::size_t>(RowKind::kCount);
  std::array<std::uint64_t, kKinds> counts{}, bytes{};
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

void print(const char* words, double value, const char* unit = "") {
  std::printf("%-24s %.4g%s%s\n", words, value, *unit == '\0' ? "" : " ", unit);
}

double minutes(std::chrono::milliseconds time) {
  return std::chrono::duration<double, std::ratio<60>>(time).count();
}

void print_people(const Book& book) {
  print("taken", book.taken);
  for (const Book::People& group : book.present_by_age) {
    std::printf("  %-22s %lld, for %.0f minutes\n", "present", static_cast<long long>(group.people),
                minutes(group.age));
  }
  print("on the way", book.on_way);
  print("held", book.held, "expected seats");
  for (std::size_t age = 0; age < kAges; ++age) {
    if (book.held_by_age[age] <= 0.0) continue;
    std::printf("  %-22s %.4g, %zu sixths of the window old\n", "held", book.held_by_age[age], age);
  }
  print("come by themselves", book.organic_rate, "people an hour");
  print("factor of choice", static_cast<double>(book.factor));
}

void print_room(const Book& book) {
  constexpr const char* kKinds[] = {"seats", "copies", "arrivals a slot"};
  print("capacity", book.capacity->limit, kKinds[static_cast<std::size_t>(book.capacity->kind)]);
  const bool ahead = book.rule == RoomRule::kAhead;
  std::printf("%-24s %s\n", "rule", ahead ? "ahead" : "now");
  if (ahead) print("risk", book.risk);
  if (ahead) print("aims at", book.aim);
  for (const Book::Horizon& horizon : book.horizons) {
    std::printf("  in %3.0f minutes         %.4g expected, room %.4g\n", minutes(horizon.ahead),
                horizon.expected, horizon.room);
  }
  print("room", static_cast<double>(book.room), "expected seats");
}

// One item's book as of the last checkpoint.
void show_item(const Options& options, const std::string& name) {
  const Store store(store_folder(options), Store::Mode::kReadOnly);
  check_claim(store, options);
  const auto rest = store.rest();
  if (!rest) throw Error("the state store " + store.folder().string() + ": has no checkpoint yet");
  State state(options.engine);
  state.load(*rest, [&](const auto& take) { store.each_row(take); });
  const auto item = state.items.find(name);
  const std::string batch = std::to_string(rest->batch);
  if (!item) throw Error("item '" + name + "': is not known as of batch " + batch);
  std::printf("%-24s %s\n%-24s %s\n", "item", name.c_str(), "as of batch", batch.c_str());
  const Book book = state.ledger.book(*item);
  print_people(book);
  const auto prices = state.pricing.prices();
  print("price", index(*item) < prices.size() ? static_cast<double>(prices[index(*item)]) : 0.0);
  if (book.capacity) {
    print_room(book);
  } else {
    std::printf("%-24s unlimited\n", "capacity");
  }
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
  auto* shown = command->add_subcommand("item", "one item's book: taken, on the way, held, room");
  auto item = std::make_shared<std::string>();
  shown->add_option("item", *item, "its name")->required();
  const ConfigFlags of_item(*shown);
  shown->callback([of_item, item] { show_item(of_item.options(), *item); });
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
