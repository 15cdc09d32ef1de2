#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "headroom/engine/checkpoint.hpp"
#include "headroom/engine/journal.hpp"

namespace headroom {

// What a store was made for. A store with another identity is refused.
using StoreIdentity = std::map<std::string, std::string>;

// The state on disk (RocksDB): one row for each user and item as of the last checkpoint, and the
// journal of batches. One process at a time may write to it. One thread may write checkpoints while
// another journals.
class Store {
 public:
  enum class Mode { kCreate, kExisting, kReadOnly };

  Store(const std::filesystem::path& folder, Mode mode);
  ~Store();

  const std::filesystem::path& folder() const { return folder_; }

  // Empty in a new store.
  StoreIdentity identity() const;
  void set_identity(const StoreIdentity& identity);

  // Synced on return.
  void journal(const JournalEntry& entry);
  // The entries from batch `first` on, in order.
  void each_entry(std::uint64_t first, const std::function<void(const JournalEntry&)>& take) const;
  std::optional<JournalEntry> first_entry() const;
  std::optional<JournalEntry> last_entry() const;
  // Drops what can't be repeated any more: the entries up to the last one, at or before batch
  // `last`, with records before the beginnings of their partitions (`from`).
  void trim_journal(const Bounds& begins, std::uint64_t last);

  // A checkpoint: any number of rows, then the rest. All of it is there, or nothing; synced when
  // write() returns.
  void stage(const SavedRows& rows);
  void write(const SavedRest& rest);
  // Nothing if there is no checkpoint yet.
  std::optional<SavedRest> rest() const;
  void each_row(const std::function<void(const RowKey&, std::string_view)>& take) const;

  // A digest of the checkpoint: equal digests, equal states.
  std::string digest() const;

 private:
  struct Database;
  std::filesystem::path folder_;
  // Two, so that no batch waits for a checkpoint that is being written.
  std::unique_ptr<Database> rows_, journal_;
};

// Whether another process writes to the store now; false where there is none.
bool is_in_use(const std::filesystem::path& store);

// Refuses a store of another identity with the first difference.
void check_identity(const Store& store, const StoreIdentity& found, const StoreIdentity& wanted);

}  // namespace headroom
