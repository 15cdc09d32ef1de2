#include "headroom/io/store.hpp"

#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/options.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <vector>

#include "headroom/base/bytes.hpp"
#include "headroom/base/error.hpp"
#include "headroom/base/hash.hpp"
#include "headroom/io/file.hpp"

namespace headroom {

namespace {

// Keys: a letter, then the number with its highest byte first, so that keys sort as numbers do.
constexpr char kJournal = 'j';
constexpr std::string_view kRest = "m", kIdentity = "v";
constexpr std::string_view kRowLetters = "uisrp";  // by RowKind

std::string key_of(char letter, std::uint64_t number, int bytes) {
  std::string key(1, letter);
  for (int at = bytes - 1; at >= 0; --at) key += static_cast<char>(number >> (8 * at));
  return key;
}
std::string key_of(const RowKey& row) {
  return key_of(kRowLetters[static_cast<std::size_t>(row.kind)], row.row, 4);
}
std::string journal_key(std::uint64_t number) { return key_of(kJournal, number, 8); }

std::uint64_t number_in(const rocksdb::Slice& key) {
  std::uint64_t number = 0;
  for (std::size_t at = 1; at < key.size(); ++at) {
    number = (number << 8) | static_cast<unsigned char>(key[at]);
  }
  return number;
}

rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const rocksdb::Slice& text) { return {text.data(), text.size()}; }

// RocksDB keeps a log file of its own, and where the disk is full versions with assertions abort
// in it. What went wrong is in the status of each call as well.
class NoLog final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* /*format*/, va_list /*values*/) override {}
};

rocksdb::Options options(Store::Mode mode) {
  rocksdb::Options options;
  options.info_log = std::make_shared<NoLog>();
  options.create_if_missing = mode == Store::Mode::kCreate;
  options.max_open_files = 256;
  // More of them end the program where the system grants fewer.
  options.max_file_opening_threads = 1;
  return options;
}

rocksdb::Options row_options(Store::Mode mode) {
  auto rows = options(mode);
  // Nothing is read until the next start, so new rows need no order before they go to disk.
  rows.memtable_factory = std::make_shared<rocksdb::VectorRepFactory>();
  rows.allow_concurrent_memtable_write = false;
  rows.write_buffer_size = std::size_t{32} << 20U;
  rows.max_total_wal_size = std::uint64_t{128} << 20U;
  return rows;
}

rocksdb::Options journal_options(Store::Mode mode) {
  auto journal = options(mode);
  journal.write_buffer_size = std::size_t{4} << 20U;
  return journal;
}

// RocksDB has no code for it. By another process, and by this one; not where the file of the lock
// can't be opened.
bool is_locked(std::string_view problem) {
  return problem.find("While lock file") != std::string_view::npos ||
         problem.find("lock hold by current process") != std::string_view::npos;
}

}  // namespace

struct Store::Database {
  Database(const std::filesystem::path& store, const char* name, Mode mode,
           const rocksdb::Options& options)
      : folder(store) {
    const std::string path = (store / name).string();
    rocksdb::DB* opened = nullptr;
    const auto status = mode == Mode::kReadOnly
                            ? rocksdb::DB::OpenForReadOnly(options, path, &opened)
                            : rocksdb::DB::Open(options, path, &opened);
    db.reset(opened);
    if (status.IsIOError() && is_locked(status.ToString())) {
      throw Error("the state store " + folder.string() + ": in use by another process");
    }
    check(status);
  }

  std::unique_ptr<rocksdb::DB> db;
  const std::filesystem::path& folder;  // of the store, for errors
  rocksdb::WriteBatch staged;           // of the checkpoint under way
  std::mutex writing;
  rocksdb::Status failed;  // the first write that went wrong

  // Where a write of its log failed (a full disk), RocksDB may neither write nor close: versions
  // with assertions abort. What it had acknowledged is on disk; it ends with the process, held by
  // this list so that no one takes it for a leak.
  ~Database() {
    static auto& left_open = *new std::vector<rocksdb::DB*>;
    if (!failed.ok()) left_open.push_back(db.release());
  }

