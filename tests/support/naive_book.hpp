#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "headroom/base/event.hpp"
#include "headroom/base/list.hpp"
#include "headroom/demand/normal.hpp"
#include "headroom/demand/outlook.hpp"
#include "support/naive_gamma.hpp"

namespace headroom::test {

// The rules of the ledger, told a second time and in another way: plain records, each with the time
// at which it ends, and sums over all of them in double. It has no deadlines: time passes by being
// compared. It shares no code with the ledger. For the rule `ahead` it is shown the tables of
// chances, and nothing else: who is where and since when it knows by itself.
struct NaiveBook {
  using Minutes = std::chrono::minutes;

  struct Place {
    int item;
    double seats;
    Time held_until;
    bool followed = false, ignored = false;
  };
  struct List {
    int user;
    OutputId id;
    Time shown, ends, closes, dropped;
    int party;
    bool exposed, labelled = false, followed = false;
    std::vector<Place> places;
  };
  // Followed, not yet arrived. After `until` nobody counts on it any more, but while its list is
  // known it is still remembered.
  struct Trip {
    int user;
    OutputId list;
    int item;
    int party;
    Time until;
    bool paid;
  };
  struct Visit {
    int user;  // -1: nobody that we know
    int item;
    int party;
    Time since, until;
  };
  struct Count {  // people arrived
    int item;
    int era;
    int people;
    Time at;
  };
  struct Item {
    std::optional<Capacity> capacity;
    std::optional<Minutes> dwell;
    int era = 0;     // arrivals counted under another kind of capacity do not count
    int copies = 0;  // sold, ever
    int organic = 0;
    Time watched{};  // since it has a capacity
  };
  struct Guest {  // who came without a list
    int item;
    int party;
    Time at;
  };
  struct Said {
    int user;
    bool followed;
    Time shown;
    OutputId list;
    auto key() const { return std::tie(user, followed, shown, list); }
  };
  struct Came {
    bool organic = false, followed_list = false, renewed = false, left_already = false;
    int party = 1;
  };

  NaiveBook(std::chrono::milliseconds the_window, std::chrono::milliseconds the_way,
            std::chrono::milliseconds the_dwell, std::chrono::milliseconds the_memory, int count)
      : window(the_window),
        way(the_way),
        dwell(the_dwell),
        memory(the_memory),
        items(count),
        levels(count) {}

  std::chrono::milliseconds window, way, dwell, memory;
  Time now{};
  std::vector<Item> items;
  std::vector<List> lists;
  std::vector<Trip> trips;
  std::vector<Visit> visits;
  std::vector<Count> arrived;
  std::vector<Said> said;
  std::vector<Guest> guests;
  Time started{};  // the first time that was told
  RoomRule rule = RoomRule::kNow;
  double risk = 0.05;
  const Outlook* tables = nullptr;   // for `ahead`
  std::vector<std::uint8_t> levels;  // of demand, by item, as the tables were fitted with

  // --- What is asked of a book ---

  static bool is(const Item& item, CapacityKind kind) {
    return item.capacity && item.capacity->kind == kind;
  }
  static long slot(const Item& item, Time at) {
    return static_cast<long>(std::floor(std::chrono::duration<double>(at.time_since_epoch()) /
                                        std::chrono::duration<double>(item.capacity->per)));
  }
  double present(int j) const {
    double sum = 0;
    for (const Visit& v : visits) sum += v.item == j && v.until > now ? v.party : 0;
    return sum;
  }
  double arrivals(int j, long s) const {
    double sum = 0;
    for (const Count& c : arrived) {
      sum += c.item == j && c.era == items[j].era && slot(items[j], c.at) == s ? c.people : 0;
    }
    return sum;
  }
  double taken(int j) const {
    if (is(items[j], CapacityKind::kStock)) return items[j].copies;
    if (is(items[j], CapacityKind::kRate)) return arrivals(j, slot(items[j], now));
    return present(j);
  }
  // With a slot: only of those who may still arrive in it.
  double on_way(int j, std::optional<long> s = {}) const {
    if (is(items[j], CapacityKind::kStock)) return 0;
    double sum = 0;
    for (const Trip& t : trips) {
      if (t.item != j || t.until <= now || (s && slot(items[j], t.until) < *s)) continue;
      sum += t.party;
    }
    return sum;
  }
  double held(int j, std::optional<long> s = {}) const {
    double sum = 0;
    for (const List& l : lists) {
      if (s && slot(items[j], l.ends + way) < *s) continue;
      for (const Place& p : l.places) sum += p.item == j && p.held_until > now ? p.seats : 0;
    }
    return sum;
  }
  double room(int j) const {
    const Item& item = items[j];
    if (!item.capacity) return std::numeric_limits<double>::infinity();
    if (item.capacity->rule.value_or(rule) == RoomRule::kAhead) return room_ahead(j);
    double least = std::numeric_limits<double>::infinity();
    if (is(item, CapacityKind::kRate)) {
      for (long s = slot(item, now); s <= slot(item, now + window + way); ++s) {
        least = std::min(least, item.capacity->limit - arrivals(j, s) - on_way(j, s) - held(j, s));
      }
    } else {
      least = item.capacity->limit - taken(j) - on_way(j) - held(j);
    }
    return std::max(least, 0.0);
  }

