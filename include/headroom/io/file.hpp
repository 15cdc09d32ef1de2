#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "headroom/io/stop.hpp"

namespace headroom {

// An open file. Every failure is an Error that names the file and the system's reason.
class File {
 public:
  File() = default;  // no file
  // `flags` as of open(2); new files get 0644. Not inherited by programs started from here.
  File(std::filesystem::path path, int flags);
  // The same, but no file (see is_open) where there is none.
  static File if_there(const std::filesystem::path& path, int flags);
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const;
  bool is_removed() const;              // no name leads to it any more
  bool is_what_its_path_names() const;  // neither removed nor moved nor replaced
  bool is_plain() const;                // not a pipe, a device, a folder
  bool try_lock() const;  // as FileLock, exclusive, until it is closed; false if another has it
  // Fewer bytes than asked for only at the end of the file.
  std::size_t read_at(std::uint64_t offset, char* into, std::size_t most) const;
  void write_at(std::uint64_t offset, std::string_view bytes);
  void truncate(std::uint64_t size);
  // Bytes and size are on disk on return, whichever process wrote them.
  void sync() const;
  [[noreturn]] void fail(std::string_view doing) const;  // errno says why

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

// Holds a file's lock (flock) against other processes and other File objects of this one. It is
// gone with the process that held it, however that ended.
class FileLock {
 public:
  enum class Kind : std::uint8_t { kShared, kExclusive };
  // Waits for it; throws Stopped if a stop is asked for meanwhile.
  FileLock(const File& file, Kind kind, const StopAsked& stop = {});
  // Does not wait: see is_held(). A file that is not open has nobody to wait for.
  static FileLock if_free(const File& file, Kind kind) { return {file, kind, IfFree{}}; }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  bool is_held() const { return held_; }

 private:
  struct IfFree {};
  FileLock(const File& file, Kind kind, IfFree);

  const File& file_;
  bool held_ = false;
};

// Names of files made or removed in a folder are on disk on return.
void sync_folder(const std::filesystem::path& folder);
// Makes the folder and those above it, on disk on return.
void make_folder(const std::filesystem::path& folder);

// The end of the last whole line in [from, size), or `from` if there is none.
std::uint64_t end_of_lines(const File& file, std::uint64_t from, std::uint64_t size);

// The last line of a file that ends with a whole line; empty if there is none.
std::string last_line(const File& file);

// A file of lines that grows. What a crash left of a line is cut off when it is opened; an append
// is there whole and on disk, or not at all. One thread, under whatever lock guards the file.
class AppendFile {
 public:
  AppendFile() = default;
  AppendFile(std::filesystem::path path, int flags);

  const File& file() const { return file_; }
  bool is_open() const { return file_.is_open(); }
  std::uint64_t size() const { return size_; }
  // Looks at the file again: others may have appended, or died while appending.
  void refresh();
  // Throws Error and leaves the file as it was where there is no room.
  void append(std::string_view bytes);
  void sync() const { file_.sync(); }

 private:
  File file_;
  std::uint64_t size_ = 0;
};

}  // namespace headroom
