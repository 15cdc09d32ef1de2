#include "headroom/engine/roster.hpp"

#include <random>
#include <set>
#include <unordered_map>

#include "support/catch.hpp"
#include "support/numbered.hpp"

namespace headroom {
namespace {

using Users = Roster<UserIx>;

Users reloaded(const Users& from) {
  std::vector<std::string> names;
  for (std::uint32_t row = 0; row < from.rows(); ++row) {
    if (!from.has(UserIx{row})) continue;
    names.resize(row + 1);
    names[row] = from.name(UserIx{row});
  }
  Users to;
  to.restore(names);
  return to;
}

TEST_CASE("roster: an empty one knows nobody") {
  const Users users;
  CHECK(users.size() == 0);
  CHECK_FALSE(users.find("u1"));
  CHECK_FALSE(users.find(""));
  CHECK_FALSE(users.has(UserIx{0}));
  CHECK(users.next() == UserIx{0});
  CHECK(reloaded(users).next() == UserIx{0});
}

TEST_CASE("roster: rows that are given back are used again, the lowest first") {
  Users users;
  for (const char* name : {"a", "b", "c", "d"}) users.add(name);
  users.remove(UserIx{2});
  users.remove(UserIx{0});
  CHECK(users.size() == 2);
  CHECK_FALSE(users.find("a"));
  CHECK(users.add("e") == UserIx{0});
  CHECK(users.add("f") == UserIx{2});
  CHECK(users.add("g") == UserIx{4});
  CHECK(users.name(UserIx{2}) == "f");
}

TEST_CASE("roster: as a plain map through random comings and goings, and after loading") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Users users;
    std::unordered_map<std::string, std::uint32_t> naive;
    std::set<std::uint32_t> free;
    std::uint32_t rows = 0;
    for (int n = 0; n < 30000; ++n) {
      // Waves: it grows to some thousand and shrinks to almost none.
      const bool growing = (n / 5000) % 2 == 0;
      const std::string name = test::numbered("user-", random() % 4000);
      const auto known = naive.find(name);
      const auto found = users.find(name);
      if (found.has_value() != (known != naive.end())) FAIL("wrong about " << name);
      if (known != naive.end() && static_cast<std::uint32_t>(*found) != known->second) {
        FAIL("another row of " << name);
      }
      if (known == naive.end() && (growing || random() % 8 == 0)) {
        const std::uint32_t row = free.empty() ? rows++ : *free.begin();
        free.erase(row);
        naive[name] = row;
        if (users.next() != UserIx{row} || users.add(name) != UserIx{row}) FAIL("row of " << name);
      } else if (known != naive.end() && (!growing || random() % 8 == 0)) {
        users.remove(*found);
        free.insert(known->second);
        naive.erase(known);
      }
      if (users.size() != naive.size()) FAIL("size at " << n);
      if (n % 2500 == 0) users = reloaded(users);
    }
    for (const auto& [name, row] : naive) {
      REQUIRE(users.find(name) == UserIx{row});
      REQUIRE(users.name(UserIx{row}) == name);
    }
  }
}

// A new roster of the same names may have fewer rows, but hands out the same ones from then on.
TEST_CASE("roster: after loading the next rows are the same") {
  Users users;
  for (int n = 0; n < 100; ++n) users.add(test::numbered("u", n));
  for (const std::uint32_t row : {99U, 98U, 50U, 97U, 3U}) users.remove(UserIx{row});
  Users other = reloaded(users);
  for (int n = 0; n < 10; ++n) {
    const std::string name = test::numbered("new", n);
    CHECK(users.add(name) == other.add(name));
  }
}

}  // namespace
}  // namespace headroom
