#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "crash/checks.hpp"
#include "crash/scenarios.hpp"
#include "headroom/io/file.hpp"

namespace headroom::crash {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A folder and a world that has sent and been served a little.
struct Small {
  Site site;
  World world;
  std::vector<std::string> sent;

  Small(const Wanted& wanted, const std::string& name, World::Time time = World::Time::kEvent)
      : site(wanted.binary, wanted.folder / name, time), world(wanted.seed, time) {
    std::printf("  %s\n", name.c_str());
    // So that a refusal is all there is on standard error.
    site.set("status.log_level=warn");
  }

  void send(std::size_t count) {
    const auto lines = world.some(count);
    site.send(lines);
    sent.insert(sent.end(), lines.begin(), lines.end());
  }
  Figures check() const { return crash::check(site, world, sent); }

  // Waits until everything was taken; `serve` must live.
  void wait_taken(Process& serve) const {
    const auto deadline = Clock::now() + seconds(60);
    // The status is as old as its last rewrite: two in a row without lag.
    for (int idle = 0; idle < 2;) {
      require(!serve.ended(), "serve ended: " + site.last_words());
      require(Clock::now() < deadline, "serve does not take what there is");
      const auto status = site.status();
      idle = status && status->at("ready") && status->at("lag_bytes") == 0 ? idle + 1 : 0;
      std::this_thread::sleep_for(milliseconds(150));
    }
  }

  // Serves without a checkpoint until all is taken, then is killed.
  void serve_and_kill() const {
    auto serve = site.serve("", {"--set", "store.checkpoint_milliseconds=3600000"});
    require(site.wait_ready(serve), "serve ended: " + site.last_words());
    wait_taken(serve);
    serve.kill(SIGKILL);
    serve.wait();
  }

  // Refused with exit code 2 and one line that has the words.
  void refused(const std::string& words, const std::vector<std::string>& extra = {}) const {
    const auto ended = site.run("serve", extra);
    const bool one_line = !ended.err.empty() && ended.err.find('\n') == ended.err.size() - 1;
    require(ended.code == 2, "exit code " + std::to_string(ended.code) + ", not 2: " + ended.err);
    require(one_line && ended.err.starts_with("headroom: "), "not one line: " + ended.err);
    require(ended.err.find(words) != std::string::npos, "no '" + words + "' in: " + ended.err);
  }

