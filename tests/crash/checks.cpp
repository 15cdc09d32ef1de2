#include "crash/checks.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "headroom/base/list.hpp"
#include "headroom/wire/base64.hpp"

namespace headroom::crash {

namespace {

using Json = nlohmann::json;

std::vector<std::filesystem::path> segments_of(const std::filesystem::path& partition) {
  std::vector<std::filesystem::path> segments;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(partition, none)) {
    if (entry.path().extension() == ".log") segments.push_back(entry.path());
  }
  std::sort(segments.begin(), segments.end());
  return segments;
}

void read_partition(const Site& site, const std::string& topic, unsigned partition, Log& log) {
  const auto bytes = stream_of(site.topic(topic, partition));
  require(bytes.empty() || bytes.back() == '\n', "the log of " + topic + " ends within a line");
  std::size_t offset = 0;
  for (const auto& line : lines_of(bytes)) {
    if (!line.empty()) log[{"headroom." + topic, partition, offset}].line = line;
    offset += line.size() + 1;
  }
}

// Every line whole, ids without a gap: k from 0 in each batch.
std::vector<Json> read_output(const std::string& bytes, const std::string& topic,
                              const char* id_field) {
  require(bytes.empty() || bytes.back() == '\n', topic + " ends within a line");
  std::vector<Json> lines;
  OutputId last;
  for (const auto& line : lines_of(bytes)) {
    auto json = Json::parse(line, nullptr, false);
    require(!json.is_discarded(), topic + ": a torn line: " + line.substr(0, 200));
    const std::string text = json.at(id_field);
    const auto id = parse_output_id(text.front(), text);
    require(id.has_value(), topic + ": no id: " + text);
    require(id->batch >= last.batch,
            topic + ": " + text + " comes after batch " + std::to_string(last.batch));
    const auto wanted = id->batch == last.batch ? last.k + 1 : 0;
    require(id->k == wanted, topic + ": " + text + " where k must be " + std::to_string(wanted));
    last = *id;
    lines.push_back(std::move(json));
  }
  return lines;
}

// Marks the dead records: each letter names a record by place and bytes, none twice.
void bury(const std::vector<Json>& letters, const World& world, Log& log) {
  for (const auto& letter : letters) {
    const std::string name = letter.at("dead_letter");
    const auto at = log.find({letter.at("topic"), letter.at("partition"), letter.at("offset")});
    require(at != log.end(), name + " is of no record of the log");
    require(!at->second.dead, name + ": a second letter of the same record");
    at->second.dead = true;
    const auto bytes = from_base64(letter.at("bytes").get<std::string>());
    require(bytes && (*bytes == at->second.line || at->second.removes),
            name + " has other bytes than the record");
    const Made* made = world.find(at->second.line);
    const bool may_be = made == nullptr || !made->good || letter.at("kind") == "at_limit";
    require(may_be, name + ": a good record was not taken: " + letter.dump());
  }
}

struct Expected {
  std::unordered_set<std::string> ids;
  std::unordered_map<std::string, std::set<std::string>> asked;  // ids by user
  std::size_t taken = 0;
};

Expected expect(const Log& log, const World& world) {
  Expected expected;
  for (const auto& [place, record] : log) {
    if (record.removes) {  // its place is its id
      if (record.dead) continue;
      ++expected.taken;
      const auto& [topic, partition, offset] = place;
      expected.ids.insert(topic + "/" + std::to_string(partition) + "/" + std::to_string(offset));
      continue;
    }
    const Made* made = world.find(record.line);
    require(made != nullptr, "a record that nobody sent: " + record.line.substr(0, 300));
    require(made->good || record.dead, "a bad record was taken: " + record.line.substr(0, 300));
    if (record.dead) continue;
    ++expected.taken;
    expected.ids.insert(made->id);
    if (!made->asker.empty()) expected.asked[made->asker].insert(made->id);
  }
  return expected;
}

void equal(const std::string& what, std::size_t is, std::size_t must_be) {
  require(is == must_be, what + ": " + std::to_string(is) + ", must be " + std::to_string(must_be));
}

// One for each that was asked for, and fresh ones that nobody asked for: that these are the right
// ones, each once, is seen by their ids and by repeating the journal.
void check_lists(const std::vector<Json>& lists, const Expected& expected) {
  std::unordered_map<std::string, std::size_t> got;
  for (const auto& list : lists) ++got[list.at("user")];
  for (const auto& [user, ids] : expected.asked) {
    require(got[user] >= ids.size(), "lists of " + user + ": " + std::to_string(got[user]) +
                                         ", must be at least " + std::to_string(ids.size()));
  }
  for (const auto& [user, count] : got) {
    require(expected.asked.count(user) > 0, "lists for " + user + ", who asked for none");
  }
}

std::string digest_in(const std::string& words, const std::string& before) {
  const auto at = words.rfind(before);
  require(at != std::string::npos, "no digest in: " + words);
  const auto begin = words.find_first_not_of(' ', at + before.size());
  return words.substr(begin, words.find_first_of(" \n", begin) - begin);
}

// The lines of output from a batch on.
std::string since(std::uint64_t batch, const std::string& bytes) {
  std::size_t begin = 0;
  for (const auto& line : lines_of(bytes)) {
    const auto json = Json::parse(line);
    const std::string text =
        json.at(json.contains("dead_letter") ? "dead_letter" : "recommendation");
    if (parse_output_id(text.front(), text)->batch >= batch) break;
    begin += line.size() + 1;
  }
  return bytes.substr(begin);
}

std::string first_difference(const std::string& a, const std::string& b) {
  const auto [at, other] =
      std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin());
  const auto place = static_cast<std::size_t>(at - a.begin());
  const auto line = a.substr(0, place).rfind('\n') + 1;
  return "at byte " + std::to_string(place) + ":\n  " + a.substr(line, 400) + "\n  " +
         b.substr(line, 400);
}

