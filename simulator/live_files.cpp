#include "simulator/live_files.hpp"

#include <fcntl.h>

#include <algorithm>

#include "headroom/wire/codec.hpp"
#include "headroom/wire/object_writer.hpp"
#include "headroom/wire/timestamp.hpp"
#include "simulator/engine_flags.hpp"
#include "simulator/life_settings.hpp"
#include "simulator/report.hpp"

namespace headroom::sim {
namespace {

std::string text_of(Time at) {
  std::string out;
  append_timestamp(at, out);
  return out;
}

// A table that is written at its end of life; numbers as JSON has them.
class Table {
 public:
  Table(std::filesystem::path path, const char* head) : path_(std::move(path)), text_(head) {}
  void write() const { File(path_, O_WRONLY | O_CREAT | O_TRUNC).write_at(0, text_); }
  Table& row(const std::string& first) {
    text_ += '\n';
    text_ += first;
    return *this;
  }
  Table& cell(const std::string& words) {
    text_ += ',';
    text_ += words;
    return *this;
  }
  Table& cell(double value) {
    text_ += ',';
    append_json_number(value, text_);
    return *this;
  }

 private:
  std::filesystem::path path_;
  std::string text_;
};

Json curve_json(const std::vector<LifeSlice>& curve) {
  Json out = Json::array();
  for (const LifeSlice& slice : curve) {
    out.push_back({{"from", text_of(slice.from)},
                   {"asked", slice.asked},
                   {"followed", slice.followed},
                   {"seated", slice.seated},
                   {"turned_away", slice.turned_away},
                   {"gave_up", slice.gave_up},
                   {"waiting", slice.waiting},
                   {"overloaded_items", slice.overloaded_items},
                   {"value", slice.value}});
  }
  return out;
}

}  // namespace

Json live_json(const LiveRuns& runs) {
  Json out = {{"seeds", runs.seeds}, {"policies", Json::array()}};
  out["overload_of_true_lists"] = to_json(interval_of(runs.unconstrained));
  for (std::size_t p = 0; p < runs.policies.size(); ++p) {
    const LivePolicy& policy = runs.policies[p];
    Json one = {{"policy", policy.name}, {"default", policy.is_default}};
    for (const LiveFigure& figure : live_figures()) {
      const auto all = figure_of(runs, p, figure), less = difference_of(runs, p, figure);
      one["figures"][figure.key] = all ? to_json(*all) : Json();
      if (!policy.is_default) one["less_default"][figure.key] = less ? to_json(*less) : Json();
    }
    one["curve"] = curve_json(runs.at(p, 0).curve);
    out["policies"].push_back(std::move(one));
  }
  return out;
}

Json live_manifest(const std::string& command_line, LifeOptions life, const Options& engine) {
  Json manifest = manifest_head(command_line, life.seed);
  for (const Setting& setting : life_settings(life))
    manifest["world"][setting.key] = setting.write();
  manifest["engine"] = engine_settings(engine);
  return manifest;
}

void write_live(const LiveRuns& runs, const LifePlan& first, const Json& manifest,
                const std::filesystem::path& folder) {
  make_folder(folder);
  Table figures(folder / "figures.csv",
                "policy,default,figure,mean,low,high,less_default,less_low,less_high");
  Table curves(folder / "curves.csv",
               "policy,from,asked,followed,seated,turned_away,gave_up,waiting,overloaded_items,"
               "value");
  Table load(folder / "load.csv", "policy,from,item,kind,lat,lon,people,capacity");
  for (std::size_t p = 0; p < runs.policies.size(); ++p) {
    const std::string& name = runs.policies[p].name;
    for (const LiveFigure& figure : live_figures()) {
      const auto all = figure_of(runs, p, figure), less = difference_of(runs, p, figure);
      if (!all) continue;
      figures.row(name).cell(runs.policies[p].is_default ? "yes" : "no").cell(figure.key);
      for (const Interval& some : {*all, less.value_or(Interval{})}) {
        figures.cell(some.mean).cell(some.low).cell(some.high);
      }
    }
    const LifeSeen& seen = runs.at(p, 0);
    for (std::size_t n = 0; n < seen.curve.size(); ++n) {
      const LifeSlice& slice = seen.curve[n];
      curves.row(name).cell(text_of(slice.from));
      for (const double value : {slice.asked, slice.followed, slice.seated, slice.turned_away,
                                 slice.gave_up, slice.waiting, slice.overloaded_items, slice.value})
        curves.cell(value);
      for (std::uint32_t j = 0; j < seen.load[n].size(); ++j) {
        if (seen.load[n][j] <= 0.0F) continue;
        const Spot& spot = first.city().spots()[j];
        load.row(name).cell(text_of(slice.from)).cell(std::string("i").append(std::to_string(j)));
        load.cell(traits(spot.kind).name).cell(spot.at.lat).cell(spot.at.lon);
        load.cell(static_cast<double>(seen.load[n][j])).cell(first.capacity(j).limit);
      }
    }
  }
  for (const Table* table : {&figures, &curves, &load}) table->write();
  Json report = report_data(runs, first);
  report["manifest"] = manifest;
  write_report(report, folder);
}

ListFile::ListFile(const std::filesystem::path& path) : file_(path, O_WRONLY | O_CREAT | O_TRUNC) {}

void ListFile::add(std::span<const RankedList> lists) {
  lines_.clear();
  for (const RankedList& list : lists) {
    encode(list, lines_);
    lines_ += '\n';
  }
  file_.write_at(size_, lines_);
  size_ += lines_.size();
}

std::string list_file_name(const LivePolicy& policy, std::uint64_t seed) {
  std::string name = policy.name + "-" + std::to_string(seed) + ".jsonl";
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

}  // namespace headroom::sim
