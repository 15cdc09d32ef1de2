#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "crash/broker.hpp"
#include "crash/killing.hpp"
#include "crash/scenarios.hpp"
#include "headroom/base/list.hpp"
#include "headroom/io/kill_point.hpp"

namespace headroom::crash {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kEvents = "headroom.events";
constexpr const char* kItems = "headroom.items";
constexpr const char* kLists = "headroom.recommendations";
constexpr const char* kLetters = "headroom.dead-letters";
constexpr char kDelimiter = '\t';

// What kcat is given, by topic.
struct Given {
  std::string events, items;
};

// Good records by user and by item. Bad ones with a key and without; the topic of items, which is
// compacted and read first, gets only such as have neither time nor key of their own.
void add(const World& world, const std::string& line, Given& given) {
  if (!world.find(line)->good) {
    const auto with_key = [&](const char* key) { return std::string(key) + kDelimiter + line; };
    if (line.front() != '{') {
      given.items += with_key("p1") + "\n";
    } else {
      given.events += (line.size() % 2 == 0 ? with_key("u1") : line) + "\n";
    }
    return;
  }
  const auto json = nlohmann::json::parse(line);
  const bool is_item = json.at("event") == "item";
  auto& to = is_item ? given.items : given.events;
  to += json.at(is_item ? "item" : "user").get<std::string>() + kDelimiter + line + "\n";
}

Given given(const World& world, const std::vector<std::string>& lines) {
  Given all;
  for (const auto& line : lines) add(world, line, all);
  return all;
}

// Two kcats, one for each topic; one pair in four is killed. Where the broker was killed meanwhile
// they may end as they like.
Senders::Life producing_to(const Broker& broker, const World& world,
                           const std::filesystem::path& folder) {
  return [&broker, &world, folder](Senders& senders, std::mt19937_64& random,
                                   std::vector<std::string>& carried) {
    const int before = broker.changes();
    const auto produce = [&](const char* topic, const std::vector<std::string>& more) {
      auto command = kcat(
          broker, {"-P", "-t", topic, "-K", std::string(1, kDelimiter), "-X",
                   "topic.partitioner=murmur2_random", "-X", "topic.message.timeout.ms=60000"});
      command.words.insert(command.words.end(), more.begin(), more.end());
      command.pipe_in = true;
      command.err = folder / "kcat.log";
      return Process(command);
    };
    auto events = produce(kEvents, {}), items = produce(kItems, {"-Z"});
    const auto write = [&](const std::vector<std::string>& lines) {
      const auto all = given(world, lines);
      return events.write_all(all.events) && items.write_all(all.items);
    };
    const bool doomed = !senders.stops() && random() % 4 == 0;
    bool reads = write(carried);
    for (std::size_t bursts = 1 + random() % 40; reads && bursts > 0; --bursts) {
      const auto lines = senders.more(random);
      if (lines.empty()) break;
      carried.insert(carried.end(), lines.begin(), lines.end());
      reads = write(lines);
      // A record without a value: this item is no more. Lost with a kill, and nobody minds.
      if (random() % 8 == 0) {
        reads =
            reads &&
            items.write_all(
                std::string("p").append(std::to_string(random() % 30)).append({kDelimiter, '\n'}));
      }
    }
    for (Process* const one : {&events, &items}) {
      if (doomed && random() % 4 != 0) one->kill(SIGKILL);
      one->close_in();
    }
    const int codes[] = {events.wait(), items.wait()};
    if (codes[0] == 0 && codes[1] == 0) return carried.clear();
    for (const int code : codes) {
      const bool may_be = code == 0 || (doomed && code == -SIGKILL) || broker.changes() != before ||
                          !broker.is_up();
      require(may_be, "kcat ended with " + std::to_string(code) + ": see kcat.log");
    }
    if (doomed) senders.killed();
    // As long as there is no broker there is nothing to do.
    std::this_thread::sleep_for(milliseconds(broker.is_up() ? 1 : 100));
  };
}

// `headroom tail`, from the beginning to the end of all: it must see everything once too.
class Tail {
 public:
  explicit Tail(const Site& site)
      : file_(site.folder() / "tail.txt"), err_(site.folder() / "tail.log") {
    auto command = site.command("tail", {"--lists", "--from-beginning"});
    command.out = file_;
    command.err = err_;
    process_ = Process(command);
  }

