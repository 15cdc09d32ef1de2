#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "headroom/engine/ports.hpp"
#include "headroom/io/lines.hpp"
#include "headroom/io/records.hpp"

namespace headroom {

enum class AtEnd : std::uint8_t { kStop, kFollow };

// One plain file of records as a source: partition 0 of the events, items and events mixed, offsets
// in bytes. With kStop it ends where the file ended when it was opened, and a last line without
// newline is a record; with kFollow it waits for more, as `tail -f`, and throws Error if the file
// is no longer the one that was opened. One thread.
class FileSource final : public EventLog {
 public:
  FileSource(std::filesystem::path path, AtEnd at_end, Decode decode);

  Bounds seek(const Bounds& taken) override;
  std::size_t take(Batch& batch, std::size_t most, std::chrono::milliseconds wait) override;
  void read_again(Batch& batch) override;
  void release(const Bounds& /*taken*/) override {}  // the file is not ours to shorten
  std::uint64_t lag() override;
  bool ended() const override;

  // Names the file by its first record, wherever it lies and however it grows; nothing while it has
  // none.
  std::optional<std::string> id() const;

 private:
  void refresh();
  void check_same();
  std::size_t take_now(Batch& batch, std::size_t most);

  File file_;
  AtEnd at_end_;
  Decode decode_;
  LineScanner lines_;
  std::uint64_t taken_ = 0;   // the end of the last record taken
  std::uint64_t whole_ = 0;   // what may be handed on, on disk
  std::uint64_t looked_ = 0;  // no newline from whole_ to here
  mutable std::optional<std::string> id_;
};

}  // namespace headroom
