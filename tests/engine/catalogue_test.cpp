#include "headroom/engine/catalogue.hpp"

#include "support/catch.hpp"
#include "support/random_events.hpp"

namespace headroom {
namespace {

TEST_CASE("catalogue: what is closed, hidden or removed is not offered") {
  Catalogue catalogue;
  catalogue.put(ItemIx{2}, {});  // known from events alone
  CHECK(std::vector(catalogue.offered().begin(), catalogue.offered().end()) ==
        std::vector<std::uint8_t>{0, 0, 1});
  for (const auto flag : {&ItemUpdate::closed, &ItemUpdate::hidden, &ItemUpdate::removed}) {
    ItemUpdate image;
    image.*flag = true;
    catalogue.put(ItemIx{2}, image);
    CHECK(catalogue.offered()[2] == 0);
    catalogue.put(ItemIx{2}, {});
    CHECK(catalogue.offered()[2] == 1);
  }
  catalogue.erase(ItemIx{2});
  CHECK(catalogue.offered()[2] == 0);
}

TEST_CASE("catalogue: an image is saved and loaded whole, but for the name") {
  RandomEvents random(1);
  for (int n = 0; n < 2000;) {
    Event event = random.event();
    if (!std::holds_alternative<ItemUpdate>(event.what)) continue;
    ItemUpdate image = std::get<ItemUpdate>(event.what);
    const ItemIx item{static_cast<std::uint32_t>(n++ % 20)};
    Catalogue catalogue, other;
    catalogue.put(item, image);
    ByteWriter to;
    catalogue.save(item, to);
    ByteReader from(to.bytes());
    other.load(item, from);
    image.item.clear();
    if (!from.empty() || other.image(item) != image || catalogue.image(item) != image ||
        other.offered()[index(item)] != catalogue.offered()[index(item)]) {
      FAIL("image " << n);
    }
  }
}

TEST_CASE("catalogue: a cut row is an error") {
  Catalogue catalogue;
  ItemUpdate image;
  image.title = "A cafe";
  image.capacity = Capacity{CapacityKind::kSeats, 4.0, {}};
  image.hours = {{1, std::chrono::minutes(0), std::chrono::minutes(60)}};
  catalogue.put(ItemIx{0}, image);
  ByteWriter to;
  catalogue.save(ItemIx{0}, to);
  for (std::size_t length = 0; length < to.bytes().size(); ++length) {
    ByteReader from(std::string_view(to.bytes()).substr(0, length));
    Catalogue other;
    CHECK_THROWS_AS(other.load(ItemIx{0}, from), Error);
  }
}

}  // namespace
}  // namespace headroom