  std::vector<std::string> more() {
    require(!process_.ended(), "tail ended by itself: see tail.log");
    std::ifstream in(file_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(read_));
    std::string fresh((std::istreambuf_iterator<char>(in)), {});
    fresh.resize(fresh.rfind('\n') + 1);  // none: npos + 1 is 0
    read_ += fresh.size();
    return lines_of(fresh);
  }

  // All that it printed, when that is so much.
  std::vector<std::string> all(std::size_t lines) {
    const auto deadline = Clock::now() + seconds(60);
    while (true) {
      auto seen = lines_of(bytes_of(file_));
      if (seen.size() >= lines) return seen;
      require(Clock::now() < deadline, "tail has seen " + std::to_string(seen.size()) + " of " +
                                           std::to_string(lines) + " lists");
      require(!process_.ended(), "tail ended by itself: see tail.log");
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

 private:
  std::filesystem::path file_, err_;
  Process process_;
  std::size_t read_ = 0;
};

OutputId id_of(const std::string& line, const char* id_field) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  require(!json.is_discarded(), "a torn line: " + line.substr(0, 200));
  const std::string text = json.at(id_field);
  const auto id = parse_output_id(text.front(), text);
  require(id.has_value(), "no id: " + text);
  return *id;
}

// In the order of the ids. Those of two lines may be the same, which is for others to find.
std::string in_order(const std::vector<std::string>& lines, const char* id_field) {
  std::vector<std::pair<OutputId, const std::string*>> sorted;
  for (const auto& line : lines) sorted.emplace_back(id_of(line, id_field), &line);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.batch, a.first.k, *a.second) <
           std::tie(b.first.batch, b.first.k, *b.second);
  });
  std::string bytes;
  for (const auto& [id, line] : sorted) bytes += *line + "\n";
  return bytes;
}

// What comes out of a topic must come in order in each partition, and a key in one partition only.
std::vector<std::string> read_output(const Broker& broker, const char* topic, const char* id_field,
                                     const std::filesystem::path& folder) {
  std::vector<std::string> lines;
  std::map<unsigned, OutputId> last;
  std::unordered_map<std::string, unsigned> homes;
  for (auto& kept : read_topic(broker, topic, folder / topic)) {
    const auto id = id_of(kept.value, id_field);
    if (const auto before = last.find(kept.partition); before != last.end()) {
      require(std::tie(before->second.batch, before->second.k) < std::tie(id.batch, id.k),
              std::string(topic) + "/" + std::to_string(kept.partition) +
                  ": out of order: " + kept.value.substr(0, 200));
    }
    last[kept.partition] = id;
    if (!kept.key.empty()) {
      const auto [home, is_new] = homes.emplace(kept.key, kept.partition);
      require(home->second == kept.partition, kept.key + " is in two partitions of " + topic);
    }
    lines.push_back(std::move(kept.value));
  }
  return lines;
}

Log read_log(const Broker& broker, const std::filesystem::path& folder) {
  Log log;
  for (const char* topic : {kItems, kEvents}) {
    for (auto& kept : read_topic(broker, topic, folder / topic)) {
      Record& record = log[{topic, kept.partition, kept.offset}];
      record.line = std::move(kept.value);
      record.removes = !kept.has_value;
    }
  }
  return log;
}

std::vector<std::string> points() {
  std::vector<std::string> names;
  for (const auto name : kill_point_names()) {
    // Those of serve, of the checkpoints and of the sink: there is no log of our own.
    if (!name.starts_with("writer.") && !name.starts_with("retention.")) names.emplace_back(name);
  }
  return names;
}

// On Kafka, with its clients.
class WithKafka {
 public:
  WithKafka(const Wanted& wanted, World::Time time)
      : wanted_(wanted),
        site_(wanted.binary, wanted.folder / "kafka", time),
        broker_(wanted.folder / "kafka", wanted.version),
        world_(wanted.seed, time) {
    site_.use_kafka(broker_.address());
    site_.set("batch.records=100");  // many transactions
    const auto made = site_.run("topics create", {"--partitions", std::to_string(kPartitions)});
    require(made.code == 0, "topics create: " + made.err);
    tail_.emplace(site_);
    senders_.emplace(world_, producing_to(broker_, world_, site_.folder()), wanted.seed * 7,
                     wanted.events);
    killing_.emplace(
        site_, world_, *senders_, [this] { return tail_->more(); }, points(), wanted.seed * 31);
  }

