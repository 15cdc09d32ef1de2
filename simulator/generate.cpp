#include "simulator/generate.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>

#include "headroom/io/file.hpp"
#include "headroom/wire/codec.hpp"
#include "headroom/wire/object_writer.hpp"
#include "headroom/wire/timestamp.hpp"

namespace headroom::sim {
namespace {

constexpr std::uint32_t kUsersAtOnce = 4096;

struct Happening {
  Visit visit;
  bool leaves = false;
};
bool earlier(const Happening& a, const Happening& b) {
  if (a.visit.at != b.visit.at) return a.visit.at < b.visit.at;
  return a.leaves != b.leaves ? a.leaves : before(a.visit, b.visit);
}

class Output {
 public:
  explicit Output(const std::filesystem::path& path) : file_(path, O_WRONLY | O_CREAT | O_TRUNC) {}
  void write(std::string_view bytes) {
    file_.write_at(size_, bytes);
    size_ += bytes.size();
  }
  const std::filesystem::path& path() const { return file_.path(); }
  std::uint64_t size() const { return size_; }

 private:
  File file_;
  std::uint64_t size_ = 0;
};

void append_whole(std::uint64_t value, std::string& out) { append_json_number(value, out); }

// One format's lines.
class Writer {
 public:
  Writer(const City& city, CityFormat format, const std::filesystem::path& folder);

  // The lines of these, the first of them the number `first` of all.
  std::string lines(std::span<const Happening> some, std::uint64_t first) const;
  void write(std::string_view bytes) { out_.write(bytes); }
  void report(Generated& into) const;

 private:
  void write_items(const City& city);
  void write_places(const City& city, const std::filesystem::path& path);
  void append_event(const Happening& one, std::uint64_t number, std::string& out) const;
  void append_row(const Happening& one, std::string& out) const;
  static std::filesystem::path name(CityFormat format, const char* what) {
    if (format == CityFormat::kWire) return kWireFile;
    return std::string(what) + (format == CityFormat::kTsv ? ".tsv" : ".csv");
  }

  CityFormat format_;
  char separator_;
  Output out_;
  std::vector<std::pair<std::filesystem::path, std::uint64_t>> others_;  // with their size
};

Writer::Writer(const City& city, CityFormat format, const std::filesystem::path& folder)
    : format_(format),
      separator_(format == CityFormat::kTsv ? '\t' : ','),
      out_(folder / name(format, "checkins")) {
  if (format == CityFormat::kWire) {
    write_items(city);
    return;
  }
  write_places(city, folder / name(format, "places"));
  write(std::string("user") + separator_ + "item" + separator_ + "time\n");
}

void Writer::write_items(const City& city) {
  std::string lines;
  for (std::uint32_t j = 0; j < city.spots().size(); ++j) {
    Event event;
    event.at = Time(city.plan().first_day);
    event.id = std::string("i-").append(std::to_string(j));
    event.what = city.image(j);
    encode(event, lines);
    lines += '\n';
  }
  write(lines);
}

void Writer::write_places(const City& city, const std::filesystem::path& path) {
  std::string lines;
  const auto row = [&](std::initializer_list<std::string> cells) {
    char between = '\0';
    for (const std::string& cell : cells) {
      if (between != '\0') lines += between;
      lines += cell;
      between = separator_;
    }
    lines += '\n';
  };
  const auto digits = [](double value) {
    std::string out;
    append_json_number(value, out);
    return out;
  };
  row({"item", "lat", "lon", "kind", "capacity_kind", "capacity", "per_minutes", "dwell_minutes"});
  for (std::uint32_t j = 0; j < city.spots().size(); ++j) {
    const Spot& spot = city.spots()[j];
    const char* const kinds[] = {"seats", "stock", "rate"};
    row({std::string("i").append(std::to_string(j)), digits(spot.at.lat), digits(spot.at.lon),
         traits(spot.kind).name, kinds[static_cast<std::size_t>(spot.capacity.kind)],
         digits(spot.capacity.limit), std::to_string(spot.capacity.per.count()),
         std::to_string(traits(spot.kind).dwell_minutes)});
  }
  Output places(path);
  places.write(lines);
  others_.emplace_back(path, places.size());
}

void Writer::append_event(const Happening& one, std::uint64_t number, std::string& out) const {
  ObjectWriter record(out);
  const auto text = [&](Field field, const char* head, std::uint64_t n) {
    std::string& to = record.key(field);
    to += head;
    append_whole(n, to);
    to += '"';
  };
  record.key(Field::kEvent) += one.leaves ? "\"checkout\"" : "\"checkin\"";
  text(Field::kId, "\"e-", number);
  record.time(Field::kTimestamp, one.visit.at);
  text(Field::kUser, "\"u", one.visit.user);
  text(Field::kItem, "\"i", one.visit.item);
}

void Writer::append_row(const Happening& one, std::string& out) const {
  out += 'u';
  append_whole(one.visit.user, out);
  out += separator_;
  out += 'i';
  append_whole(one.visit.item, out);
  out += separator_;
  append_timestamp(one.visit.at, out);
}

std::string Writer::lines(std::span<const Happening> some, std::uint64_t first) const {
  std::string out;
  out.reserve(some.size() * 112);
  for (const Happening& one : some) {
    if (format_ == CityFormat::kWire) {
      append_event(one, first++, out);
    } else if (one.leaves) {
      continue;
    } else {
      append_row(one, out);
    }
    out += '\n';
  }
  return out;
}

void Writer::report(Generated& into) const {
  into.bytes += out_.size();
  into.files.push_back(out_.path());
  for (const auto& [path, size] : others_) {
    into.bytes += size;
    into.files.push_back(path);
  }
}

// The days one after another; within one, users and then hours side by side.
class Days {
 public:
  Days(const City& city, double checkouts, Workers& workers)
      : city_(city), checkouts_(checkouts), workers_(workers) {}

