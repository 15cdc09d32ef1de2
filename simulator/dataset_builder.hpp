#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/dataset.hpp"
#include "simulator/fields.hpp"
#include "simulator/text_source.hpp"

namespace headroom::sim {

// Names to dense indices, by first appearance.
class NameTable {
 public:
  std::uint32_t add(std::string_view name);
  std::optional<std::uint32_t> find(std::string_view name) const;
  std::size_t size() const { return names_.size(); }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> index_;
};

// What a file of items says of one of them.
struct ItemFacts {
  std::optional<Place> place{};
  std::optional<float> capacity{};  // infinite: said to be unlimited
  std::optional<std::chrono::minutes> dwell{};
};

struct Row {
  std::string_view user;
  std::string_view item;
  float value = 1.0F;
  Time at{};
  ItemFacts facts{};
};

// What a reader knows of its set when all is read.
struct Traits {
  bool sort_by_time = false;
  bool has_time = false;
  bool has_stars = false;
};

// Gathers the rows of one data set, whatever its files look like.
class DatasetBuilder {
 public:
  DatasetBuilder(std::string name, bool skip_bad);

  // Hands the lines that are left in `source` to `take`. A flaw it finds ends the reading with an
  // Error or, with skip_bad, is counted; no line at all is an Error. Lists the source.
  void read(TextSource& source, const std::function<Flaw(std::string_view)>& take);

  // Adds nothing if there is a flaw.
  Flaw add(const Row& row);

  // What a file of its own says of an item. An item that nobody uses is passed.
  Flaw add_item(std::string_view item, const ItemFacts& facts);

  void warn(std::string words) { set_.warnings.push_back(std::move(words)); }

  // The end of building.
  Dataset finish(const Traits& traits);

 private:
  void set_facts(std::uint32_t item, const ItemFacts& facts);
  void set_place(std::uint32_t item, Place place);
  void finish_places();

  Dataset set_;
  bool skip_bad_;
  bool has_places_ = false, has_capacities_ = false, has_dwell_ = false;
  NameTable users_;
  NameTable items_;
  std::vector<bool> place_differs_;  // by item
};

}  // namespace headroom::sim
