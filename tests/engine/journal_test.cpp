#include "headroom/engine/journal.hpp"

#include <limits>

#include "headroom/base/error.hpp"
#include "support/catch.hpp"

namespace headroom {
namespace {

JournalEntry some_entry() {
  return {77,
          Time(std::chrono::milliseconds(1'772'366'400'123)),
          {{Topic::kItems, 0, 0, 5},
           {Topic::kEvents, 3, 17, std::numeric_limits<std::uint64_t>::max()}}};
}

TEST_CASE("journal: an entry is bytes and back") {
  const JournalEntry entry = some_entry();
  CHECK(decode_journal_entry(encode(entry)) == entry);
  const JournalEntry none;
  CHECK(decode_journal_entry(encode(none)) == none);
}

TEST_CASE("journal: an entry that is cut or too long is an error") {
  const std::string bytes = encode(some_entry());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    INFO(length);
    CHECK_THROWS_AS(decode_journal_entry(std::string_view(bytes).substr(0, length)), Error);
  }
  CHECK_THROWS_AS(decode_journal_entry(bytes + '\0'), Error);
}

TEST_CASE("journal: a damaged count of bounds is an error, not all the memory there is") {
  std::string bytes = encode(some_entry());
  for (std::size_t at = 16; at < 20; ++at) bytes[at] = '\xFF';
  CHECK_THROWS_AS(decode_journal_entry(bytes), Error);
}

TEST_CASE("journal: where the log was taken to is the end of all bounds so far") {
  Bounds taken;
  extend(taken, {{Topic::kEvents, 0, 0, 5}, {Topic::kEvents, 2, 7, 9}});
  extend(taken, {{Topic::kItems, 0, 0, 1}, {Topic::kEvents, 0, 5, 8}});
  extend(taken, {});
  CHECK(taken ==
        Bounds{{Topic::kEvents, 0, 0, 8}, {Topic::kEvents, 2, 0, 9}, {Topic::kItems, 0, 0, 1}});
}

}  // namespace
}  // namespace headroom
