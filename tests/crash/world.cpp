#include "crash/world.hpp"

#include <algorithm>

namespace headroom::crash {

namespace {

constexpr std::size_t kUsers = 120, kPlaces = 24, kListsKept = 400;
constexpr std::uint64_t kFirstFarOff = 1000;
constexpr std::int64_t kBegin = 1'772'366'400'000;  // March 2026, in milliseconds
constexpr std::int64_t kMinute = 60'000, kDay = 1440 * kMinute;
constexpr std::int64_t kFaster = 60;  // the records' time runs that much faster under `event`

// Appending, since GCC 12 warns wrongly of "u" + std::to_string(3).
std::string numbered(const char* prefix, std::size_t number) {
  return std::string(prefix).append(std::to_string(number));
}

std::string quoted(const std::string& text) { return std::string("\"").append(text).append("\""); }

}  // namespace

std::string World::new_id() { return numbered("e", ++ids_); }

World::World(std::uint64_t seed, Time time)
    : random_(seed), time_(time), begun_(std::chrono::steady_clock::now()) {}

std::vector<std::string> World::some(std::size_t count) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  if (made_.empty()) {
    for (std::size_t n = 0; n < 2 * kPlaces; ++n) lines.push_back(item());
  }
  while (lines.size() < count) lines.push_back(one());
  return lines;
}

void World::deliver(const std::string& list, const std::string& user,
                    std::vector<std::string> items) {
  const std::lock_guard lock(mutex_);
  lists_.push_back({list, user, std::move(items)});
  if (lists_.size() > kListsKept) lists_.pop_front();
}

const Made* World::find(const std::string& line) const {
  const std::lock_guard lock(mutex_);
  const auto at = made_.find(line);
  return at == made_.end() ? nullptr : &at->second;
}

std::vector<std::string> World::all_lines() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const auto& [line, made] : made_) lines.push_back(line);
  return lines;
}

std::string World::one() {
  const std::size_t draw = below(1000);
  if (draw < 300) return request();
  if (draw < 450) return feedback();
  if (draw < 490) return impression();
  if (draw < 530) return item();
  if (draw < 570) return bad();
  if (draw < 580) return far_off();
  if (draw < 640 && !good_lines_.empty()) return again();
  if (draw < 650) return good("forget", user(), "");
  if (draw < 750) return good("checkout", user(), R"(,"item":)" + quoted(place()));
  if (!on_the_way_.empty() && chance(50)) {
    const auto [who, where] = on_the_way_.front();
    on_the_way_.pop_front();
    return good("checkin", who, R"(,"item":)" + quoted(where) + party());
  }
  const std::string value = chance(20) ? R"(,"value":-0.5)" : "";
  return good("checkin", user(), R"(,"item":)" + quoted(place()) + value + party());
}

std::string World::request() {
  const std::string where = chance(30) ? R"(,"lat":1.30,"lon":103.8)" : "";
  return good("request", user(), R"(,"n":)" + std::to_string(1 + below(8)) + party() + where);
}

// Mostly of lists that were delivered: newer and older ones, answered before or not.
std::string World::feedback() {
  if (lists_.empty() || chance(10)) {
    const std::string list = chance(50) ? "r-0-1-99999999-0" : "no list";
    return good("feedback", user(),
                R"(,"recommendation":)" + quoted(list) + R"(,"item":)" + quoted(place()) +
                    R"(,"outcome":"follow")");
  }
  const Delivered& list = some_list();
  const std::string head = R"(,"recommendation":)" + quoted(list.list);
  if (list.items.empty() || chance(20)) {
    return good("feedback", list.user, head + R"(,"outcome":"ignore")");
  }
  const std::string item = list.items[below(list.items.size())];
  if (chance(20)) {
    return good("feedback", list.user,
                head + R"(,"item":)" + quoted(item) + R"(,"outcome":"ignore")");
  }
  if (chance(70)) on_the_way_.emplace_back(list.user, item);
  return good("feedback", list.user,
              head + R"(,"item":)" + quoted(item) + R"(,"outcome":"follow")" + party());
}

std::string World::impression() {
  if (lists_.empty() || chance(10)) {
    return good("impression", user(), R"(,"recommendation":"r-0-1-99999999-0")");
  }
  const Delivered& list = some_list();
  return good("impression", list.user, R"(,"recommendation":)" + quoted(list.list));
}

