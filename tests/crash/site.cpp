#include "crash/site.hpp"

#include <fstream>
#include <sstream>

namespace headroom::crash {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

Ended finish(Command command, const std::filesystem::path& folder, seconds most) {
  command.out = folder / "out.txt";
  command.err = folder / "err.txt";
  std::filesystem::remove(command.out);
  std::filesystem::remove(command.err);
  Process process(command);
  const auto code = process.wait_for(most);
  require(code.has_value(), command.words[0] + " " + command.words[1] + " hangs");
  return {*code, bytes_of(command.out), bytes_of(command.err)};
}

// Everything small and often, so that much can be interrupted.
Site::Site(std::filesystem::path binary, std::filesystem::path folder, World::Time time)
    : binary_(std::move(binary)), folder_(std::move(folder)), data_(folder_ / "data"), time_(time) {
  std::filesystem::create_directories(folder_);
  settings_ = {time == World::Time::kWall ? "clock=wall" : "clock=event",
               "log.partitions=" + std::to_string(kPartitions),
               "log.segment_bytes=16384",
               "batch.records=300",
               "batch.milliseconds=50",
               "batch.ask_milliseconds=5",
               "store.checkpoint_milliseconds=100",
               "status.milliseconds=100",
               "learner.method=geobpr",
               "learner.rank=8",
               "limits.users=110",
               "limits.items=40",
               "seats.window_minutes=1",
               "seats.way_minutes=1",
               "seats.memory_minutes=1",
               "seats.dwell_minutes=1"};
}

std::filesystem::path Site::topic(const std::string& name, unsigned partition) const {
  return data() / "log" / ("headroom." + name) / std::to_string(partition);
}

Command Site::command(const std::string& name, const std::vector<std::string>& extra) const {
  Command command;
  command.words = {binary_.string()};
  std::istringstream parts(name);  // "state inspect"
  for (std::string part; parts >> part;) command.words.push_back(part);
  command.words.insert(command.words.end(), {"--folder", data().string()});
  for (const auto& setting : settings_) {
    command.words.insert(command.words.end(), {"--set", setting});
  }
  if (!kafka_.empty()) command.words.insert(command.words.end(), {"--kafka", kafka_});
  command.words.insert(command.words.end(), extra.begin(), extra.end());
  return command;
}

Ended Site::run(const std::string& name, const std::vector<std::string>& extra) const {
  return finish(command(name, extra));
}

void Site::send(const std::vector<std::string>& lines) const {
  const auto file = folder_ / "lines.jsonl";
  std::ofstream out(file, std::ios::binary);
  for (const auto& line : lines) out << line << '\n';
  out.close();
  const auto sent = run("send", {file.string()});
  require(sent.code == 0, "send ended with " + std::to_string(sent.code) + ": " + sent.err);
}

Process Site::serve(const std::string& kill_at, const std::vector<std::string>& extra) const {
  std::error_code ignored;
  std::filesystem::remove(data() / "status.json", ignored);
  auto start = command("serve", extra);
  start.err = serve_log();
  if (!kill_at.empty()) start.environment.push_back("HEADROOM_KILL_AT=" + kill_at);
  return Process(start);
}

void Site::serve_to_end() const {
  auto process = serve("", {"--until-end"});
  const auto code = process.wait_for(seconds(600));
  require(code.has_value(), "serve --until-end hangs");
  require(*code == 0,
          "serve --until-end ended with " + std::to_string(*code) + ": " + last_words());
}

std::optional<nlohmann::json> Site::status() const {
  const auto text = bytes_of(data() / "status.json");
  if (text.empty()) return std::nullopt;
  return nlohmann::json::parse(text);  // it is there whole at every moment
}

bool Site::wait_ready(Process& serve) const {
  const auto deadline = Clock::now() + seconds(60);
  while (Clock::now() < deadline) {
    const auto now = status();
    if (now && now->at("ready")) return true;
    if (serve.ended()) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  throw Failure("serve is not ready after a minute");
}

void Site::stop(Process& serve) const {
  serve.kill(SIGTERM);
  const auto code = serve.wait_for(seconds(10));
  require(code.has_value(), "serve does not end within 10 s of SIGTERM");
  require(*code == 0,
          "serve ended with " + std::to_string(*code) + " after SIGTERM: " + last_words());
}

std::string Site::last_words() const {
  auto text = bytes_of(serve_log());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace headroom::crash
