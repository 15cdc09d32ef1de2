#include "simulator/text_source.hpp"

#include <unistd.h>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/compress.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

using namespace headroom;
using namespace headroom::sim;
using namespace headroom::test;

namespace {

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  TextSource source(path);
  std::vector<std::string> lines;
  while (const auto line = source.next()) lines.emplace_back(*line);
  CHECK(source.line_number() == lines.size());
  return lines;
}

std::string read_error(const std::filesystem::path& path) {
  return error_of([&] { read_lines(path); });
}

// Long and uneven enough that it takes many reads, and no chunk ends with a line.
std::vector<std::string> many_lines() {
  std::vector<std::string> lines;
  unsigned state = 1;
  for (int i = 0; i < 60'000; ++i) {
    state = state * 1664525U + 1013904223U;
    lines.push_back(std::to_string(state) + "\t" + std::string(state % 17, 'x'));
  }
  return lines;
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("lines end with LF, CRLF or the file, and empty ones are lines") {
  const TempDir dir;
  using Lines = std::vector<std::string>;
  CHECK(read_lines(dir.write("lf", "a\nb\n")) == Lines{"a", "b"});
  CHECK(read_lines(dir.write("crlf", "a\r\nb\r\n")) == Lines{"a", "b"});
  CHECK(read_lines(dir.write("open", "a\nb")) == Lines{"a", "b"});
  CHECK(read_lines(dir.write("gaps", "\na\n\n")) == Lines{"", "a", ""});
  CHECK(read_lines(dir.write("nothing", "")).empty());
  CHECK(read_lines(dir.write("cr_inside", "a\rb\n")) == Lines{"a\rb"});
}

TEST_CASE("a byte order mark is no part of the first line, and is text anywhere else") {
  const TempDir dir;
  CHECK(read_lines(dir.write("bom",
                             "\xef\xbb\xbf"
                             "a\n\xef\xbb\xbf"
                             "b\n")) == std::vector<std::string>{"a",
                                                                 "\xef\xbb\xbf"
                                                                 "b"});
}

TEST_CASE("peek shows the line that next gives") {
  const TempDir dir;
  TextSource source(dir.write("file", "a\nb\n"));
  CHECK(source.peek() == "a");
  CHECK(source.line_number() == 0);
  CHECK(source.next() == "a");
  CHECK(source.next() == "b");
  CHECK(source.line_number() == 2);
  CHECK_FALSE(source.peek());
  CHECK_FALSE(source.next());
  CHECK(source.line_number() == 2);
}

TEST_CASE("compressed files give the same lines, whatever they are called") {
  const TempDir dir;
  const auto lines = many_lines();
  const std::string text = join(lines);
  CHECK(read_lines(dir.write("plain.txt", text)) == lines);
  CHECK(read_lines(dir.write("a.gz", gzip(text))) == lines);
  CHECK(read_lines(dir.write("a.xz", xz(text))) == lines);
  CHECK(read_lines(dir.write("a.zst", zstd(text))) == lines);
  CHECK(read_lines(dir.write("misnamed.txt", xz(text))) == lines);
  CHECK(read_lines(dir.write("misnamed.gz", zstd(text))) == lines);
}

TEST_CASE("compressed files joined end to end are one text") {
  const TempDir dir;
  const std::vector<std::string> lines{"a", "bc", "d"};
  CHECK(read_lines(dir.write("a.gz", gzip("a\nb") + gzip("c\nd"))) == lines);
  CHECK(read_lines(dir.write("a.xz", xz("a\nb") + xz("c\nd"))) == lines);
  CHECK(read_lines(dir.write("a.zst", zstd("a\nb") + zstd("c\nd"))) == lines);
}

TEST_CASE("a compressed file that stops short is truncated, wherever it stops") {
  const TempDir dir;
  const auto check_cuts = [&](const std::string& name, const std::string& packed) {
    for (std::size_t size = 6; size < packed.size(); ++size) {
      const auto file = dir.write(name + ".txt", packed.substr(0, size));
      REQUIRE(read_error(file) == file.string() + ": truncated " + name + " stream");
    }
  };
  const std::string text = "1\t2\t3\n4\t5\t6\n";
  check_cuts("gzip", gzip(text));
  check_cuts("xz", xz(text));
  check_cuts("zstd", zstd(text));
}

TEST_CASE("a large compressed file that is cut in the middle is truncated") {
  const TempDir dir;
  const std::string text = join(many_lines());
  for (const auto& packed : {gzip(text), xz(text), zstd(text)}) {
    CHECK(contains(read_error(dir.write("half", packed.substr(0, packed.size() / 2))),
                   ": truncated "));
  }
}

TEST_CASE("a compressed file with a changed byte is corrupt") {
  const TempDir dir;
  const std::string text = join(many_lines());
  for (auto packed : {gzip(text), xz(text)}) {
    packed[packed.size() / 2] ^= 0x55;
    CHECK(contains(read_error(dir.write("bad", packed)), ": corrupt "));
  }
  // Without a checksum zstd sees only what breaks its structure, such as the block header here.
  std::string packed = zstd(text);
  packed[9] = '\xff';
  CHECK(contains(read_error(dir.write("bad", packed)), ": corrupt zstd stream"));
}

TEST_CASE("what follows a compressed stream must be one too") {
  const TempDir dir;
  CHECK(contains(read_error(dir.write("a.gz", gzip("a\n") + "junk")), ": corrupt gzip"));
  CHECK(contains(read_error(dir.write("a.xz", xz("a\n") + "junkjunkjunk")), ": corrupt xz"));
  CHECK(contains(read_error(dir.write("a.zst", zstd("a\n") + "junk")), ": corrupt zstd"));
}

TEST_CASE("a file called compressed that is not is no text") {
  const TempDir dir;
  for (const std::string suffix : {".gz", ".xz", ".zst"}) {
    const auto file = dir.write("a" + suffix, "1\t2\n");
    CHECK(read_error(file) ==
          file.string() + ": the name says " + suffix + ", the content does not");
  }
}

TEST_CASE("missing files and folders are errors that name them") {
  const TempDir dir;
  const auto missing = dir.path() / "missing";
  CHECK(read_error(missing) == missing.string() + ": No such file or directory");
  CHECK(read_error(dir.path()) == dir.path().string() + ": is a directory");
}

TEST_CASE("a file that may not be read is an error that names it") {
  if (geteuid() == 0) {
    WARN("skipped: root may read every file");
    return;
  }
  const TempDir dir;
  const auto file = dir.write("secret", "a\n");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  CHECK(read_error(file) == file.string() + ": Permission denied");
}

TEST_CASE("a line of 1 MiB is read, a longer one is an error with its number") {
  const TempDir dir;
  const std::string longest(TextSource::kMaxLine, 'x');
  CHECK(read_lines(dir.write("fits", "a\n" + longest + "\nb\n")).at(1) == longest);
  CHECK(read_lines(dir.write("fits_open", longest)).at(0) == longest);
  for (const std::string end : {"\nb\n", ""}) {
    const auto file = dir.write("long", "a\n" + longest + "x" + end);
    CHECK(read_error(file) == file.string() + ":2: the line is longer than 1 MiB");
  }
}

TEST_CASE("the hash is that of the bytes on disk") {
  const TempDir dir;
  TextSource plain(dir.write("abc", "abc"));
  CHECK(plain.next() == "abc");
  CHECK(plain.describe().sha256 ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");

  const std::string packed = xz("abc");
  TextSource compressed(dir.write("abc.xz", packed));
  TextSource as_bytes(dir.write("abc.bin", packed));
  CHECK(compressed.next() == "abc");
  const SourceFile unread = as_bytes.describe();
  CHECK(compressed.describe().sha256 == unread.sha256);
  CHECK(unread.path == (dir.path() / "abc.bin").string());
}