  // In order. Who leaves only after this day is kept for the next; after the last day `all` are.
  std::vector<std::vector<Happening>> next(std::size_t day, bool all);

 private:
  void add_leaving(std::vector<Happening>& some) const;

  const City& city_;
  double checkouts_;
  Workers& workers_;
  std::vector<Happening> later_;
};

void Days::add_leaving(std::vector<Happening>& some) const {
  const std::size_t visits = some.size();
  for (std::size_t n = 0; n < visits; ++n) {
    Visit visit = some[n].visit;
    const auto stay = city_.stay(visit);
    // The last digits of how long somebody stays are as good as a draw.
    if (static_cast<double>(stay.count() % 1000) >= 1000.0 * checkouts_) continue;
    visit.at += stay;
    some.push_back({visit, true});
  }
}

std::vector<std::vector<Happening>> Days::next(std::size_t day, bool all) {
  const auto users = static_cast<std::uint32_t>(city_.plan().users);
  std::vector<std::vector<Happening>> blocks((users + kUsersAtOnce - 1) / kUsersAtOnce);
  workers_.each(blocks.size(), [&](std::size_t block) {
    const auto first = static_cast<std::uint32_t>(block) * kUsersAtOnce;
    std::vector<Visit> visits;
    city_.add_visits(day, first, std::min(users, first + kUsersAtOnce), visits);
    for (const Visit& visit : visits) blocks[block].push_back({visit});
    if (checkouts_ > 0.0) add_leaving(blocks[block]);
  });
  blocks.push_back(std::move(later_));
  later_.clear();
  const Time begin(city_.plan().first_day + std::chrono::days(day));
  std::vector<std::vector<Happening>> slots(kSlotsADay);
  for (const auto& block : blocks) {
    for (const Happening& one : block) {
      const auto slot = static_cast<std::size_t>((one.visit.at - begin) / kSlot);
      if (slot >= kSlotsADay && !all) {
        later_.push_back(one);
      } else {
        slots[std::min(slot, kSlotsADay - 1)].push_back(one);
      }
    }
  }
  workers_.each(slots.size(), [&](std::size_t slot) {
    std::sort(slots[slot].begin(), slots[slot].end(), earlier);
  });
  return slots;
}

}  // namespace

Generated generate(const City& city, const GenerateOptions& options, Workers& workers) {
  make_folder(options.folder);
  std::vector<Writer> writers;
  for (const CityFormat format : options.formats) {
    writers.emplace_back(city, format, options.folder);
  }
  Generated out;
  Days days(city, options.checkouts, workers);
  std::uint64_t number = 0;
  for (std::size_t day = 0; day < city.plan().days; ++day) {
    const auto slots = days.next(day, day + 1 == city.plan().days);
    std::vector<std::uint64_t> first;
    for (const auto& slot : slots) {
      first.push_back(number);
      number += slot.size();
      for (const Happening& one : slot) ++(one.leaves ? out.checkouts : out.visits);
    }
    for (Writer& writer : writers) {
      std::vector<std::string> lines(slots.size());
      workers.each(slots.size(),
                   [&](std::size_t slot) { lines[slot] = writer.lines(slots[slot], first[slot]); });
      for (const std::string& some : lines) writer.write(some);
    }
  }
  for (const Writer& writer : writers) writer.report(out);
  return out;
}

}  // namespace headroom::sim