  void kill_all() {
    const auto kills = static_cast<std::uint64_t>(wanted_.kills_or(20));
    const auto of_broker = static_cast<std::uint64_t>(wanted_.broker_kills);
    std::uint64_t done = 0;
    for (std::uint64_t n = 0; n < kills; ++n) {
      const auto records = wanted_.events * (n + 1) / (kills + 1);
      bool killed = false;  // those of the broker lie evenly among the others
      for (; done < of_broker && (2 * done + 1) * kills / (2 * of_broker) <= n; ++done) {
        kill_broker((wanted_.seed + done) % 4, records);
        killed = true;
      }
      if (!killed) killing_->kill_somehow(records);
    }
  }

  void finish() {
    auto serve = killing_->start();
    killing_->wait_ready(serve);
    killing_->work_until(serve, [&] { return senders_->done(); });
    killing_->stop(serve);
    senders_->finish();
    site_.serve_to_end();

    const auto folder = site_.folder() / "read";
    const auto lists = read_output(broker_, kLists, "recommendation", folder);
    const auto letters = read_output(broker_, kLetters, "dead_letter", folder);
    Found found{read_log(broker_, folder), in_order(lists, "recommendation"),
                in_order(letters, "dead_letter")};
    require(in_order(tail_->all(lists.size()), "recommendation") == found.lists,
            "tail has not seen the lists that there are: see tail.txt");
    killing_->print(check(site_, world_, world_.all_lines(), std::move(found)));
    const auto all = read_topic(broker_, kLists, folder / "all", "read_uncommitted").size();
    std::printf("  %d kills of the broker; %zu more lists were begun and never seen\n",
                broker_.changes() / 2, all - lists.size());
  }

 private:
  // A life of serve in which the broker is killed too, in one of four ways.
  void kill_broker(std::uint64_t how, std::uint64_t records) {
    auto serve = killing_->start();
    killing_->wait_ready(serve);
    killing_->work_until(serve, [&] { return killing_->taken() >= records; });
    std::this_thread::sleep_for(std::chrono::microseconds(killing_->random() % 30'000));
    switch (how) {
      case 0:  // serve says so, and waits
        broker_.kill();
        wait_for_words(serve);
        broker_.up();
        require(site_.wait_ready(serve), "serve ended: " + site_.last_words());
        break;
      case 1:  // both, and serve is back first
        broker_.kill();
        killing_->kill(serve);
        serve = killing_->start();
        wait_for_words(serve);
        broker_.up();
        killing_->wait_ready(serve);
        break;
      case 2:  // it is back before serve says anything, or not
        broker_.kill();
        broker_.up();
        break;
      default:  // serve can be stopped meanwhile
        broker_.kill();
        wait_for_words(serve);
        site_.stop(serve);
        broker_.up();
        serve = killing_->start();
        killing_->wait_ready(serve);
        break;
    }
    killing_->work(serve, 5);
    killing_->kill(serve);
  }

  void wait_for_words(Process& serve) {
    const auto deadline = Clock::now() + seconds(60);
    while (true) {
      const auto status = site_.status();
      if (status && status->at("problem") != nullptr) {
        require(!status->at("ready").get<bool>(), "serve is ready, and there is no broker");
        return;
      }
      require(!serve.ended(), "serve ended without a broker: " + site_.last_words());
      require(Clock::now() < deadline, "serve does not say that there is no broker");
      std::this_thread::sleep_for(milliseconds(3));
    }
  }

  const Wanted& wanted_;
  Site site_;
  Broker broker_;
  World world_;
  std::optional<Tail> tail_;
  std::optional<Senders> senders_;
  std::optional<Killing> killing_;
};

}  // namespace

void kill_with_kafka(const Wanted& wanted) {
  const auto time = wanted.seed % 2 == 0 ? World::Time::kEvent : World::Time::kWall;
  std::printf("kills with Kafka %s, clock: %s\n", wanted.version.c_str(),
              time == World::Time::kWall ? "wall" : "event");
  WithKafka all(wanted, time);
  all.kill_all();
  all.finish();
}

}  // namespace headroom::crash
