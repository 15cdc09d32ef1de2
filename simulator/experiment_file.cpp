#include "simulator/experiment_file.hpp"

#include <algorithm>
#include <set>

#include "headroom/app/settings.hpp"
#include "headroom/base/error.hpp"

namespace headroom::sim {
namespace {

bool is_given(const std::string& flag, const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& word) {
    return word == flag || word.starts_with(flag + "=");
  });
}

void add(const FileKey& key, std::vector<std::string>& flags) {
  for (const std::string& value : key.values) {
    if (value == "false") continue;
    flags.push_back("--" + key.key);
    if (value != "true") flags.push_back(value);
  }
}

}  // namespace

std::vector<std::string> arguments_of(const std::filesystem::path& file,
                                      const std::vector<std::string>& more) {
  std::string command;
  std::set<std::string> seen;
  std::vector<std::string> flags;
  for (const FileKey& key : read_keys(file)) {
    if (!seen.insert(key.key).second) throw Error(key.place + key.key + ": is given twice");
    if (key.key == "command") {
      if (key.values.size() == 1) command = key.values.front();
    } else if (!is_given("--" + key.key, more)) {
      add(key, flags);
    }
  }
  if (command.empty()) throw Error(file.string() + ": command: which of headroom-sim is meant?");
  std::vector<std::string> all = {command};
  all.insert(all.end(), flags.begin(), flags.end());
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace headroom::sim
