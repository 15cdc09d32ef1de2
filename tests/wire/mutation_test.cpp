// Valid records with a few bytes flipped, put in or taken out: whatever still decodes must be an
// event like any other.

#include <string>

#include "headroom/wire/codec.hpp"
#include "support/catch.hpp"
#include "support/random_events.hpp"

namespace headroom {
namespace {

std::string mutated(std::string record, RandomEvents& random) {
  static constexpr std::string_view kLikely = "\"\\{}[],:0123456789.eE+-TZnulltrue \n\xC3\xA9";
  for (int i = random.from_to(1, 3); i > 0 && !record.empty(); --i) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<int>(record.size())));
    const char likely =
        kLikely[static_cast<std::size_t>(random.below(static_cast<int>(kLikely.size())))];
    switch (random.below(5)) {
      case 0:
        record[at] = static_cast<char>(record[at] ^ (1 << random.below(8)));
        break;
      case 1:
        record[at] = likely;
        break;
      case 2:
        record.insert(at, 1, likely);
        break;
      case 3:
        record.insert(at, 1, static_cast<char>(random.below(256)));
        break;
      default:
        record.erase(at, static_cast<std::size_t>(random.from_to(1, 4)));
    }
  }
  return record;
}

}  // namespace

TEST_CASE("no damage to a record does harm", "[wire]") {
  RandomEvents random(4);
  EventDecoder decoder;
  Event event;
  Event back;
  std::string record;
  std::string line;
  int taken = 0;
  for (int i = 0; i < 200'000; ++i) {
    if (i % 50 == 0) {
      record.clear();
      encode(random.event(), record);
    }
    const std::string damaged = mutated(record, random);
    const auto why = decoder.decode(damaged, event);
    if (why) {
      if (why->words.empty()) FAIL("no words for " << damaged);
      continue;
    }
    ++taken;
    line.clear();
    encode(event, line);
    if (decoder.decode(line, back) || !(back == event)) FAIL(damaged << " became " << line);
  }
  CHECK(taken > 1'000);
}

TEST_CASE("no damage to an output does harm", "[wire]") {
  RandomEvents random(5);
  OutputDecoder decoder;
  RankedList list;
  DeadLetter letter;
  std::string line;
  for (int i = 0; i < 20'000; ++i) {
    line.clear();
    if (i % 2 == 0)
      encode(random.list(), line);
    else
      encode(random.letter(), line);
    const std::string damaged = mutated(line, random);
    line.clear();
    output_id_of(damaged);
    if (!decoder.decode(damaged, list)) {
      encode(list, line);
      CHECK_FALSE(decoder.decode(line, list));
    }
    line.clear();
    if (!decoder.decode(damaged, letter)) {
      encode(letter, line);
      CHECK_FALSE(decoder.decode(line, letter));
    }
  }
}

}  // namespace headroom