  // Something is done to a copy of the folder, that is then refused.
  template <class Do>
  void refused_after(const std::string& words, Do&& change) {
    const auto kept = site.folder() / "kept";
    fs::copy(site.data(), kept, fs::copy_options::recursive);
    change();
    refused(words);
    fs::remove_all(site.data());
    fs::rename(kept, site.data());
  }
};

fs::path last_segment(const fs::path& partition) {
  fs::path last;
  for (const auto& entry : fs::directory_iterator(partition)) {
    if (entry.path().extension() == ".log" && fs::file_size(entry.path()) > 0) {
      last = std::max(last, entry.path());
    }
  }
  return last;
}

fs::path next_to_last_segment(const fs::path& partition) {
  fs::path before, last = last_segment(partition);
  for (const auto& entry : fs::directory_iterator(partition)) {
    if (entry.path().extension() == ".log" && entry.path() < last) {
      before = std::max(before, entry.path());
    }
  }
  return before;
}

// Takes whole lines and half a line from the end. A segment is only begun when all of the one
// before is on disk, so one that is emptied was not there yet.
void tear(const fs::path& partition, std::size_t lines) {
  for (; lines > 0; --lines) {
    const auto file = last_segment(partition);
    for (const auto& entry : fs::directory_iterator(partition)) {
      if (entry.path().extension() == ".log" && entry.path() > file) fs::remove(entry.path());
    }
    const auto bytes = bytes_of(file);
    const auto begin = bytes.rfind('\n', bytes.size() - 2) + 1;  // npos + 1 is 0
    fs::resize_file(file, lines > 1 ? begin : begin + (bytes.size() - begin) / 2);
  }
}

void append(const fs::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}

void served_before_anything_was_sent(const Wanted& wanted) {
  Small small(wanted, "a new folder");
  small.site.serve_to_end();
  small.send(300);
  small.site.serve_to_end();
  small.check();
}

void two_at_once(const Wanted& wanted) {
  Small small(wanted, "two at once", World::Time::kWall);
  small.send(500);
  auto serve = small.site.serve("", {"--set", "status.milliseconds=3600000"});
  require(small.site.wait_ready(serve), "serve ended: " + small.site.last_words());
  small.refused("in use by another process");
  const auto status = small.site.status();
  require(status && status->at("ready"), "the one refused has spoilt the other's status.json");
  small.send(500);
  small.site.stop(serve);
  small.site.serve_to_end();
  small.check();
}

void other_configurations(const Wanted& wanted) {
  Small small(wanted, "other configurations");
  small.send(500);
  small.site.serve_to_end();
  for (const std::string other :
       {"seed=2", "clock=wall", "learner.method=pmf", "learner.rank=9", "learner.level_of_detail=9",
        "limits.seen_ids=300", "log.partitions=4"}) {
    const auto key = other.starts_with("log.") ? "partitions" : other.substr(0, other.find('='));
    small.refused(key, {"--set", other});
  }
  small.send(500);
  small.serve_and_kill();
  small.refused("seats.window_minutes", {"--set", "seats.window_minutes=2"});
  small.site.serve_to_end();
  small.check();
}

void logs_that_were_cut(const Wanted& wanted) {
  Small small(wanted, "logs that were cut");
  for (int times = 0; times < 5; ++times) small.send(300);  // several segments
  small.site.serve_to_end();
  const auto events = small.site.topic("events", 1);
  small.refused_after("was cut or replaced", [&] { tear(events, 1); });
  small.refused_after("was cut or replaced", [&] { fs::remove(last_segment(events)); });
  small.refused_after("the log is empty", [&] {
    for (const auto& entry : fs::directory_iterator(events)) fs::remove(entry.path());
  });
  small.refused_after("another log", [&] {
    fs::remove_all(small.site.data() / "log");
    for (int more = 0; more < 3; ++more) small.site.send(small.world.all_lines());
  });
  small.refused_after("is new, but", [&] { fs::remove_all(small.site.data() / "store"); });
  // What is still to be repeated.
  for (int times = 0; times < 5; ++times) small.send(300);
  small.serve_and_kill();
  small.refused_after("was cut or replaced", [&] { tear(events, 3); });
  small.refused_after("was cut or replaced", [&] { fs::remove(last_segment(events)); });
  small.refused_after("was cut or replaced", [&] { fs::remove(next_to_last_segment(events)); });
  small.site.serve_to_end();
  small.check();
}

void torn_input(const Wanted& wanted) {
  Small small(wanted, "torn lines in the log", World::Time::kWall);
  small.send(500);
  small.site.serve_to_end();
  const auto half = [&] {
    const auto line = small.world.some(1).front();  // never whole in the log
    append(last_segment(small.site.topic("events", 1)), line.substr(0, line.size() / 2));
    append(last_segment(small.site.topic("items")), line.substr(0, line.size() / 2));
  };
  half();
  small.site.serve_to_end();
  small.send(500);
  auto serve = small.site.serve();
  require(small.site.wait_ready(serve), "serve ended: " + small.site.last_words());
  small.wait_taken(serve);
  half();
  std::this_thread::sleep_for(milliseconds(100));
  small.send(500);
  small.wait_taken(serve);
  half();
  serve.kill(SIGKILL);
  serve.wait();
  small.send(500);
  small.site.serve_to_end();
  small.check();
}

// As when the machine lost what was not yet on disk: whatever is missing of the batches after the
// checkpoint is written again. What the checkpoint had as delivered can't be.
void torn_output(const Wanted& wanted) {
  Small small(wanted, "torn lines in the output");
  const auto lists = small.site.topic("recommendations"),
             letters = small.site.topic("dead-letters");
  small.send(500);
  small.site.serve_to_end();
  for (const std::size_t lines : {1, 2, 50}) {
    small.send(500);
    small.serve_and_kill();
    tear(lists, lines);
    tear(letters, (lines + 1) / 2);
    small.site.serve_to_end();
    small.check();
  }
  small.refused_after("are missing", [&] { tear(lists, 1); });
  small.refused_after("are missing", [&] { tear(letters, 2); });
  small.refused_after("changed by hand", [&] {
    const auto file = next_to_last_segment(lists);
    fs::resize_file(file, fs::file_size(file) - 1);
  });
  small.site.serve_to_end();
  small.check();
}

// Whoever puts an older copy of the store back would make the same ids for other lists.
void older_store(const Wanted& wanted) {
  Small small(wanted, "an older store put back");
  small.send(500);
  small.site.serve_to_end();
  const auto older = small.site.folder() / "older";
  fs::copy(small.site.data() / "store", older, fs::copy_options::recursive);
  small.send(500);
  small.site.serve_to_end();
  small.refused_after("ends at batch", [&] {
    fs::remove_all(small.site.data() / "store");
    fs::copy(older, small.site.data() / "store", fs::copy_options::recursive);
  });
  small.check();
}

void stop_while_recovering(const Wanted& wanted) {
  Small small(wanted, "SIGTERM while batches are repeated");
  small.site.set("batch.records=1");
  small.send(3000);
  small.serve_and_kill();
  for (int times = 0; times < 3; ++times) {
    auto serve = small.site.serve("", {"--set", "store.checkpoint_milliseconds=3600000"});
    while (!serve.ended() && !small.site.status()) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(20));
    small.site.stop(serve);
  }
  small.site.serve_to_end();
  small.check();
}