// Each place has its kind of capacity; all else about it changes.
std::string World::item() {
  const std::size_t number = below(kPlaces);
  const std::string limit = std::to_string(below(30));
  std::string fields = R"(,"item":"p)" + std::to_string(number) + "\"";
  switch (number % 4) {
    case 0:
      fields += R"(,"capacity":{"kind":"seats","limit":)" + limit + "}";
      break;
    case 1:
      fields += R"(,"capacity":{"kind":"stock","limit":)" + limit + "}";
      break;
    case 2:
      fields += R"(,"capacity":{"kind":"rate","limit":)" + limit + R"(,"per_minutes":5})";
      break;
    default:
      break;
  }
  const std::size_t draw = below(20);
  fields += R"(,"lat":1.3)" + std::to_string(number) + R"(,"lon":103.8)" + std::to_string(number);
  if (chance(50)) fields += R"(,"dwell_minutes":)" + std::to_string(1 + below(40));
  if (draw == 0) fields += R"(,"closed":true)";
  if (draw == 1) fields += R"(,"hidden":true)";
  if (draw == 2) fields += R"(,"removed":true)";
  if (draw == 3) {
    fields += R"(,"hours":[{"days":[1,2,3],"from":"11:00","to":"01:00"}])";
    fields += R"(,"time_zone":"Asia/Singapore")";
  }
  return good("item", "", fields);
}

std::string World::bad() {
  const std::string id = new_id();
  const std::string line = dated("checkin", id, now(), user(), R"(,"item":"p1")");
  const auto without_end = line.substr(0, line.size() - 1);
  switch (below(9)) {
    case 0:
      return keep("no JSON " + id, {});
    case 1:
      return keep(line.substr(0, line.size() / 2), {});
    case 2:
      return keep(without_end + R"(,"value":7})", {});
    case 3:
      return keep(without_end + R"(,"party":"two"})", {});
    case 4:
      return keep(dated("dance", id, now(), user(), ""), {});
    case 5:
      return keep(dated("checkin", id, now(), user(), ""), {});
    case 6:
      return keep(dated("checkin", std::string(300, 'x') + id, now(), user(), ""), {});
    case 7:
      return keep(R"({"event":"checkin","id":")" + id + "\xff\"}", {});
    default:
      if (!chance(5)) return keep(std::string("[").append(id).append("]"), {});
      return keep(without_end + R"(,"title":")" + std::string(70'000, 'x') + "\"}", {});
  }
}

// Scattered, so that no few of them make a new time that is believed; none at first, when any time
// is as good as another.
std::string World::far_off() {
  if (ids_ < kFirstFarOff) return bad();
  const std::int64_t days = static_cast<std::int64_t>(30 + below(20'000));
  const std::int64_t at = now() + (chance(50) ? days * kDay : -(days % 1000 + 30) * kDay);
  return keep(dated("checkin", new_id(), at, user(), R"(,"item":"p1")"), {});
}

// The same line, or another one with the same id.
std::string World::again() {
  const std::string& line =
      *good_lines_[good_lines_.size() - 1 - below(std::min<std::size_t>(good_lines_.size(), 2000))];
  if (chance(50) || line.find(R"("event":"item")") != std::string::npos) return line;
  const Made made = made_.at(line);
  return keep(line.substr(0, line.size() - 1) + R"(,"source":"again"})", made);
}

std::string World::good(std::string_view event, const std::string& user,
                        const std::string& fields) {
  Made made{new_id(), event == "request" ? user : "", true};
  auto line = dated(event, made.id, now(), user, fields);
  return keep(std::move(line), std::move(made));
}

std::string World::dated(std::string_view event, const std::string& id, std::int64_t at,
                         const std::string& user, const std::string& fields) {
  std::string line = R"({"event":")" + std::string(event) + R"(","id":)" + quoted(id) +
                     R"(,"timestamp":)" + std::to_string(at);
  if (!user.empty()) line += R"(,"user":)" + quoted(user);
  return line + fields + "}";
}

std::string World::keep(std::string line, Made made) {
  const auto [at, is_new] = made_.emplace(std::move(line), std::move(made));
  if (is_new && at->second.good) good_lines_.push_back(&at->first);
  return at->first;
}

// Late by a little, sometimes by much.
std::int64_t World::now() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  if (time_ == Time::kWall) {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    const std::int64_t late = chance(3) ? 10 * kMinute : 2000;
    return duration_cast<milliseconds>(since).count() -
           static_cast<std::int64_t>(below(static_cast<std::size_t>(late)));
  }
  const auto since = duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun_);
  const std::int64_t late = (chance(3) ? 300 : 2) * kMinute;
  return kBegin + since.count() * kFaster -
         static_cast<std::int64_t>(below(static_cast<std::size_t>(late)));
}

std::string World::user() { return numbered("u", below(kUsers)); }

// Now and then one that nobody has described.
std::string World::place() {
  return chance(5) ? numbered("x", below(40)) : numbered("p", below(kPlaces));
}

std::string World::party() {
  return chance(20) ? R"(,"party":)" + std::to_string(1 + below(6)) : "";
}

const World::Delivered& World::some_list() {
  const std::size_t last = std::min<std::size_t>(lists_.size(), chance(80) ? 60 : kListsKept);
  return lists_[lists_.size() - 1 - below(last)];
}

}  // namespace headroom::crash
