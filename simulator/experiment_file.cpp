#include "simulator/experiment_file.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const YAML::Mark& mark,
                       const std::string& words) {
  const std::string line = mark.is_null() ? "" : std::to_string(mark.line + 1) + ": ";
  throw Error(file.string() + ":" + (line.empty() ? " " : line) + words);
}

// What an experiment may not do: begin another one.
constexpr const char* kRun = "run";

class Reader {
 public:
  Reader(const std::filesystem::path& file, const std::vector<std::string>& more)
      : file_(file), more_(more) {}

  std::vector<std::string> read(const YAML::Node& root) {
    if (!root.IsMap()) fail(file_, root.Mark(), "a mapping of flags is wanted");
    for (const auto& entry : root) {
      const std::string key = scalar(entry.first, "a flag's name is wanted");
      if (!seen_.insert(key).second) fail(file_, entry.first.Mark(), key + ": is given twice");
      if (key == "command") {
        command_ = scalar(entry.second, "command: a command's name is wanted");
      } else if (!is_given("--" + key)) {
        add("--" + key, entry.second);
      }
    }
    if (command_.empty() || command_.front() == '-' || command_ == kRun) {
      fail(file_, root.Mark(), "command: which of headroom-sim is to be run?");
    }
    std::vector<std::string> all = {command_};
    all.insert(all.end(), flags_.begin(), flags_.end());
    all.insert(all.end(), more_.begin(), more_.end());
    return all;
  }

 private:
  std::string scalar(const YAML::Node& node, const std::string& words) const {
    if (!node.IsScalar()) fail(file_, node.Mark(), words);
    return node.Scalar();
  }
  bool is_given(const std::string& flag) const {
    return std::any_of(more_.begin(), more_.end(), [&](const std::string& word) {
      return word == flag || word.starts_with(flag + "=");
    });
  }
  void add(const std::string& flag, const YAML::Node& value) {
    if (value.IsSequence()) {
      for (const YAML::Node& one : value) {
        flags_.insert(flags_.end(), {flag, scalar(one, flag + ": one value each is wanted")});
      }
      return;
    }
    const std::string words = scalar(value, flag + ": a value or a list of values is wanted");
    if (words == "false") return;
    flags_.push_back(flag);
    if (words != "true") flags_.push_back(words);
  }

  const std::filesystem::path& file_;
  const std::vector<std::string>& more_;
  std::set<std::string> seen_;
  std::string command_;
  std::vector<std::string> flags_;
};

}  // namespace

std::vector<std::string> arguments_of(const std::filesystem::path& file,
                                      const std::vector<std::string>& more) {
  std::ifstream in(file);
  std::error_code ignored;
  if (!in || std::filesystem::is_directory(file, ignored)) {
    throw Error(file.string() + ": cannot be read");
  }
  try {
    return Reader(file, more).read(YAML::Load(in));
  } catch (const YAML::Exception& error) {
    fail(file, error.mark, error.msg);
  }
}

}  // namespace headroom::sim