// A process that was stopped (SIGSTOP) in the middle of an append holds the partition's lock.
void sender_that_stands_still(const Wanted& wanted) {
  Small small(wanted, "a sender that stands still with the lock");
  small.send(1000);
  const auto partition = small.site.topic("events", 0);
  {
    const File file(partition / "lock", O_RDWR);
    const FileLock lock(file, FileLock::Kind::kExclusive);
    auto serve = small.site.serve();
    require(small.site.wait_ready(serve), "serve ended: " + small.site.last_words());
    std::size_t held = 0;
    for (const auto& entry : fs::directory_iterator(partition)) {
      if (entry.path().extension() == ".log") held += fs::file_size(entry.path());
    }
    const auto deadline = Clock::now() + seconds(60);
    for (auto status = small.site.status(); !status || status->at("lag_bytes") != held;
         status = small.site.status()) {
      require(Clock::now() < deadline, "the other partitions do not go on");
      std::this_thread::sleep_for(milliseconds(10));
    }
    small.site.stop(serve);

    // Another sender waits for it, and ends when told to.
    const auto items = small.site.topic("items");
    const auto before = stream_of(items).size();
    auto command = small.site.command("send", {"-"});
    command.pipe_in = true;
    command.out = small.site.folder() / "stopped.txt";
    Process sender(command);
    for (const auto& line : small.world.some(500)) sender.write_all(line + "\n");
    while (stream_of(items).size() == before) {
      require(!sender.ended(), "send ended");
      std::this_thread::sleep_for(milliseconds(1));
    }
    sender.kill(SIGTERM);
    const auto code = sender.wait_for(seconds(10));
    require(code == 2, "send does not end within 10 s of SIGTERM");
    require(bytes_of(command.out).find("are on disk in") != std::string::npos,
            "send does not say what is on disk");
  }
  small.site.serve_to_end();
  small.check();
}

// The ids of the whole lines.
std::map<std::string, int> ids_in(const std::string& bytes) {
  std::map<std::string, int> ids;
  for (const auto& line : lines_of(bytes.substr(0, bytes.rfind('\n') + 1))) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object()) ++ids[json.at("recommendation")];
  }
  return ids;
}