// The journal, repeated elsewhere, gives this output and the state that is there.
void check_repeat(const Site& site, const Found& found, const std::filesystem::path& from) {
  const auto into = site.folder() / "repeated";
  std::filesystem::remove_all(into);
  const auto inspected = site.run("state inspect");
  require(inspected.code == 0, "state inspect: " + inspected.err);
  std::vector<std::string> flags = {"--into", into.string()};
  if (!from.empty()) flags.insert(flags.end(), {"--from", from.string()});
  const auto repeated = site.run("repeat", flags);
  require(repeated.code == 0, "repeat: " + repeated.err);
  const auto first = std::stoull(repeated.out.substr(std::string("batches ").size()));
  require(first == 1 || !from.empty(), "repeat did not begin at batch 1: " + repeated.out);
  for (const auto& [topic, delivered] : {std::pair("headroom.recommendations", &found.lists),
                                         std::pair("headroom.dead-letters", &found.letters)}) {
    const auto was = since(first, *delivered);
    const auto is = stream_of(into / "log" / topic / "0");
    require(was == is, std::string(topic) + " differ when repeated, " + first_difference(was, is));
  }
  const auto was = digest_in(inspected.out, "digest"), is = digest_in(repeated.out, "state");
  require(was == is, "the state is " + was + ", and repeated " + is);
}

}  // namespace

std::string stream_of(const std::filesystem::path& partition) {
  std::string bytes;
  for (const auto& segment : segments_of(partition)) {
    require(std::stoull(segment.stem().string()) == bytes.size(),
            segment.string() + " does not begin where the one before ends");
    bytes += bytes_of(segment);
  }
  return bytes;
}

std::vector<std::string> lines_of(const std::string& bytes) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; (end = bytes.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    lines.push_back(bytes.substr(begin, end - begin));
  }
  return lines;
}

std::vector<std::string> Follower::more() {
  std::string fresh;
  for (const auto& segment : segments_of(partition_)) {
    const auto base = std::stoull(segment.stem().string());
    std::error_code removed;
    const auto size = std::filesystem::file_size(segment, removed);
    if (removed || base + size <= read_) continue;
    const auto bytes = bytes_of(segment);
    const auto from = std::max<std::size_t>(read_, base) - base;
    if (from >= bytes.size()) continue;
    fresh += bytes.substr(from);
    read_ = base + bytes.size();
  }
  const auto whole = fresh.rfind('\n') + 1;  // none: npos + 1 is 0
  read_ -= fresh.size() - whole;
  fresh.resize(whole);
  return lines_of(fresh);
}

Found found_in(const Site& site) {
  Found found;
  read_partition(site, "items", 0, found.log);
  for (unsigned partition = 0; partition < kPartitions; ++partition) {
    read_partition(site, "events", partition, found.log);
  }
  found.lists = stream_of(site.topic("recommendations"));
  found.letters = stream_of(site.topic("dead-letters"));
  return found;
}

Figures check(const Site& site, const World& world, const std::vector<std::string>& sent,
              Found found, const std::filesystem::path& from) {
  std::unordered_set<std::string> in_log;
  for (const auto& [place, record] : found.log) in_log.insert(record.line);
  for (const auto& line : sent) {
    require(in_log.count(line) > 0, "sent, and not in the log: " + line.substr(0, 300));
  }
  const auto lists = read_output(found.lists, "recommendations", "recommendation");
  const auto letters = read_output(found.letters, "dead-letters", "dead_letter");
  bury(letters, world, found.log);
  const auto expected = expect(found.log, world);
  check_lists(lists, expected);

  const auto status = site.status();
  require(status && status->at("phase") == "stopped", "status.json does not say stopped");
  equal("events_total", status->at("events_total"), expected.ids.size());
  equal("duplicates_total", status->at("duplicates_total"), expected.taken - expected.ids.size());
  equal("dead_letters_total", status->at("dead_letters_total"), letters.size());
  equal("lists_total", status->at("lists_total"), lists.size());
  const char* const lag = status->contains("lag_records") ? "lag_records" : "lag_bytes";
  equal(lag, status->at(lag), 0);
  check_repeat(site, found, from);
  return {found.log.size(), expected.ids.size(), expected.taken - expected.ids.size(),
          letters.size(),   lists.size(),        status->at("batch")};
}

}  // namespace headroom::crash
