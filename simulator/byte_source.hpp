#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct evp_md_ctx_st;  // OpenSSL's, kept out of this header

namespace headroom::sim {

// A file as it lies on disk, hashed while it is read. Every byte is read once and in order, so a
// pipe will do.
class HashedFile {
 public:
  explicit HashedFile(const std::filesystem::path& path);

  const std::string& path() const { return path_; }

  // Bytes read but not yet consumed; empty only at the end of the file.
  std::span<const std::uint8_t> pending();
  void consume(std::size_t bytes) { begin_ += bytes; }

  // As sha256sum prints it. Reads what is left of the file first.
  std::string sha256();

  // Throws Error with the file's name in front.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct FreeHash {
    void operator()(evp_md_ctx_st* hash) const;
  };

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<evp_md_ctx_st, FreeHash> hash_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
};

// The bytes of a file as its author wrote them, without the compression.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills the front of `out` and tells how much; 0 is the end. Throws Error where the compressed
  // stream is truncated or corrupt.
  virtual std::size_t read(std::span<char> out) = 0;
};

// Plain, gzip, xz or zstd, by the first bytes of the file. A file that is called .gz, .xz or .zst
// and is none of the kind is an Error rather than text. `file` must outlive the result.
std::unique_ptr<ByteSource> open_bytes(HashedFile& file);

}  // namespace headroom::sim
