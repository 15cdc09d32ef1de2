#include "headroom/io/lines.hpp"

#include <algorithm>

#include "headroom/base/error.hpp"

namespace headroom {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10U;

}  // namespace

void LineScanner::seek(std::uint64_t offset) {
  at_ = buffered_ = offset;
  buffer_.clear();
}

std::optional<Line> LineScanner::next(const File& file, std::uint64_t end) {
  while (auto line = next_line(file, end)) {
    if (!line->bytes.empty() && line->bytes != "\r") return line;
  }
  return std::nullopt;
}

std::optional<Line> LineScanner::next_line(const File& file, std::uint64_t end) {
  if (at_ >= end) return std::nullopt;
  const std::uint64_t begin = at_;
  long_.clear();
  std::size_t newline = buffer_.find('\n', begin - buffered_);
  while (newline == std::string::npos && buffered_ + buffer_.size() < end) {
    const std::uint64_t looked = buffered_ + buffer_.size();
    read_on(file, begin, end);
    newline = buffer_.find('\n', looked - buffered_);
  }
  const bool whole = newline != std::string::npos;
  const std::uint64_t stop = whole ? buffered_ + newline : end;
  at_ = whole ? stop + 1 : stop;
  if (!long_.empty()) return Line{begin, at_, long_};
  const std::uint64_t length = stop - begin;
  return Line{
      begin, at_,
      std::string_view(buffer_).substr(begin - buffered_, length > kLongestKept ? kKept : length)};
}

// Reads a further chunk and lets go of what lies before the line.
void LineScanner::read_on(const File& file, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t keep_from = begin;
  if (long_.empty() && buffered_ + buffer_.size() > begin + kLongestKept) {
    long_ = buffer_.substr(begin - buffered_, kKept);
  }
  if (!long_.empty()) keep_from = buffered_ + buffer_.size();
  buffer_.erase(0, keep_from - buffered_);
  buffered_ = keep_from;

  const std::size_t had = buffer_.size();
  const std::uint64_t from = buffered_ + had;
  buffer_.resize(had + std::min<std::uint64_t>(kChunk, end - from));
  const std::size_t got = file.read_at(from, buffer_.data() + had, buffer_.size() - had);
  buffer_.resize(had + got);
  if (got == 0) {
    throw Error(file.path().string() + ": ends at byte " + std::to_string(from) +
                ", and was longer before");
  }
}

}  // namespace headroom