  void check(const rocksdb::Status& status) const {
    if (!status.ok()) throw Error("the state store " + folder.string() + ": " + status.ToString());
  }
  std::optional<std::string> get(std::string_view key) const {
    std::string value;
    const auto status = db->Get({}, slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    check(status);
    return value;
  }
  void write(rocksdb::WriteBatch& batch) {
    const std::lock_guard lock(writing);
    rocksdb::WriteOptions synced;
    synced.sync = true;
    if (failed.ok()) failed = db->Write(synced, &batch);
    check(failed);
  }
  // Every key of a letter from `first` on, in order, as they are now.
  template <class Take>
  void each(std::string_view first, const Take& take) const {
    rocksdb::ReadOptions read;
    read.fill_cache = false;
    const std::unique_ptr<rocksdb::Iterator> at(db->NewIterator(read));
    for (at->Seek(slice(first)); at->Valid() && at->key()[0] == first[0]; at->Next()) {
      take(at->key(), view(at->value()));
    }
    check(at->status());
  }
};

Store::Store(const std::filesystem::path& folder, Mode mode) : folder_(folder) {
  std::error_code ignored;
  if (mode == Mode::kCreate) {
    std::filesystem::create_directories(folder, ignored);
  } else if (!std::filesystem::exists(folder / "rows" / "CURRENT", ignored)) {
    throw Error("the state store " + folder.string() + ": there is none");
  }
  rows_ = std::make_unique<Database>(folder_, "rows", mode, row_options(mode));
  journal_ = std::make_unique<Database>(folder_, "journal", mode, journal_options(mode));
}

Store::~Store() = default;

StoreIdentity Store::identity() const {
  StoreIdentity identity;
  if (const auto bytes = rows_->get(kIdentity)) {
    for (ByteReader from(*bytes); !from.empty();) {
      auto key = from.get_text();
      identity[std::move(key)] = from.get_text();
    }
  }
  return identity;
}

void Store::set_identity(const StoreIdentity& identity) {
  ByteWriter to;
  for (const auto& [key, value] : identity) {
    to.put_text(key);
    to.put_text(value);
  }
  rocksdb::WriteBatch batch;
  batch.Put(slice(kIdentity), slice(to.bytes()));
  rows_->write(batch);
}

void Store::journal(const JournalEntry& entry) {
  rocksdb::WriteBatch batch;
  batch.Put(journal_key(entry.number), encode(entry));
  journal_->write(batch);
}

void Store::each_entry(std::uint64_t first,
                       const std::function<void(const JournalEntry&)>& take) const {
  journal_->each(journal_key(first), [&](const rocksdb::Slice&, std::string_view value) {
    take(decode_journal_entry(value));
  });
}

std::optional<JournalEntry> Store::first_entry() const {
  const std::unique_ptr<rocksdb::Iterator> at(journal_->db->NewIterator({}));
  at->Seek(journal_key(0));
  journal_->check(at->status());
  if (!at->Valid() || at->key()[0] != kJournal) return std::nullopt;
  return decode_journal_entry(view(at->value()));
}

std::optional<JournalEntry> Store::last_entry() const {
  const std::unique_ptr<rocksdb::Iterator> at(journal_->db->NewIterator({}));
  at->SeekForPrev(journal_key(~std::uint64_t{0}));
  journal_->check(at->status());
  if (!at->Valid() || at->key()[0] != kJournal) return std::nullopt;
  return decode_journal_entry(view(at->value()));
}

void Store::trim_journal(const Bounds& begins, std::uint64_t last) {
  // A partition's ranges follow each other: one that is whole has only whole ones after it.
  Bounds cut;
  for (const Range& range : begins) {
    if (range.from > 0) cut.push_back(range);
  }
  std::uint64_t first = 0;  // to keep
  const std::unique_ptr<rocksdb::Iterator> at(journal_->db->NewIterator({}));
  for (at->Seek(journal_key(0));
       !cut.empty() && at->Valid() && at->key()[0] == kJournal && number_in(at->key()) <= last;
       at->Next()) {
    const JournalEntry entry = decode_journal_entry(view(at->value()));
    for (const Range& range : entry.bounds) {
      const auto known = std::find_if(cut.begin(), cut.end(), [&](const Range& other) {
        return other.topic == range.topic && other.partition == range.partition;
      });
      if (known == cut.end()) continue;
      if (range.from < known->from) {
        first = entry.number + 1;
      } else {
        cut.erase(known);
      }
    }
  }
  journal_->check(at->status());
  if (first == 0) return;
  rocksdb::WriteBatch batch;
  batch.DeleteRange(journal_key(0), journal_key(first));
  journal_->write(batch);
}

void Store::stage(const SavedRows& rows) {
  rows.each([&](const RowKey& key, std::string_view bytes) {
    if (bytes.empty()) {
      rows_->staged.Delete(key_of(key));
    } else {
      rows_->staged.Put(key_of(key), slice(bytes));
    }
  });
}

void Store::write(const SavedRest& rest) {
  ByteWriter to;
  to.put(rest.batch);
  to.put_text(rest.bytes);
  rows_->staged.Put(slice(kRest), slice(to.bytes()));
  rows_->write(rows_->staged);
  rows_->staged = rocksdb::WriteBatch();  // gives its memory back
}

std::optional<SavedRest> Store::rest() const {
  const auto bytes = rows_->get(kRest);
  if (!bytes) return std::nullopt;
  ByteReader from(*bytes);
  SavedRest rest;
  rest.batch = from.get<std::uint64_t>();
  rest.bytes = from.get_text();
  return rest;
}

void Store::each_row(const std::function<void(const RowKey&, std::string_view)>& take) const {
  for (std::size_t kind = 0; kind < kRowLetters.size(); ++kind) {
    const std::string first = key_of(kRowLetters[kind], 0, 4);
    rows_->each(first, [&](const rocksdb::Slice& key, std::string_view value) {
      take({static_cast<RowKind>(kind), static_cast<std::uint32_t>(number_in(key))}, value);
    });
  }
}

std::string Store::digest() const {
  Hash128 digest;
  const auto add = [&](std::string_view bytes) {
    digest.high = hash64(bytes, digest.high);
    digest.low = hash64(bytes, ~digest.low);
  };
  each_row([&](const RowKey& key, std::string_view bytes) {
    add(key_of(key));
    add(bytes);
  });
  if (const auto bytes = rows_->get(kRest)) add(*bytes);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(digest.high),
                static_cast<unsigned long long>(digest.low));
  return text;
}

// RocksDB's own lock, which goes with its process however that ends.
bool is_in_use(const std::filesystem::path& store) {
  const File file = File::if_there(store / "journal" / "LOCK", O_RDONLY);
  if (!file.is_open()) return false;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(file.fd(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void check_identity(const Store& store, const StoreIdentity& found, const StoreIdentity& wanted) {
  for (const auto& [key, value] : wanted) {
    const auto at = found.find(key);
    const std::string has = at == found.end() ? "none" : at->second;
    if (has != value) {
      throw Error("the state store " + store.folder().string() + " was made with " + key + " " +
                  has + ", but " + value + " is asked for");
    }
  }
}

}  // namespace headroom
