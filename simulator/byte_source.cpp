#include "simulator/byte_source.hpp"

#include <lzma.h>
#include <openssl/evp.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10U;

// Enough for every preset of xz (-9 takes 65 MiB), too little for a header that asks for it all.
constexpr std::uint64_t kXzMemory = std::uint64_t{1} << 30U;

class PlainBytes final : public ByteSource {
 public:
  explicit PlainBytes(HashedFile& file) : file_(file) {}

  std::size_t read(std::span<char> out) override {
    const auto in = file_.pending();
    const std::size_t bytes = std::min(in.size(), out.size());
    std::copy_n(in.begin(), bytes, out.begin());
    file_.consume(bytes);
    return bytes;
  }

 private:
  HashedFile& file_;
};

class GzipBytes final : public ByteSource {
 public:
  explicit GzipBytes(HashedFile& file) : file_(file) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) file_.fail("zlib does not start");
  }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out > 0) {
      const auto in = file_.pending();
      if (in.empty()) {
        if (inside_) file_.fail("truncated gzip stream");
        break;
      }
      stream_.next_in = const_cast<Bytef*>(in.data());
      stream_.avail_in = static_cast<uInt>(in.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      file_.consume(in.size() - stream_.avail_in);
      if (status != Z_OK && status != Z_STREAM_END) file_.fail("corrupt gzip stream");
      inside_ = status == Z_OK;
      if (!inside_) inflateReset(&stream_);  // gzip files may be joined end to end
    }
    return out.size() - stream_.avail_out;
  }

 private:
  HashedFile& file_;
  z_stream stream_{};
  bool inside_ = false;
};

class XzBytes final : public ByteSource {
 public:
  explicit XzBytes(HashedFile& file) : file_(file) {
    if (lzma_stream_decoder(&stream_, kXzMemory, LZMA_CONCATENATED) != LZMA_OK) {
      file_.fail("liblzma does not start");
    }
  }
  XzBytes(const XzBytes&) = delete;
  XzBytes& operator=(const XzBytes&) = delete;
  ~XzBytes() override { lzma_end(&stream_); }

  std::size_t read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (stream_.avail_out > 0 && !done_) {
      const auto in = file_.pending();
      stream_.next_in = in.data();
      stream_.avail_in = in.size();
      const lzma_ret status = lzma_code(&stream_, in.empty() ? LZMA_FINISH : LZMA_RUN);
      file_.consume(in.size() - stream_.avail_in);
      done_ = status == LZMA_STREAM_END;
      if (status == LZMA_BUF_ERROR) file_.fail("truncated xz stream");
      if (status == LZMA_MEMLIMIT_ERROR) file_.fail("xz stream needs more than 1 GiB of memory");
      if (status != LZMA_OK && !done_) file_.fail("corrupt xz stream");
    }
    return out.size() - stream_.avail_out;
  }

 private:
  HashedFile& file_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool done_ = false;
};

class ZstdBytes final : public ByteSource {
 public:
  explicit ZstdBytes(HashedFile& file) : file_(file), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) file_.fail("libzstd does not start");
  }

  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (to.pos < to.size) {
      const auto in = file_.pending();
      if (in.empty() && !inside_) break;
      ZSTD_inBuffer from{in.data(), in.size(), 0};
      const std::size_t before = to.pos;
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &to, &from);
      if (ZSTD_isError(left) != 0) {
        file_.fail(std::string("corrupt zstd stream: ") + ZSTD_getErrorName(left));
      }
      file_.consume(from.pos);
      inside_ = left != 0;
      // The decoder may still hold output after the last input, but then it gives some.
      if (in.empty() && inside_ && to.pos == before) file_.fail("truncated zstd stream");
    }
    return to.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  HashedFile& file_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  bool inside_ = false;
};

bool starts_with(std::span<const std::uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool is_zstd(std::span<const std::uint8_t> bytes) {
  if (starts_with(bytes, "\x28\xb5\x2f\xfd")) return true;
  // A skippable frame, as parallel compressors put in front.
  return bytes.size() >= 4 && (bytes[0] & 0xf0U) == 0x50 &&
         starts_with(bytes.subspan(1), "\x2a\x4d\x18");
}

}  // namespace

HashedFile::HashedFile(const std::filesystem::path& path)
    : path_(path.string()), hash_(EVP_MD_CTX_new()), buffer_(kChunk) {
  std::error_code ignored;  // fopen tells more
  if (std::filesystem::is_directory(path, ignored)) fail("is a directory");
  file_.reset(std::fopen(path_.c_str(), "rb"));
  if (file_ == nullptr) fail(std::strerror(errno));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  if (hash_ == nullptr || EVP_DigestInit_ex(hash_.get(), EVP_sha256(), nullptr) != 1) {
    fail("SHA-256 does not start");
  }
}

void HashedFile::FreeHash::operator()(evp_md_ctx_st* hash) const { EVP_MD_CTX_free(hash); }

void HashedFile::fail(const std::string& reason) const { throw Error(path_ + ": " + reason); }

std::span<const std::uint8_t> HashedFile::pending() {
  if (begin_ == end_ && !at_end_) {
    begin_ = 0;
    end_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    if (std::ferror(file_.get()) != 0) fail(std::strerror(errno));
    at_end_ = end_ < buffer_.size();
    EVP_DigestUpdate(hash_.get(), buffer_.data(), end_);
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

std::string HashedFile::sha256() {
  for (auto rest = pending(); !rest.empty(); rest = pending()) consume(rest.size());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestFinal_ex(hash_.get(), digest.data(), &size);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kHex[digest[i] >> 4U];
    text += kHex[digest[i] & 0xfU];
  }
  return text;
}

std::unique_ptr<ByteSource> open_bytes(HashedFile& file) {
  using namespace std::string_view_literals;
  const auto head = file.pending();
  if (starts_with(head, "\x1f\x8b")) return std::make_unique<GzipBytes>(file);
  if (starts_with(head, "\xfd\x37\x7a\x58\x5a\0"sv)) return std::make_unique<XzBytes>(file);
  if (is_zstd(head)) return std::make_unique<ZstdBytes>(file);
  for (const std::string_view suffix : {".gz", ".xz", ".zst"}) {
    if (file.path().ends_with(suffix)) {
      file.fail("the name says " + std::string(suffix) + ", the content does not");
    }
  }
  return std::make_unique<PlainBytes>(file);
}

}  // namespace headroom::sim