void reader_that_stands_still(const Wanted& wanted) {
  Small small(wanted, "an output that nobody reads");
  const auto pipe = small.site.folder() / "pipe";
  require(mkfifo(pipe.c_str(), 0600) == 0, "cannot make a pipe");
  const int fd = open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  std::string taken;
  const auto read_some = [&] {
    std::vector<char> chunk(1 << 16);
    const auto got = read(fd, chunk.data(), chunk.size());
    if (got > 0) taken.append(chunk.data(), static_cast<std::size_t>(got));
    return got > 0;
  };
  small.send(5000);
  auto command = small.site.command("serve", {"--set", "sink.kind=stdout"});
  command.out = pipe;
  command.err = small.site.serve_log();
  {
    Process serve(command);
    pollfd full{fd, POLLOUT, 0};
    while (poll(&full, 1, 0) > 0) {
      require(!serve.ended(), "serve ended: " + small.site.last_words());
      std::this_thread::sleep_for(milliseconds(1));
    }
    small.site.stop(serve);
    while (read_some()) {
    }
    taken.resize(taken.rfind('\n') + 1);  // what was torn comes again
  }
  command.words.push_back("--until-end");
  Process serve(command);
  while (!serve.ended() || read_some()) read_some();
  close(fd);
  require(serve.wait() == 0, "serve ended: " + small.site.last_words());
  const auto lists = small.site.status()->at("lists_total").get<std::size_t>();
  require(ids_in(taken).size() == lists, "lists are missing on standard output");
}

void output_file_that_was_changed(const Wanted& wanted) {
  Small small(wanted, "an output file that another changed", World::Time::kWall);
  const auto file = small.site.folder() / "lists.jsonl", kept = small.site.folder() / "kept.jsonl";
  small.site.set("sink.kind=file");
  small.site.set("sink.file=" + file.string());
  for (int times = 0; times < 3; ++times) {
    auto serve = small.site.serve();
    require(small.site.wait_ready(serve), "serve ended: " + small.site.last_words());
    small.send(500);
    small.wait_taken(serve);
    fs::copy_file(file, kept, fs::copy_options::overwrite_existing);
    if (times == 0) fs::remove(file);
    if (times == 1) fs::resize_file(file, 0);
    if (times == 2) fs::resize_file(file, fs::file_size(file) / 2);
    small.send(500);
    const auto code = serve.wait_for(seconds(30));
    require(code == 2, "serve goes on with an output that is gone");
    require(small.site.last_words().find(file.string()) != std::string::npos,
            "the line does not name the file: " + small.site.last_words());
    fs::rename(kept, file);
  }
  small.site.serve_to_end();
  const auto ids = ids_in(bytes_of(file));
  const auto lists = small.site.status()->at("lists_total").get<std::size_t>();
  require(ids.size() == lists && lines_of(bytes_of(file)).size() == lists,
          "lists are missing in the file, or there twice");
}

