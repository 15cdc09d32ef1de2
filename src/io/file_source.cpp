#include "headroom/io/file_source.hpp"

#include <fcntl.h>

#include <cstdio>

#include "headroom/base/error.hpp"
#include "headroom/base/hash.hpp"

namespace headroom {

FileSource::FileSource(std::filesystem::path path, AtEnd at_end, Decode decode)
    // A pipe is refused, and its opening must not wait for one who writes to it.
    : file_(std::move(path), O_RDONLY | O_NONBLOCK), at_end_(at_end), decode_(std::move(decode)) {
  if (!file_.is_plain()) throw Error(file_.path().string() + ": is not a plain file");
  if (at_end_ == AtEnd::kStop) {
    whole_ = file_.size();
    file_.sync();
  }
}

std::optional<std::string> FileSource::id() const {
  if (id_) return id_;
  const std::uint64_t size = file_.size();
  LineScanner lines;
  const auto first =
      lines.next(file_, at_end_ == AtEnd::kStop ? size : end_of_lines(file_, 0, size));
  if (first) {
    const Hash128 hash = hash128(first->bytes);
    char digits[33];
    std::snprintf(digits, sizeof digits, "%016llx%016llx",
                  static_cast<unsigned long long>(hash.high),
                  static_cast<unsigned long long>(hash.low));
    id_ = digits;
  }
  return id_;
}

Bounds FileSource::seek(const Bounds& taken) {
  std::uint64_t offset = 0;
  for (const auto& range : taken) {
    if (range.topic != Topic::kEvents || range.partition != 0) {
      throw Error(file_.path().string() + ": what was read before was not this one file");
    }
    offset = range.to;
  }
  const std::uint64_t size = file_.size();
  const auto was_read = ", but was read up to byte " + std::to_string(offset) + " before";
  if (offset > size) {
    throw Error(file_.path().string() + ": has only " + std::to_string(size) + " bytes" + was_read);
  }
  char before = '\n';
  if (offset > 0) file_.read_at(offset - 1, &before, 1);
  if (before != '\n' && offset < size) {
    throw Error(file_.path().string() + ": has no end of a line there" + was_read);
  }
  lines_.seek(offset);
  taken_ = offset;
  if (at_end_ == AtEnd::kFollow) whole_ = looked_ = offset;
  return {};
}

std::size_t FileSource::take(Batch& batch, std::size_t most, std::chrono::milliseconds wait) {
  if (at_end_ == AtEnd::kStop) return take_now(batch, most);
  return take_within(wait, [&] { return take_now(batch, most); });
}

std::size_t FileSource::take_now(Batch& batch, std::size_t most) {
  if (at_end_ == AtEnd::kFollow) refresh();
  const std::uint64_t from = taken_;
  std::size_t taken = 0;
  for (; taken < most; ++taken) {
    const auto line = lines_.next(file_, whole_);
    if (!line) break;
    add_record(batch, {Topic::kEvents, 0, line->offset}, line->bytes, decode_);
    taken_ = line->next;
  }
  if (taken > 0) {
    extend(batch.bounds, {Topic::kEvents, 0, from, taken_});
  } else if (at_end_ == AtEnd::kFollow) {
    check_same();  // only now: what it has left was taken
  }
  return taken;
}

// Looks for what was appended since; only whole lines count.
void FileSource::refresh() {
  const std::uint64_t size = file_.size();
  if (size < whole_) {
    throw Error(file_.path().string() + ": has only " + std::to_string(size) +
                " bytes, but was read up to byte " + std::to_string(whole_) + " before");
  }
  if (size == looked_) return;
  // One that was emptied and written anew while we were busy.
  char before = '\n';
  if (whole_ > 0) file_.read_at(whole_ - 1, &before, 1);
  if (before != '\n') {
    throw Error(file_.path().string() + ": has no end of a line at byte " + std::to_string(whole_) +
                " any more: it was written anew");
  }
  const std::uint64_t from = size < looked_ ? whole_ : looked_;
  const std::uint64_t end = end_of_lines(file_, from, size);
  looked_ = size;
  if (end == from) return;
  whole_ = end;
  file_.sync();
}

// What is appended to another file of that name would never be seen.
void FileSource::check_same() {
  if (file_.is_what_its_path_names()) return;
  throw Error(file_.path().string() + ": was removed or replaced after it was read up to byte " +
              std::to_string(taken_) + ": put it back, or serve the other one in a new folder");
}

void FileSource::read_again(Batch& batch) {
  batch.arrivals.clear();
  batch.rejects.clear();
  for (const auto& range : batch.bounds) {
    LineScanner lines;
    lines.seek(range.from);
    while (const auto line = lines.next(file_, range.to)) {
      add_record(batch, {range.topic, range.partition, line->offset}, line->bytes, decode_);
    }
  }
}

std::uint64_t FileSource::lag() {
  const std::uint64_t end = at_end_ == AtEnd::kStop ? whole_ : file_.size();
  return end - std::min(end, lines_.position());
}

bool FileSource::ended() const { return at_end_ == AtEnd::kStop && lines_.position() >= whole_; }

}  // namespace headroom
