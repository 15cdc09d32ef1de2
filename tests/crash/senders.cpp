#include "crash/senders.hpp"

#include "headroom/io/kill_point.hpp"

namespace headroom::crash {

namespace {

constexpr std::size_t kMostInBurst = 60;
constexpr std::uint64_t kFarAhead = 8000;

std::string joined(const std::vector<std::string>& lines) {
  std::string bytes;
  for (const auto& line : lines) bytes += line + "\n";
  return bytes;
}

std::string some_writer_point(std::mt19937_64& random) {
  std::vector<std::string> points;
  for (const auto name : kill_point_names()) {
    if (name.starts_with("writer.")) points.emplace_back(name);
  }
  return points[random() % points.size()] + ":" + std::to_string(1 + random() % 20);
}

}  // namespace

Senders::Senders(const Site& site, World& world, std::uint64_t seed, std::size_t count)
    : site_(site), world_(world) {
  for (std::size_t at = 0; at < count; ++at) {
    threads_.emplace_back([this, seed, at] { run(std::mt19937_64(seed * 1000 + at)); });
  }
}

Senders::~Senders() {
  stop_ = true;
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Senders::finish() {
  stop_ = true;
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  if (failure_) std::rethrow_exception(failure_);
}

void Senders::run(std::mt19937_64 random) {
  std::vector<std::string> carried;
  try {
    while (!stop_ || !carried.empty()) live(random, carried);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

// One `headroom send` from its start to its end. `carried`: what must be sent (again).
void Senders::live(std::mt19937_64& random, std::vector<std::string>& carried) {
  auto command = site_.command("send", {"-"});
  command.pipe_in = true;
  command.err = site_.folder() / "send.log";
  // One in three is to die: at a place between two writes, or at any moment.
  const bool doomed = !stop_ && random() % 3 == 0;
  const bool at_point = doomed && random() % 2 == 0;
  if (at_point) command.environment.push_back("HEADROOM_KILL_AT=" + some_writer_point(random));
  Process process(command);
  bool reads = process.write_all(joined(carried));
  for (std::size_t bursts = 1 + random() % 40; reads && bursts > 0 && !stop_; --bursts) {
    wait_for_room(random);
    const auto lines = world_.some(1 + random() % kMostInBurst);
    carried.insert(carried.end(), lines.begin(), lines.end());
    sent_ += lines.size();
    reads = process.write_all(joined(lines));
  }
  if (doomed && !at_point) process.kill(SIGKILL);
  process.close_in();
  const int code = process.wait();
  if (code == 0) {
    carried.clear();
  } else {
    require(doomed && code == -SIGKILL,
            "send ended with " + std::to_string(code) + ": see " + command.err.string());
    ++kills_;
  }
}

void Senders::wait_for_room(std::mt19937_64& random) const {
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(2 + random() % 20));
  } while (!stop_ && sent_ > taken_ + kFarAhead);
}

}  // namespace headroom::crash
