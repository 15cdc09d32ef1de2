#include "headroom/io/local_log.hpp"

#include <algorithm>

#include "headroom/base/error.hpp"

namespace headroom {

LocalLog::LocalLog(LocalLogSettings settings, Decode decode)
    : settings_(std::move(settings)), decode_(std::move(decode)) {
  const std::uint32_t partitions = prepare_log(settings_.folder, settings_.partitions);
  const auto add = [&](Topic topic, std::uint32_t partition) {
    const auto folder = partition_folder(settings_.folder, name(topic), partition);
    lanes_.push_back({topic, partition, folder, PartitionReader(folder), PartitionReader(folder)});
    lanes_.back().taken = lanes_.back().reader.position();
  };
  add(Topic::kItems, 0);
  for (std::uint32_t partition = 0; partition < partitions; ++partition) {
    add(Topic::kEvents, partition);
  }
}

LocalLog::Lane& LocalLog::lane(const Range& range) {
  for (auto& lane : lanes_) {
    if (lane.topic == range.topic && lane.partition == range.partition) return lane;
  }
  throw Error(settings_.folder.string() + ": there is no partition " +
              std::to_string(range.partition) + " of " + std::string(name(range.topic)));
}

Bounds LocalLog::seek(const Bounds& taken) {
  for (auto& lane : lanes_) lane.reader.seek_to_begin();
  for (const auto& range : taken) lane(range).reader.seek(range.to);
  for (auto& lane : lanes_) lane.taken = lane.reader.position();
  return {};
}

std::size_t LocalLog::take(Batch& batch, std::size_t most, std::chrono::milliseconds wait) {
  if (no_more_ && !is_locked_out()) wait = {};
  return take_within(wait, [&] {
    const bool last_look = no_more_;  // before the look: what came until then is seen
    const std::size_t taken = take_now(batch, most);
    drained_ = last_look && taken == 0 && most > 0 && !is_locked_out();
    return taken;
  });
}

bool LocalLog::is_locked_out() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.reader.is_locked_out(); });
}

std::size_t LocalLog::take_now(Batch& batch, std::size_t most) {
  std::size_t taken = take_from(lanes_.front(), batch, most);
  const std::size_t partitions = lanes_.size() - 1;
  const auto take = [&](std::size_t partition, std::size_t some) {
    return take_from(lanes_[1 + partition], batch, some);
  };
  if (settings_.by_time) {
    // Who is locked out for a moment is first in the next turn; a sender that stands still with the
    // lock stops its own partition only.
    return taken + take_by_time(
                       partitions, most - taken, take,
                       [&](std::size_t partition) { return lanes_[1 + partition].reached.at(); },
                       [](std::size_t) { return false; });
  }
  turn_ = (turn_ + 1) % partitions;
  return taken + take_in_turn(partitions, turn_, most - taken, take);
}

std::size_t LocalLog::take_from(Lane& lane, Batch& batch, std::size_t most) {
  const std::uint64_t from = lane.taken;
  const std::size_t had = batch.arrivals.size();
  std::size_t taken = 0;
  for (; taken < most; ++taken) {
    const auto line = lane.reader.next();
    if (!line) break;
    add_record(batch, {lane.topic, lane.partition, line->offset}, line->bytes, decode_);
    lane.taken = line->next;
  }
  lane.reached.see(batch, had);
  // Empty lines belong to the range of the record after them.
  if (taken > 0) extend(batch.bounds, {lane.topic, lane.partition, from, lane.taken});
  return taken;
}

void LocalLog::read_again(Batch& batch) {
  batch.arrivals.clear();
  batch.rejects.clear();
  for (const auto& range : batch.bounds) read_again(lane(range), range, batch);
}

void LocalLog::read_again(Lane& lane, const Range& range, Batch& batch) {
  if (range.from == range.to) return;
  auto& reader = lane.again;
  if (reader.position() != range.from) reader.seek(range.from);
  while (reader.position() < range.to) {
    const auto line = reader.next_before(range.to);
    if (!line) {
      throw Error(lane.folder.string() + ": no record ends at offset " + std::to_string(range.to) +
                  " as it did before: the log was cut or replaced");
    }
    add_record(batch, {lane.topic, lane.partition, line->offset}, line->bytes, decode_);
  }
}

void LocalLog::release(const Bounds& taken) {
  for (const auto& range : taken) {
    auto& released = lane(range).released;
    released = std::max(released, range.to);
  }
}

std::uint64_t LocalLog::lag() {
  std::uint64_t bytes = 0;
  for (auto& lane : lanes_) {
    const std::uint64_t end = lane.reader.end();
    bytes += end - std::min(end, lane.reader.position());
  }
  return bytes;
}

std::vector<std::filesystem::path> LocalLog::retain(Time now) {
  std::vector<std::filesystem::path> removed;
  for (const auto& lane : lanes_) {
    const auto& retention = lane.topic == Topic::kItems ? settings_.items : settings_.events;
    auto some = headroom::retain(lane.folder, retention, lane.released, now);
    removed.insert(removed.end(), std::make_move_iterator(some.begin()),
                   std::make_move_iterator(some.end()));
  }
  return removed;
}

Bounds LocalLog::there() const {
  Bounds all;
  for (const auto& lane : lanes_) {
    const auto segments = list_segments(lane.folder);
    const std::uint64_t begin = segments.empty() ? lane.taken : segments.front().base;
    all.push_back({lane.topic, lane.partition, begin, lane.taken});
  }
  return all;
}

}  // namespace headroom
