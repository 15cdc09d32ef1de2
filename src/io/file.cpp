#include "headroom/io/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "headroom/base/error.hpp"
#include "headroom/io/kill_point.hpp"

namespace headroom {
namespace {

constexpr mode_t kMode = 0644;

// Repeats a system call that a signal interrupted.
template <class Call>
auto persist(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

[[noreturn]] void fail_at(const std::filesystem::path& path, std::string_view doing) {
  const int reason = errno;
  throw Error(path.string() + ": " + std::string(doing) + ": " + std::strerror(reason));
}

struct stat look_at(const File& file) {
  struct stat info {};
  if (fstat(file.fd(), &info) != 0) file.fail("cannot look at it");
  return info;
}

bool lock_if_free(const File& file, int how) {
  if (persist([&] { return flock(file.fd(), how | LOCK_NB); }) == 0) return true;
  if (errno != EWOULDBLOCK) file.fail("cannot lock");
  return false;
}

int how_of(FileLock::Kind kind) { return kind == FileLock::Kind::kShared ? LOCK_SH : LOCK_EX; }

}  // namespace

File::File(std::filesystem::path path, int flags) : path_(std::move(path)) {
  fd_ = persist([&] { return open(path_.c_str(), flags | O_CLOEXEC, kMode); });
  if (fd_ < 0) fail("cannot open");
}

File File::if_there(const std::filesystem::path& path, int flags) {
  File file;
  file.path_ = path;
  file.fd_ = persist([&] { return open(path.c_str(), flags | O_CLOEXEC, kMode); });
  if (file.fd_ < 0 && errno != ENOENT) file.fail("cannot open");
  return file;
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

File::~File() {
  if (fd_ >= 0) close(fd_);
}

void File::fail(std::string_view doing) const { fail_at(path_, doing); }

std::uint64_t File::size() const { return static_cast<std::uint64_t>(look_at(*this).st_size); }

bool File::is_removed() const { return look_at(*this).st_nlink == 0; }

bool File::is_what_its_path_names() const {
  struct stat named {};
  if (stat(path_.c_str(), &named) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) fail("cannot look at it");
    return false;
  }
  const auto ours = look_at(*this);
  return named.st_dev == ours.st_dev && named.st_ino == ours.st_ino;
}

bool File::is_plain() const { return S_ISREG(look_at(*this).st_mode); }

bool File::try_lock() const { return lock_if_free(*this, LOCK_EX); }

std::size_t File::read_at(std::uint64_t offset, char* into, std::size_t most) const {
  std::size_t done = 0;
  while (done < most) {
    const auto got = persist(
        [&] { return pread(fd_, into + done, most - done, static_cast<off_t>(offset + done)); });
    if (got < 0) fail("cannot read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void File::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto put = persist(
        [&] { return pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (put < 0) fail("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void File::truncate(std::uint64_t size) {
  if (persist([&] { return ftruncate(fd_, static_cast<off_t>(size)); }) != 0) fail("cannot cut");
}

void File::sync() const {
  if (persist([&] { return fdatasync(fd_); }) == 0) return;
  // What can't be synced (a pipe, a file on a read-only disk) has nothing to lose either.
  if (errno != EINVAL && errno != EROFS && errno != ENOTSUP) fail("cannot sync");
}

FileLock::FileLock(const File& file, Kind kind, const StopAsked& stop) : file_(file), held_(true) {
  if (!stop) {
    if (persist([&] { return flock(file_.fd(), how_of(kind)); }) != 0) file_.fail("cannot lock");
    return;
  }
  // A signal between a look at `stop` and a call that waits would be missed: look again and again.
  constexpr std::chrono::milliseconds kRarest{5};
  for (std::chrono::milliseconds pause{1}; !lock_if_free(file_, how_of(kind));
       pause = std::min(2 * pause, kRarest)) {
    if (stop()) throw Stopped(file_.path().string() + ": another process holds it");
    std::this_thread::sleep_for(pause);
  }
}

FileLock::FileLock(const File& file, Kind kind, IfFree)
    : file_(file), held_(!file.is_open() || lock_if_free(file, how_of(kind))) {}

FileLock::~FileLock() {
  if (held_ && file_.is_open()) flock(file_.fd(), LOCK_UN);
}

void sync_folder(const std::filesystem::path& folder) {
  const File opened(folder, O_RDONLY | O_DIRECTORY);
  if (persist([&] { return fsync(opened.fd()); }) != 0 && errno != EINVAL && errno != EROFS) {
    opened.fail("cannot sync");
  }
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code ignored;  // mkdir tells more
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  make_folder(folder.parent_path());
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) fail_at(folder, "cannot make");
  sync_folder(folder.has_parent_path() ? folder.parent_path() : ".");
}

std::uint64_t end_of_lines(const File& file, std::uint64_t from, std::uint64_t size) {
  // Nearly always the last byte is the newline.
  std::vector<char> block(1);
  while (size > from) {
    const auto step = std::min<std::uint64_t>(size - from, block.size());
    const std::size_t got = file.read_at(size - step, block.data(), step);
    const std::string_view bytes(block.data(), got);
    const std::size_t newline = bytes.rfind('\n');
    if (newline != std::string_view::npos) return size - step + newline + 1;
    size -= step;
    block.resize(std::size_t{64} << 10U);
  }
  return from;
}

std::string last_line(const File& file) {
  const std::uint64_t size = file.size();
  if (size == 0) return {};
  const std::uint64_t begin = end_of_lines(file, 0, size - 1);
  std::string line(size - 1 - begin, '\0');
  file.read_at(begin, line.data(), line.size());
  return line;
}

AppendFile::AppendFile(std::filesystem::path path, int flags)
    : file_(std::move(path), flags | O_RDWR) {
  refresh();
  // A process that died may have left lines which never reached the disk.
  file_.sync();
}

void AppendFile::refresh() {
  const std::uint64_t found = file_.size();
  if (found == size_) return;
  // Never acknowledged: its writer died in the middle of it.
  const std::uint64_t whole = end_of_lines(file_, found < size_ ? 0 : size_, found);
  if (whole < found) file_.truncate(whole);
  size_ = whole;
}

void AppendFile::append(std::string_view bytes) {
  try {
    if (kills_next("writer.mid_write")) file_.write_at(size_, bytes.substr(0, bytes.size() / 2));
    kill_point("writer.mid_write");
    file_.write_at(size_, bytes);
    kill_point("writer.before_sync");
    file_.sync();
    kill_point("writer.after_sync");
  } catch (const Error&) {
    file_.truncate(size_);
    throw;
  }
  size_ += bytes.size();
}

}  // namespace headroom
