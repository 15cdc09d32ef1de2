#include "headroom/engine/catalogue.hpp"

#include <algorithm>
#include <utility>

#include "headroom/base/opening.hpp"

namespace headroom {

void Catalogue::put(ItemIx item, ItemUpdate image) {
  const std::size_t row = index(item);
  if (row >= images_.size()) {
    images_.resize(row + 1);
    standings_.resize(row + 1, Standing::kNoRow);
    offered_.resize(row + 1);
    points_.resize(row + 1, kNowhere);
  }
  image.item.clear();  // the roster has the name
  images_[row] = std::move(image);
  points_[row] = images_[row].position ? point_of(*images_[row].position) : kNowhere;
  stand(item);
}

void Catalogue::erase(ItemIx item) {
  images_[index(item)] = {};
  points_[index(item)] = kNowhere;
  stand(item, Standing::kNoRow);
}

void Catalogue::advance(Time now) {
  now_ = std::max(now_, now);
  while (const auto due = changes_.pop(now_)) {
    const ItemIx item{due->key.row};
    if (standings_[index(item)] != Standing::kNoRow) stand(item);
  }
}

void Catalogue::begin_anew(Time now) {
  now_ = now;
  changes_ = {};
  for (std::uint32_t row = 0; row < images_.size(); ++row) {
    if (!images_[row].hours.empty()) stand(ItemIx{row});
  }
}

void Catalogue::stand(ItemIx item) {
  const ItemUpdate& image = images_[index(item)];
  if (image.closed || image.hidden || image.removed) return stand(item, Standing::kWithdrawn);
  const auto& zone = image.time_zone.empty() ? time_zone_ : image.time_zone;
  const Opening now = opening(image.hours, zone, now_);
  changes_.ask({RowKind::kItem, static_cast<std::uint32_t>(item)}, now.until);
  stand(item, now.open ? Standing::kOffered : Standing::kShut);
}

void Catalogue::stand(ItemIx item, Standing standing) {
  Standing& stands = standings_[index(item)];
  if (stands == Standing::kOffered && standing != Standing::kOffered) lost_.push_back(item);
  if (stands != Standing::kNoRow) --counts_[static_cast<std::size_t>(stands)];
  if (standing != Standing::kNoRow) ++counts_[static_cast<std::size_t>(standing)];
  stands = standing;
  offered_[index(item)] = standing == Standing::kOffered ? 1 : 0;
  changed_.add(index(item));
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