  // --- Rule `ahead`, all sums anew from the records ---

  long part(Time at) const {
    const double step = std::ceil(static_cast<double>(window.count()) / 6.0);
    return static_cast<long>(std::floor(static_cast<double>(at.time_since_epoch().count()) / step));
  }
  template <class Rows>
  static const auto& row_of(const Rows& rows, long age) {
    return rows[std::clamp<long>(age, 0, static_cast<long>(rows.size()) - 1)];
  }
  std::chrono::milliseconds limit(int j) const {
    return items[j].dwell ? std::chrono::milliseconds(*items[j].dwell) : dwell;
  }

  // Who is expected, and how far that may be off: each adds a mean and a variance.
  struct Crowd {
    double mean = 0.0, variance = 0.0;
    void person(double party, double chance) {
      mean += party * chance;
      variance += party * party * chance * (1.0 - chance);
    }
    void hold(double seats, double party, double chance) {
      mean += seats * chance;
      variance += std::max(party, seats) * seats * chance - seats * chance * seats * chance;
    }
    void organic(double people) {  // last
      mean += people;
      variance = std::max(variance, 0.0) + people;
    }
  };
  // `way` and `hold` give the chance by age.
  template <class OfWay, class OfHold>
  Crowd coming(int j, const OfWay& way_chance, const OfHold& hold_chance) const {
    Crowd crowd;
    for (const Trip& t : trips) {
      if (t.item == j && t.until > now) crowd.person(t.party, way_chance(age(t.until - way)));
    }
    for (const List& l : lists) {
      for (const Place& p : l.places) {
        if (p.item == j && p.held_until > now)
          crowd.hold(p.seats, l.party, hold_chance(age(l.shown)));
      }
    }
    return crowd;
  }
  long age(Time since) const { return part(now) - part(since); }

  double more(int j, double seats, const Crowd& crowd) const {
    const double at_risk = items[j].capacity->risk.value_or(risk);
    const double shape = seats - (crowd.mean - crowd.variance) + 1.0;
    if (shape <= 0.0) return 0.0;
    const double quantile = normal_inverse(at_risk);
    RiskGauge::Aim aim = RiskGauge::nearest(quantile);
    if (is(items[j], CapacityKind::kSeats)) {
      aim = tables->gauge().aim({std::floor(items[j].capacity->limit), levels[j]}, quantile);
    }
    return std::max(naive_gamma_inverse(RiskGauge::chance(aim), shape) - crowd.variance, 0.0);
  }

  double room_ahead(int j) const {
    const double seats = std::floor(items[j].capacity->limit);
    if (seats < 1.0) return 0.0;
    if (is(items[j], CapacityKind::kStock)) return stock_ahead(j, seats - items[j].copies);
    if (is(items[j], CapacityKind::kRate)) return rate_ahead(j, seats);
    const Course& course = tables->course(limit(j));
    double least = 1e9;
    for (std::size_t d = 0; d < kHorizons; ++d) {
      if (!course.counts[d]) continue;
      Crowd crowd = coming(
          j, [&](long a) { return row_of(course.way, a)[d]; },
          [&](long a) { return row_of(course.hold, a)[d]; });
      for (const Visit& v : visits) {
        if (v.item != j || v.until <= now) continue;
        crowd.person(v.party, row_of(course.stay, age(v.since) / course.stay_stride)[d]);
      }
      crowd.organic(organic_rate(j) * course.organic[d]);
      least = std::min(least, more(j, seats, crowd) / course.fresh[d]);
    }
    return least;
  }

