#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "headroom/io/file.hpp"

namespace headroom {

// A line of up to kLongestKept bytes is handed on whole; of a longer one only the first kKept, one
// more than any record may have, so that the decoder still sees that it is too long.
inline constexpr std::size_t kLongestKept = std::size_t{1} << 20U;
inline constexpr std::size_t kKept = (std::size_t{64} << 10U) + 1;

struct Line {
  std::uint64_t offset = 0;
  std::uint64_t next = 0;  // where the following line begins
  std::string_view bytes;  // without the newline; a carriage return stays, JSON has it as a blank
};

// Cuts a part of a file that no longer changes into lines, in bounded memory. Empty lines (and
// those of a carriage return only) are passed over. One thread.
class LineScanner {
 public:
  void seek(std::uint64_t offset);
  // The next line of the part up to `end`; a last one without newline counts. Its bytes are valid
  // until the next call.
  std::optional<Line> next(const File& file, std::uint64_t end);
  std::uint64_t position() const { return at_; }

 private:
  std::optional<Line> next_line(const File& file, std::uint64_t end);
  void read_on(const File& file, std::uint64_t begin, std::uint64_t end);

  std::uint64_t at_ = 0;        // in the file, of the first byte not yet handed on
  std::uint64_t buffered_ = 0;  // in the file, of the buffer's first byte
  std::string buffer_;
  std::string long_;  // what is kept of a line too long for the buffer
};

}  // namespace headroom
