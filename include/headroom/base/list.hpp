#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/base/record.hpp"
#include "headroom/base/time.hpp"

namespace headroom {

// Names what the engine puts out, lists (`r-`) and dead letters (`d-`): in the output of one
// instance and epoch they come strictly in the order of (batch, k). As text r-<instance>-<epoch>-
// <batch>-<k>, e.g. r-0-1-77-0.
struct OutputId {
  std::uint32_t instance = 0;
  std::uint32_t epoch = 0;
  std::uint64_t batch = 0;
  std::uint32_t k = 0;
  auto operator<=>(const OutputId&) const = default;
};

std::string to_text(char prefix, const OutputId& id);
// Nothing if the text is not exactly what to_text would give.
std::optional<OutputId> parse_output_id(char prefix, std::string_view text);

struct ListedItem {
  std::string item;
  float score = 0.0F;  // calibrated, a chance: what the price is compared with
  float price = 0.0F;
  float pscore = 1.0F;
  float held = 0.0F;                                    // expected seats that this place holds
  float room = std::numeric_limits<float>::infinity();  // before it; infinite: unlimited
  bool operator==(const ListedItem&) const = default;
};

// Ranks are the places in `items`, from 1.
struct RankedList {
  OutputId id;
  std::optional<OutputId> replaces;
  Time at;
  std::string user;
  float listen_propensity = 0.0F;
  Time valid_until;
  std::string_view policy;  // of static storage
  std::string reason;       // why it is short or empty; else empty
  std::vector<ListedItem> items;
  bool operator==(const RankedList&) const = default;
};

struct DeadLetter {
  OutputId id;
  Time at;
  Reject reject;
  bool operator==(const DeadLetter&) const = default;
};

// The last ones of each; nothing: none so far.
struct Delivered {
  std::optional<OutputId> list, letter;
};

}  // namespace headroom
