#include "crash/senders.hpp"

#include "headroom/io/kill_point.hpp"

namespace headroom::crash {

namespace {

constexpr std::size_t kMostInBurst = 60;
constexpr std::uint64_t kFarAhead = 8000;

std::string some_writer_point(std::mt19937_64& random) {
  std::vector<std::string> points;
  for (const auto name : kill_point_names()) {
    if (name.starts_with("writer.")) points.emplace_back(name);
  }
  return points[random() % points.size()] + ":" + std::to_string(1 + random() % 20);
}

}  // namespace

std::string joined(const std::vector<std::string>& lines) {
  std::string bytes;
  for (const auto& line : lines) bytes += line + "\n";
  return bytes;
}

Senders::Senders(World& world, Life life, std::uint64_t seed, std::uint64_t most, std::size_t count)
    : world_(world), life_(std::move(life)), most_(most), at_work_(count) {
  for (std::size_t at = 0; at < count; ++at) {
    threads_.emplace_back([this, seed, at] { run(std::mt19937_64(seed * 1000 + at)); });
  }
}

Senders::~Senders() {
  stop_ = given_up_ = true;
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

bool Senders::done() {
  rethrow();
  return at_work_ == 0;
}

void Senders::finish() {
  stop_ = true;
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  rethrow();
}

void Senders::rethrow() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void Senders::run(std::mt19937_64 random) {
  std::vector<std::string> carried;
  try {
    while (!given_up_ && (!stops() || !carried.empty())) life_(*this, random, carried);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  --at_work_;
}

std::vector<std::string> Senders::more(std::mt19937_64& random) {
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + random() % 20));
    if (stops()) return {};
  } while (sent_ > taken_ + kFarAhead);
  auto lines = world_.some(1 + random() % kMostInBurst);
  sent_ += lines.size();
  return lines;
}

// One in three is to die: at a place between two writes, or at any moment.
Senders::Life sending_to(const Site& site) {
  return [&site](Senders& senders, std::mt19937_64& random, std::vector<std::string>& carried) {
    auto command = site.command("send", {"-"});
    command.pipe_in = true;
    command.err = site.folder() / "send.log";
    const bool doomed = !senders.stops() && random() % 3 == 0;
    const bool at_point = doomed && random() % 2 == 0;
    if (at_point) command.environment.push_back("HEADROOM_KILL_AT=" + some_writer_point(random));
    Process process(command);
    bool reads = process.write_all(joined(carried));
    for (std::size_t bursts = 1 + random() % 40; reads && bursts > 0; --bursts) {
      const auto lines = senders.more(random);
      if (lines.empty()) break;
      carried.insert(carried.end(), lines.begin(), lines.end());
      reads = process.write_all(joined(lines));
    }
    if (doomed && !at_point) process.kill(SIGKILL);
    process.close_in();
    const int code = process.wait();
    if (code == 0) return carried.clear();
    require(doomed && code == -SIGKILL,
            "send ended with " + std::to_string(code) + ": see " + command.err.string());
    senders.killed();
  };
}

}  // namespace headroom::crash
