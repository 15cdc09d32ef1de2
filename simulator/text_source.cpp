#include "simulator/text_source.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

constexpr std::size_t kReadAhead = std::size_t{256} << 10U;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

// Room for a line of the longest kind with its line end, and then some to read into.
TextSource::TextSource(const std::filesystem::path& path)
    : file_(path), bytes_(open_bytes(file_)), buffer_(kMaxLine + kReadAhead) {}

void TextSource::fail_line(const std::string& reason) const {
  throw Error(path() + ":" + std::to_string(line_number_) + ": " + reason);
}

std::optional<std::string_view> TextSource::next() {
  const auto line = peek();
  ahead_.reset();
  if (line) ++line_number_;
  return line;
}

std::optional<std::string_view> TextSource::peek() {
  if (!ahead_) ahead_ = fetch();
  return ahead_;
}

void TextSource::expect_data() {
  if (!peek()) file_.fail("no data");
}

std::optional<std::string_view> TextSource::fetch() {
  std::size_t length = 0;
  std::size_t line_end = 0;
  for (bool more = true; more && line_end == 0;) {
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from + length, '\n', end_ - begin_ - length);
    if (found != nullptr) {
      length = static_cast<std::size_t>(static_cast<const char*>(found) - from);
      line_end = 1;
    } else {
      length = end_ - begin_;
      more = refill();
    }
    if (length > kMaxLine) {
      ++line_number_;
      fail_line("the line is longer than 1 MiB");
    }
  }
  if (length + line_end == 0) return std::nullopt;
  std::string_view line(buffer_.data() + begin_, length);
  begin_ += length + line_end;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line_number_ == 0 && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  return line;
}

bool TextSource::refill() {
  std::copy(buffer_.begin() + begin_, buffer_.begin() + end_, buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  const std::size_t got = bytes_->read(std::span(buffer_).subspan(end_));
  end_ += got;
  return got > 0;
}

}  // namespace headroom::sim
