#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "headroom/base/event.hpp"
#include "headroom/base/list.hpp"
#include "headroom/base/record.hpp"

namespace headroom {

// A longer record is refused before it is looked at.
inline constexpr std::size_t kMaxRecord = 64 * 1024;

// Turns the bytes of one record into an event, strictly: every bound in event.hpp is checked, and a
// record that fails any rule gives the reason. Fields that we don't know are passed over, so that
// producers may add some, but the whole record must be JSON. config/schema says the same as data.
// Owns its buffers (about 1 MiB), so make one for each thread and keep it.
class EventDecoder {
 public:
  EventDecoder();
  ~EventDecoder();
  EventDecoder(EventDecoder&&) noexcept;
  EventDecoder& operator=(EventDecoder&&) noexcept;

  // Nothing if all is well. Reuses the memory of `into`; after a refusal its content is of no use.
  std::optional<RejectReason> decode(std::string_view bytes, Event& into);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads back what `encode` wrote: recommendations and dead letters, of any length.
class OutputDecoder {
 public:
  OutputDecoder();
  ~OutputDecoder();
  OutputDecoder(OutputDecoder&&) noexcept;
  OutputDecoder& operator=(OutputDecoder&&) noexcept;

  // The list's `policy` lives as long as this decoder.
  std::optional<RejectReason> decode(std::string_view line, RankedList& into);
  std::optional<RejectReason> decode(std::string_view line, DeadLetter& into);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The id of a list or of a dead letter, from the head of a line that `encode` wrote. Looks at
// nothing behind the id, so a torn line may have one too.
std::optional<OutputId> output_id_of(std::string_view line);

// Each appends one line of JSON without its newline, always valid: broken UTF-8 becomes U+FFFD, a
// number that is not finite becomes null, a time outside the years 1970 to 9999 the nearest in
// them.
void encode(const Event& event, std::string& out);
void encode(const RankedList& list, std::string& out);
void encode(const DeadLetter& letter, std::string& out);

}  // namespace headroom
