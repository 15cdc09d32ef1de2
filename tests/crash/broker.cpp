#include "crash/broker.hpp"

#include "crash/checks.hpp"
#include "crash/scenarios.hpp"
#include "crash/site.hpp"

namespace headroom::crash {

namespace {

constexpr std::chrono::seconds kPatience{300};  // what it does not have yet is fetched first

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// From begin to the next tab, which it takes.
std::string field(const std::string& line, std::size_t& begin) {
  const auto end = line.find('\t', begin);
  require(end != std::string::npos, "kcat printed: " + line.substr(0, 200));
  auto text = line.substr(begin, end - begin);
  begin = end + 1;
  return text;
}

}  // namespace

Broker::Broker(const std::filesystem::path& folder, const std::string& version)
    : folder_(folder), broker_(folder / "broker") {
  std::filesystem::create_directories(folder_);
  // Whatever happens to us: its input ends with us, and it is in a session of its own.
  Command guard;
  guard.words = {"/usr/bin/env",
                 "setsid",
                 "--fork",
                 "bash",
                 "-c",
                 R"(cat >/dev/null; exec "$0" down --folder "$1" >/dev/null 2>&1)",
                 script("down").words[0],
                 broker_.string()};
  guard.pipe_in = true;
  guard_ = Process(guard);
  const auto ended =
      finish(script("up", {"--port", "0", "--version", version}), folder_, kPatience);
  if (ended.code == 2) throw Skipped(last_line(ended.err));
  require(ended.code == 0, "scripts/kafka up: " + last_line(ended.err));
  address_ = last_line(ended.out);
}

Broker::~Broker() {
  std::error_code ignored;
  std::filesystem::copy_file(broker_ / "broker.log", folder_ / "broker.log",
                             std::filesystem::copy_options::overwrite_existing, ignored);
  try {
    finish(script("down"), folder_, kPatience);
  } catch (const std::exception&) {
    // The guard tries again.
  }
}

void Broker::kill() {
  ++changes_;
  const auto ended = finish(script("kill"), folder_);
  require(ended.code == 0, "scripts/kafka kill: " + last_line(ended.err));
}

void Broker::up() {
  const auto ended = finish(script("up"), folder_, kPatience);
  require(ended.code == 0, "scripts/kafka up: " + last_line(ended.err));
  require(last_line(ended.out) == address_, "the broker came back at " + last_line(ended.out));
  ++changes_;
}

Command Broker::script(const std::string& command, const std::vector<std::string>& more) const {
  Command all;
  all.words = {HEADROOM_SOURCE_DIR "/scripts/kafka", command, "--folder", broker_.string()};
  all.words.insert(all.words.end(), more.begin(), more.end());
  return all;
}

Command kcat(const Broker& broker, const std::vector<std::string>& words) {
  Command command;
  command.words = {"/usr/bin/env", "kcat", "-b", broker.address()};
  command.words.insert(command.words.end(), words.begin(), words.end());
  return command;
}

std::vector<Kept> read_topic(const Broker& broker, const std::string& topic,
                             const std::filesystem::path& folder, const std::string& isolation) {
  std::filesystem::create_directories(folder);
  const auto ended =
      finish(kcat(broker, {"-C", "-q", "-e", "-o", "beginning", "-t", topic, "-X",
                           "isolation.level=" + isolation, "-f", R"(%p\t%o\t%S\t%k\t%s\n)"}),
             folder);
  require(ended.code == 0, "kcat ended with " + std::to_string(ended.code) + " reading " + topic +
                               ": " + last_line(ended.err));
  std::vector<Kept> all;
  for (const auto& line : lines_of(ended.out)) {
    std::size_t at = 0;
    Kept& kept = all.emplace_back();
    kept.partition = static_cast<unsigned>(std::stoul(field(line, at)));
    kept.offset = std::stoull(field(line, at));
    kept.has_value = field(line, at) != "-1";
    kept.key = field(line, at);
    if (kept.has_value) kept.value = line.substr(at);
  }
  return all;
}

}  // namespace headroom::crash