// A file system of our own that can be filled, seen by us and our children alone.
class SmallDisk {
 public:
  SmallDisk(fs::path at, const std::string& size) : at_(std::move(at)) {
    fs::create_directories(at_);
    const auto user = std::to_string(getuid()), group = std::to_string(getgid());
    if (unshare(CLONE_NEWNS) != 0) {
      if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return;
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
      std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
    }
    mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    mounted_ = mount("tmpfs", at_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  bool is_there() const { return mounted_; }

  // A step at a time, since others write as well.
  void fill_up_to(std::size_t left) const {
    constexpr off_t kStep = 4096;
    const int fd = open((at_ / "filling").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    require(fd >= 0, "cannot fill the small disk");
    off_t size = lseek(fd, 0, SEEK_END);
    for (bool more = true; more && fs::space(at_).available > left + kStep;) {
      const auto room = static_cast<off_t>(fs::space(at_).available - left);
      const off_t step = room > 100 * kStep ? room / 2 : kStep;
      more = posix_fallocate(fd, size, step) == 0;
      size += step;
    }
    close(fd);
  }
  void make_room() const { fs::remove(at_ / "filling"); }

 private:
  fs::path at_;
  bool mounted_ = false;
};

// It must stop by itself, with one clear line.
void ends_for_want_of_room(Process& serve, const Site& site) {
  const auto code = serve.wait_for(seconds(30));
  require(code.has_value(), "serve hangs on a full disk");
  require(*code == 2,
          "serve ended with " + std::to_string(*code) + " on a full disk: " + site.last_words());
  const auto words = site.last_words();
  require(words.starts_with("headroom: "), "not one clear line: " + words);
  const bool clear = words.find("No space left") != std::string::npos ||
                     words.find("File too large") != std::string::npos;
  require(clear, "the line does not say why: " + words);
  std::printf("    %s\n", words.c_str());
}

// Sends where there may be no room: true if all of it got in. It is sent again later.
bool try_to_send(Small& small, std::size_t count) {
  const auto lines = small.world.some(count);
  small.sent.insert(small.sent.end(), lines.begin(), lines.end());
  auto command = small.site.command("send", {"-"});
  command.pipe_in = true;
  Process sender(command);
  for (const auto& line : lines) sender.write_all(line + "\n");
  sender.close_in();
  const int code = sender.wait();
  require(code == 0 || code == 2, "send ended with " + std::to_string(code));
  return code == 0;
}

// The disk is filled while it runs. True if that ended it: all that it writes may just fit.
bool filled_while_running(Small& small, const SmallDisk& disk, std::size_t left) {
  auto serve = small.site.serve();
  require(small.site.wait_ready(serve), "serve ended: " + small.site.last_words());
  disk.fill_up_to(left + 400'000);  // serve itself may take this from the sender
  try_to_send(small, 400);
  disk.fill_up_to(left);
  for (int more = 0; more < 100 && !serve.ended() && try_to_send(small, 20); ++more) {
  }
  if (!serve.wait_for(seconds(5))) {
    disk.make_room();
    serve.kill(SIGTERM);
    if (serve.wait_for(seconds(10)) == 0) return false;
  }
  ends_for_want_of_room(serve, small.site);
  return true;
}

// The disk is full when it starts.
bool filled_before_start(Small& small, const SmallDisk& disk, std::size_t left) {
  small.send(400);
  disk.fill_up_to(left);
  auto serve = small.site.serve("", {"--until-end"});
  if (serve.wait_for(seconds(30)) == 0) return false;
  ends_for_want_of_room(serve, small.site);
  return true;
}

void full_disk(const Wanted& wanted) {
  const SmallDisk disk(wanted.folder / "small disk", "200m");
  if (!disk.is_there()) {
    std::printf("  a full disk: SKIPPED, a small file system can't be mounted here\n");
    return;
  }
  Small small(wanted, "a full disk", World::Time::kWall);
  small.site.put_data_at(wanted.folder / "small disk" / "data");
  small.send(500);
  small.site.serve_to_end();
  std::mt19937_64 random(wanted.seed);
  int running = 0, starting = 0;
  for (int times = 0; times < 12; ++times) {
    const std::size_t left = times % 3 == 0 ? 0 : random() % 300'000;
    if (times % 2 == 0) {
      running += filled_while_running(small, disk, left) ? 1 : 0;
    } else {
      starting += filled_before_start(small, disk, left) ? 1 : 0;
    }
    disk.make_room();
    if (times % 3 != 1) small.site.serve_to_end();
  }
  std::printf("    stopped %d times while running, %d times at a start\n", running, starting);
  require(running + starting > 0, "the disk was never full enough");
  small.site.send(small.sent);  // what did not get in
  small.site.serve_to_end();
  small.check();
}

void too_large_a_file(const Wanted& wanted) {
  Small small(wanted, "files that may not grow");
  small.site.set("log.segment_bytes=67108864");
  small.send(500);
  small.site.serve_to_end();
  for (const std::size_t most : {100'000, 150'000, 300'000}) {
    small.send(1500);
    auto command = small.site.command("serve", {"--until-end"});
    command.err = small.site.serve_log();
    command.largest_file = most;
    Process serve(command);
    ends_for_want_of_room(serve, small.site);
  }
  small.site.serve_to_end();
  small.check();
}

}  // namespace

void look_at_edges(const Wanted& wanted) {
  std::printf("edges\n");
  std::string failures;
  for (const auto edge :
       {served_before_anything_was_sent, two_at_once, other_configurations, logs_that_were_cut,
        torn_input, torn_output, older_store, stop_while_recovering, sender_that_stands_still,
        reader_that_stands_still, output_file_that_was_changed, too_large_a_file, full_disk}) {
    try {
      edge(wanted);
    } catch (const Failure& failure) {
      std::printf("    %s\n", failure.what());
      failures += std::string(failures.empty() ? "" : "\n") + failure.what();
    }
  }
  require(failures.empty(), failures);
}

}  // namespace headroom::crash
