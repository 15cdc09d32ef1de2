#include "headroom/app/export_state.hpp"

#include <array>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "headroom/app/identity.hpp"
#include "headroom/app/npy.hpp"
#include "headroom/base/error.hpp"
#include "headroom/base/hash.hpp"
#include "headroom/engine/state.hpp"
#include "headroom/io/file.hpp"
#include "headroom/wire/base64.hpp"
#include "headroom/wire/timestamp.hpp"

namespace headroom {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kKinds = static_cast<std::size_t>(RowKind::kCount);
constexpr std::array<const char*, kKinds> kFiles = {"users.jsonl", "items.jsonl", "seen-ids.jsonl",
                                                    "requests.jsonl", "prices.jsonl"};

std::string base64(std::string_view bytes) {
  std::string text;
  append_base64(bytes, text);
  return text;
}

// The bytes of a row or the rest, with a hash that tells damage.
void put_bytes(std::string_view bytes, Json& json) {
  json["bytes"] = base64(bytes);
  json["hash"] = hash64(bytes);
}

std::string bytes_in(const Json& json, const std::string& place) {
  std::optional<std::string> bytes;
  if (const auto text = json.find("bytes"); text != json.end() && text->is_string()) {
    bytes = from_base64(text->get<std::string>());
  }
  if (!bytes) throw Error(place + ": bytes: base64 is wanted");
  const auto hash = json.find("hash");
  if (hash == json.end() || *hash != hash64(*bytes)) {
    throw Error(place + ": hash: is not that of the bytes");
  }
  return *bytes;
}

// What a row says to people.
Json words_of(const State& state, const RowKey& key) {
  Json json;
  json["row"] = key.row;
  if (key.kind == RowKind::kUser) {
    const UserIx user{key.row};
    json["user"] = state.users.name(user);
    json["learned"] = state.learner.knows(user);
    json["listen_propensity"] = state.listening.mean(user, state.now.value_or(Time{}));
  } else if (key.kind == RowKind::kItem) {
    const ItemIx item{key.row};
    const Book book = state.ledger.book(item);
    json["item"] = state.items.name(item);
    json["title"] = state.catalogue.image(item).title;
    json["capacity"] = nullptr;
    json["room"] = nullptr;
    if (book.capacity) {
      constexpr const char* kNames[] = {"seats", "stock", "rate"};
      json["capacity"] = {{"kind", kNames[static_cast<std::size_t>(book.capacity->kind)]},
                          {"limit", book.capacity->limit}};
      json["room"] = book.room;
    }
    json["taken"] = book.taken;
    json["on_the_way"] = book.on_way;
    json["held"] = book.held;
    json["organic"] = book.organic;
  }
  return json;
}

template <class Ix>
void write_factors(const std::filesystem::path& file, const Learner& learner, std::size_t rows,
                   std::size_t rank) {
  std::vector<float> factors(rows * rank);
  for (std::size_t row = 0; row < rows; ++row) {
    const Ix at{static_cast<std::uint32_t>(row)};
    if (!learner.has(at)) continue;
    const auto from = learner.factors(at);
    std::copy(from.begin(), from.end(), factors.begin() + static_cast<std::ptrdiff_t>(row * rank));
  }
  write_npy(file, factors, rows, rank);
}

void check_written(std::ofstream& out, const std::filesystem::path& file) {
  if (!out.flush()) throw Error(file.string() + ": cannot be written");
}

}  // namespace

std::size_t export_state(const Store& store, const Options& options,
                         const std::filesystem::path& folder) {
  const auto rest = store.rest();
  if (!rest) throw Error("the state store " + store.folder().string() + ": has no checkpoint yet");
  make_folder(folder);
  State state(options.engine);
  state.load(*rest, [&](const auto& take) { store.each_row(take); });

  std::ofstream files[kKinds];
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    files[kind].open(folder / kFiles[kind], std::ios::binary | std::ios::trunc);
  }
  std::size_t rows = 0;
  store.each_row([&](const RowKey& key, std::string_view bytes) {
    Json json = words_of(state, key);
    put_bytes(bytes, json);
    files[static_cast<std::size_t>(key.kind)] << json.dump() << '\n';
    ++rows;
  });
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    check_written(files[kind], folder / kFiles[kind]);

  const Learner& learner = state.learner;
  const std::size_t rank = options.engine.learner.rank;
  write_factors<UserIx>(folder / "users.npy", learner, learner.users(), rank);
  write_factors<ItemIx>(folder / "items.npy", learner, learner.items(), rank);

  Json json;
  json["batch"] = rest->batch;
  json["rows"] = rows;
  json["identity"] = store.identity();
  put_bytes(rest->bytes, json);
  std::ofstream out(folder / "store.json", std::ios::binary | std::ios::trunc);
  out << json.dump(2) << '\n';
  check_written(out, folder / "store.json");
  return rows;
}

std::size_t import_state(const std::filesystem::path& folder, const Options& options, Store& store,
                         ImportLog log) {
  if (store.rest()) {
    throw Error("the state store " + store.folder().string() + ": has a state already");
  }
  const auto parse = [](const std::string& text, const std::string& place) {
    auto json = Json::parse(text, nullptr, false);
    if (!json.is_object()) throw Error(place + ": no JSON object");
    return json;
  };
  SavedRows rows;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const auto file = folder / kFiles[kind];
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(file.string() + ": cannot be read");
    std::size_t number = 0;
    std::uint64_t next = 0;  // rows come in their order, each once
    for (std::string line; std::getline(in, line);) {
      const std::string place = file.string() + ":" + std::to_string(++number);
      const Json json = parse(line, place);
      const auto row = json.find("row");
      if (row == json.end() || !row->is_number_unsigned()) {
        throw Error(place + ": row: a whole number is wanted");
      }
      const auto at = row->get<std::uint64_t>();
      if (at < next || at > std::numeric_limits<std::uint32_t>::max()) {
        throw Error(place + ": row: " + std::to_string(at) + " does not come here");
      }
      next = at + 1;
      rows.add({static_cast<RowKind>(kind), static_cast<std::uint32_t>(at)}, bytes_in(json, place));
    }
  }
  const auto file = folder / "store.json";
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(file.string() + ": cannot be read");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const Json json = parse(text, file.string());
  try {
    if (const auto all = json.at("rows").get<std::uint64_t>(); all != rows.rows()) {
      throw Error(file.string() + ": rows: " + std::to_string(all) + " were exported, but " +
                  std::to_string(rows.rows()) + " are there");
    }
    auto identity = json.at("identity").get<StoreIdentity>();
    SavedRest rest{json.at("batch").get<std::uint64_t>(), bytes_in(json, file.string())};
    check_claim(store, identity, options);
    if (log == ImportLog::kNew) {
      State state(options.engine);
      state.load(rest, [&](const auto& take) { rows.each(take); });
      state.taken.clear();
      rest = state.save_rest();
      identity = with_new_log(identity);
    }
    store.set_identity(identity);
    store.stage(rows);
    store.write(rest);
  } catch (const nlohmann::json::exception& error) {
    throw Error(file.string() + ": " + error.what());
  }
  return rows.rows();
}

}  // namespace headroom
