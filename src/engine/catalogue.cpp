#include "headroom/engine/catalogue.hpp"

#include <utility>

namespace headroom {

void Catalogue::put(ItemIx item, ItemUpdate image) {
  if (index(item) >= images_.size()) {
    images_.resize(index(item) + 1);
    offered_.resize(index(item) + 1);
  }
  offered_[index(item)] = !image.closed && !image.hidden && !image.removed;
  image.item.clear();  // the roster has the name
  images_[index(item)] = std::move(image);
}

void Catalogue::erase(ItemIx item) {
  images_[index(item)] = {};
  offered_[index(item)] = 0;
}

bool Catalogue::expendable(ItemIx item) const {
  const ItemUpdate& image = images_[index(item)];
  if (image.removed) return true;
  return !image.closed && !image.hidden && !image.capacity && !image.dwell && image.hours.empty();
}

void Catalogue::save(ItemIx item, ByteWriter& to) const {
  const ItemUpdate& image = images_[index(item)];
  to.put_text(image.title);
  to.put(image.position.has_value());
  if (image.position) {
    to.put(image.position->lat);
    to.put(image.position->lon);
  }
  to.put(image.capacity.has_value());
  if (image.capacity) {
    to.put(image.capacity->kind);
    to.put(image.capacity->limit);
    to.put(image.capacity->per.count());
    to.put(image.capacity->rule.has_value());
    to.put(image.capacity->rule.value_or(RoomRule::kAhead));
    to.put(image.capacity->risk.value_or(0.0));
  }
  to.put(image.dwell ? image.dwell->count() : std::chrono::minutes::rep{0});
  to.put(static_cast<std::uint32_t>(image.hours.size()));
  for (const auto& hours : image.hours) {
    to.put(hours.days);
    to.put(hours.from.count());
    to.put(hours.to.count());
  }
  to.put_text(image.time_zone);
  to.put(image.closed);
  to.put(image.hidden);
  to.put(image.removed);
}

void Catalogue::load(ItemIx item, ByteReader& from) {
  const auto minutes = [&] { return std::chrono::minutes(from.get<std::chrono::minutes::rep>()); };
  ItemUpdate image;
  image.title = from.get_text();
  if (from.get<bool>()) {
    const auto lat = from.get<double>();
    image.position = Position{lat, from.get<double>()};
  }
  if (from.get<bool>()) {
    const auto kind = from.get<CapacityKind>();
    const auto limit = from.get<double>();
    Capacity& capacity = image.capacity.emplace(Capacity{kind, limit, minutes()});
    const bool has_rule = from.get<bool>();
    const auto rule = from.get<RoomRule>();
    if (has_rule) capacity.rule = rule;
    if (const auto risk = from.get<double>(); risk > 0.0) capacity.risk = risk;
  }
  if (const auto dwell = minutes(); dwell.count() > 0) image.dwell = dwell;
  for (auto left = from.get<std::uint32_t>(); left > 0; --left) {
    OpeningHours& hours = image.hours.emplace_back();
    hours.days = from.get<std::uint8_t>();
    hours.from = minutes();
    hours.to = minutes();
  }
  image.time_zone = from.get_text();
  image.closed = from.get<bool>();
  image.hidden = from.get<bool>();
  image.removed = from.get<bool>();
  put(item, std::move(image));
}

}  // namespace headroom