  double stock_ahead(int j, double left) const {
    if (left < 1.0) return 0.0;
    const Coming& tell = tables->coming();
    Crowd crowd = coming(
        j, [](long) { return 0.0; }, [&](long a) { return row_of(tell.hold_follows, a); });
    crowd.organic(organic_rate(j) * static_cast<double>(window.count()));
    const double fits = more(j, left, crowd) / tell.fresh_follows;
    return std::clamp(fits, crowd.mean > 0.01 ? 0.0 : 1.0, 1e9);
  }

  double rate_ahead(int j, double most) const {
    const Coming& tell = tables->coming();
    const double per =
        static_cast<double>(std::chrono::milliseconds(items[j].capacity->per).count());
    const double step = std::ceil(static_cast<double>(window.count()) / 6.0);
    const double from_now = static_cast<double>(part(now)) * step;
    const long first = static_cast<long>(std::floor(from_now / per));
    const auto chance = [&](const ByTime& by, long s) {
      const auto until = [&](double time) {
        const double x = std::clamp((time - from_now) / tell.unit, 0.0, 64.0);
        const auto n = std::min<std::size_t>(static_cast<std::size_t>(x), 63);
        return by[n] + (x - static_cast<double>(n)) * (by[n + 1] - by[n]);
      };
      return until(static_cast<double>(s + 1) * per) - until(static_cast<double>(s) * per);
    };
    double best = 0.0, least = 1e9;
    const auto in_reach = [&](long s) {
      return std::max(static_cast<double>(s) * per, from_now) < from_now + 64 * tell.unit;
    };
    for (long s = first; in_reach(s); ++s) best = std::max(best, chance(tell.fresh, s));
    for (long s = first; in_reach(s); ++s) {
      const double fresh = chance(tell.fresh, s);
      if (fresh < 0.1 * best || fresh <= 0.0) continue;
      Crowd crowd = coming(
          j, [&](long a) { return chance(row_of(tell.way, a), s); },
          [&](long a) { return chance(row_of(tell.hold, a), s); });
      const double begins = std::max(static_cast<double>(s) * per, from_now);
      crowd.organic(organic_rate(j) * (static_cast<double>(s + 1) * per - begins));
      const double came = s == slot(items[j], now) ? arrivals(j, s) : 0.0;
      least = std::min(least, more(j, most - came, crowd) / fresh);
    }
    return least;
  }

  // In a millisecond; what is 4 hours old counts 1/e.
  double organic_rate(int j) const {
    const double memory_of = 4.0 * 3600.0 * 1000.0;
    const Item& item = items[j];
    Time at = tables->fitted_at();
    for (const Guest& g : guests) at = g.item == j ? std::max(at, g.at) : at;
    at = std::max(at, item.watched);
    const auto gone = [&](Time t) {
      return std::exp(-static_cast<double>((at - t).count()) / memory_of);
    };
    double seen = 0.0;
    for (const Guest& g : guests) seen += g.item == j ? g.party * gone(g.at) : 0.0;
    const Time since = std::max(item.watched, started);
    const double watched = at > since ? memory_of * (1.0 - gone(since)) : 0.0;
    if (is(item, CapacityKind::kStock))
      return seen / (watched + static_cast<double>(window.count()));
    const double turn =
        is(item, CapacityKind::kRate)
            ? static_cast<double>(std::chrono::milliseconds(item.capacity->per).count())
            : tables->course(limit(j)).mean_stay;
    const double believed = tables->organic_share() * item.capacity->limit / turn;
    if (believed <= 0.0) return seen / (watched + turn);
    return (2.0 + seen) / (2.0 / believed + watched);
  }

  // --- What happens ---

  void advance(Time to) {
    now = std::max(now, to);
    if (started == Time{}) started = now;
    std::vector<const List*> over;
    for (const List& l : lists) {
      if (l.dropped <= now && l.exposed && !l.labelled) over.push_back(&l);
    }
    std::sort(over.begin(), over.end(), [](const List* a, const List* b) {
      return std::tie(a->dropped, a->user, a->id) < std::tie(b->dropped, b->user, b->id);
    });
    for (const List* l : over) said.push_back({l->user, false, l->shown, l->id});
    // What has ended can't matter again: without this a long history takes for ever.
    std::erase_if(lists, [this](const List& l) { return l.dropped <= now; });
    std::erase_if(trips, [this](const Trip& t) { return !remembered(t); });
    std::erase_if(visits, [this](const Visit& v) { return v.until <= now; });
    std::erase_if(arrived, [this](const Count& c) {
      const Item& item = items[c.item];
      return c.era != item.era || slot(item, c.at) < slot(item, now);
    });
    std::erase_if(guests, [this](const Guest& g) { return now - g.at > std::chrono::hours(200); });
  }

  void begin_anew() {
    now = started = {};
    guests.clear();
    for (Item& item : items) item.watched = {};
    lists.clear();
    trips.clear();
    visits.clear();
    arrived.clear();
  }

  void set(int j, const std::optional<Capacity>& capacity, std::optional<Minutes> stays) {
    Item& item = items[j];
    const bool same = item.capacity && capacity && item.capacity->kind == capacity->kind &&
                      item.capacity->per == capacity->per;
    if (!same) ++item.era;
    if (!item.capacity && capacity) {
      std::erase_if(guests, [j](const Guest& g) { return g.item == j; });
      item.watched = now;
    }
    item.capacity = capacity;
    item.dwell = stays;
  }

  void remove(int j) {
    set(j, {}, {});
    items[j].organic = items[j].copies = 0;
    for (List& l : lists) std::erase_if(l.places, [j](const Place& p) { return p.item == j; });
    std::erase_if(trips, [j](const Trip& t) { return t.item == j; });
    std::erase_if(visits, [j](const Visit& v) { return v.item == j; });
    std::erase_if(guests, [j](const Guest& g) { return g.item == j; });
    items[j].watched = {};
  }

  void show(int user, const OutputId& id, int party, const std::vector<std::pair<int, float>>& what,
            Time at, bool exposed) {
    forget_one_of_many(user);
    const Time shown = std::min(at, now), ends = shown + window;
    List l{user, id, shown, ends, ends, ends + memory, party, exposed, false, false, {}};
    for (const auto& [item, seats] : what) l.places.push_back({item, seats, ends, false, false});
    lists.push_back(l);
  }

  // 64 lists of one user are known at most, and one that someone may still come for is kept longer.
  void forget_one_of_many(int user) {
    std::vector<OutputId> own, free;
    for (const List& l : lists) {
      if (l.user != user) continue;
      own.push_back(l.id);
      const bool promised = std::any_of(trips.begin(), trips.end(), [&](const Trip& t) {
        return t.user == user && t.list == l.id;
      });
      if (!promised) free.push_back(l.id);
    }
    if (own.size() < 64) return;
    const OutputId leaves = free.empty() ? own.front() : free.front();
    List& l = *known(user, leaves);
    if (l.exposed) label(l, false);
    std::erase_if(lists, [&](const List& each) { return each.user == user && each.id == leaves; });
    std::erase_if(trips, [this](const Trip& t) { return !remembered(t); });
  }

  void close(List& l, Time at) {
    if (l.closes <= now) return;  // ended, answered or replaced before
    l.closes = std::min(l.closes, at);
    for (Place& p : l.places) p.held_until = std::min(p.held_until, now);
  }
  void label(List& l, bool followed) {
    if (!l.labelled) said.push_back({l.user, followed, l.shown, l.id});
    l.labelled = true;
  }

  std::optional<OutputId> replace(int user, Time at) {
    for (List& l : lists) {
      if (l.user != user || l.closes <= now) continue;
      close(l, std::min(at, now));
      return l.id;
    }
    return std::nullopt;
  }

  List* known(int user, const OutputId& id) {
    for (List& l : lists) {
      if (l.user == user && l.id == id) return &l;
    }
    return nullptr;
  }
  static Place* on(List& l, int item) {
    for (Place& p : l.places) {
      if (p.item == item) return &p;
    }
    return nullptr;
  }

  bool remembered(const Trip& t) { return t.until > now || known(t.user, t.list) != nullptr; }
  // Of one person to one item: there is never a second.
  std::vector<Trip>::iterator trip_of(int user, int item) {
    return std::find_if(trips.begin(), trips.end(), [&](const Trip& t) {
      return t.user == user && t.item == item && remembered(t);
    });
  }
  Visit* visit_of(int user) {
    for (Visit& v : visits) {
      if (v.user == user && v.until > now) return &v;
    }
    return nullptr;
  }

  // 0 taken, 1 repeated, 2 unknown, 3 not on the list, 4 of a visit that was known before
  int follow(int user, const OutputId& id, int item, std::optional<int> party, Time at) {
    at = std::min(at, now);
    List* l = known(user, id);
    if (l == nullptr) return 2;
    Place* p = on(*l, item);
    if (p == nullptr) return 3;
    const bool here = visit_of(user) != nullptr && visit_of(user)->item == item;
    const auto before = trip_of(user, item);
    const bool announced = before != trips.end();
    const bool coming = announced && before->until > now;
    const bool lapsed = announced && !coming;
    if (p->followed && (here || !lapsed)) return 1;
    p->followed = l->followed = true;
    close(*l, at);
    label(*l, true);
    Trip trip{user, id, item, party.value_or(l->party), at + way, announced && before->paid};
    if (announced) {
      if (coming) trip.until = std::max(trip.until, before->until);
      trips.erase(before);
    }
    for (Trip& t : trips) {
      if (t.user == user && t.list == id) t.until = std::min(t.until, now);
    }
    if (here) return 4;
    if (is(items[item], CapacityKind::kStock) && !trip.paid) {
      items[item].copies += trip.party;
      trip.paid = true;
    }
    trips.push_back(trip);
    return announced ? 4 : 0;
  }

  bool ignore(int user, const OutputId& id, std::optional<int> item, Time at) {
    List* l = known(user, id);
    if (l == nullptr || l->labelled) return false;
    if (!item) {
      close(*l, std::min(at, now));
      label(*l, false);
      return true;
    }
    Place* p = on(*l, *item);
    if (p == nullptr || p->ignored) return false;
    l->exposed = p->ignored = true;
    p->held_until = std::min(p->held_until, now);
    return true;
  }

  bool seen(int user, const OutputId& id) {
    List* l = known(user, id);
    if (l != nullptr) l->exposed = true;
    return l != nullptr;
  }

  Came arrive(int user, int item, std::optional<int> party, Time at) {
    at = std::min(at, now);
    Came came;
    Visit* visit = visit_of(user);
    const bool here = visit != nullptr && visit->item == item;
    const auto trip = trip_of(user, item);
    const bool paid = trip != trips.end() && trip->paid;
    List* newest = nullptr;
    for (List& l : lists) {
      if (l.user == user) newest = &l;
    }
    came.renewed = here;
    if (trip != trips.end()) {
      came.party = trip->party;
      trips.erase(trip);
    } else if (newest != nullptr && !newest->followed && on(*newest, item) != nullptr &&
               at >= newest->shown && (newest->closes > now || at <= newest->closes + memory)) {
      came.followed_list = true;
      came.party = newest->party;
      on(*newest, item)->followed = newest->followed = true;
      close(*newest, at);
      label(*newest, true);
    } else if (here) {
      came.party = visit->party;
    } else {
      came.organic = true;
      ++items[item].organic;
    }
    came.party = party.value_or(came.party);
    if (came.organic) guests.push_back({item, came.party, now});
    if (!came.renewed) {
      if (is(items[item], CapacityKind::kStock) && !paid) items[item].copies += came.party;
      if (is(items[item], CapacityKind::kRate)) {
        arrived.push_back({item, items[item].era, came.party, at});
      }
    }
    const Time until = at + (items[item].dwell ? *items[item].dwell : dwell);
    if (here) {
      visit->party = came.party;
      visit->since = std::max(visit->since, at);
      visit->until = std::max(visit->until, until);
    } else if (visit != nullptr && at < visit->since) {
      came.left_already = true;
    } else {
      if (visit != nullptr) visit->until = now;
      came.left_already = until <= now;
      if (!came.left_already) visits.push_back({user, item, came.party, at, until});
    }
    return came;
  }

  bool leave(int user, int item, Time at) {
    for (Visit& v : visits) {
      if (v.user != user || v.item != item || v.until <= now || at < v.since) continue;
      v.until = now;
      return true;
    }
    return false;
  }

  void forget(int user) {
    std::erase_if(lists, [user](const List& l) { return l.user == user; });
    std::erase_if(trips, [user](const Trip& t) { return t.user == user; });
    for (Visit& v : visits) {
      if (v.user == user) v.user = -1;
    }
  }
};

}  // namespace headroom::test
