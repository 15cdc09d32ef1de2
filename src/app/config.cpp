#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "headroom/app/settings.hpp"
#include "headroom/base/error.hpp"

namespace headroom {

namespace {

std::string place_of(const std::filesystem::path& file, const YAML::Mark& mark) {
  return file.string() + ":" + std::to_string(mark.line + 1) + ": ";
}

const Setting* find(const std::vector<Setting>& table, const std::string& key) {
  const auto at = std::find_if(table.begin(), table.end(),
                               [&](const Setting& setting) { return setting.key == key; });
  return at == table.end() ? nullptr : &*at;
}

constexpr std::string_view kKafka = "kafka";

const std::string kKafkaWords =
    "Every key here goes to librdkafka as it is: bootstrap.servers, security.protocol, ... A "
    "value\n"
    "${env:NAME} is read from the environment, ${file:PATH} from a file: for passwords.";
const std::string kHidden = "(hidden)";

bool is_reference(std::string_view value) {
  return (value.starts_with("${env:") || value.starts_with("${file:")) && value.ends_with("}");
}

std::string resolved(const std::string& key, const std::string& value) {
  if (!is_reference(value)) return value;
  const auto colon = value.find(':');
  const std::string name = value.substr(colon + 1, value.size() - colon - 2);
  if (value.starts_with("${env:")) {
    const char* const found = std::getenv(name.c_str());
    if (found == nullptr) throw Error("kafka." + key + ": the environment has no " + name);
    return found;
  }
  std::ifstream in(name);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) throw Error("kafka." + key + ": " + name + " cannot be read");
  std::string found = text.str();
  while (found.ends_with('\n') || found.ends_with('\r')) found.pop_back();
  return found;
}

void set_kafka(Options& options, const std::string& key, const std::string& value) {
  for (auto& [known, at] : options.kafka) {
    if (known == key) {
      at = value;
      return;
    }
  }
  options.kafka.emplace_back(key, value);
}

// Reads a mapping, and those in it, with the keys' path so far.
class Reader {
 public:
  // Without options there is no section of librdkafka's own.
  Reader(const std::filesystem::path& file, const std::vector<Setting>& table, Options* options)
      : file_(file), table_(table), options_(options) {}

  void read(const YAML::Node& node, const std::string& path) {
    if (!node.IsMap()) fail(node, path, "a mapping of keys is wanted here");
    for (const auto& entry : node) {
      const std::string key =
          path + (path.empty() ? "" : ".") + (entry.first.IsScalar() ? entry.first.Scalar() : "?");
      if (!seen_.insert(key).second) fail(entry.first, key, "is given twice");
      if (key == kKafka && options_ != nullptr) {
        if (!entry.second.IsNull()) read_kafka(entry.second);
      } else if (const Setting* setting = find(table_, key)) {
        read_value(entry.second, entry.first, *setting);
      } else if (is_section(key)) {
        if (!entry.second.IsNull()) read(entry.second, key);
      } else {
        fail(entry.first, key,
             options_ != nullptr ? "there is no such key; `headroom config print` shows them all"
                                 : "there is no such key");
      }
    }
  }

 private:
  void read_value(const YAML::Node& node, const YAML::Node& name, const Setting& setting) {
    if (!node.IsScalar()) fail(name, setting.key, "one value is wanted: " + setting.kind);
    try {
      setting.read(node.Scalar());
    } catch (const Error& error) {
      fail(node, setting.key, error.what());
    }
  }
  // What is there goes to librdkafka as it is.
  void read_kafka(const YAML::Node& node) {
    const std::string path(kKafka);
    if (!node.IsMap()) fail(node, path, "a mapping of librdkafka's keys is wanted here");
    for (const auto& entry : node) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      if (!seen_.insert(path + "." + key).second)
        fail(entry.first, path + "." + key, "is given twice");
      if (!entry.second.IsScalar()) fail(entry.first, path + "." + key, "one value is wanted");
      try {
        const std::string value = entry.second.Scalar();
        if (!is_reference(value)) check_kafka_key(key, value);
        set_kafka(*options_, key, value);
      } catch (const Error& error) {
        throw Error(place_of(file_, entry.first.Mark()) + error.what());
      }
    }
  }
  bool is_section(const std::string& key) const {
    return std::any_of(table_.begin(), table_.end(),
                       [&](const Setting& setting) { return setting.key.starts_with(key + "."); });
  }
  [[noreturn]] void fail(const YAML::Node& node, const std::string& key,
                         const std::string& words) const {
    throw Error(place_of(file_, node.Mark()) + (key.empty() ? "" : key + ": ") + words);
  }

  const std::filesystem::path& file_;
  const std::vector<Setting>& table_;
  Options* options_;
  std::set<std::string> seen_;
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  std::error_code ignored;
  if (!in || std::filesystem::is_directory(file, ignored)) {
    throw Error(file.string() + ": cannot be read");
  }
  text << in.rdbuf();
  return text.str();
}

// What `use` does with each document of a file.
template <class Use>
void for_documents(const std::filesystem::path& file, const Use& use) {
  const std::string text = text_of(file);
  try {
    for (const YAML::Node& root : YAML::LoadAll(text)) {
      if (root.IsDefined() && !root.IsNull()) use(root);
    }
  } catch (const YAML::Exception& error) {
    throw Error(place_of(file, error.mark) + error.msg);
  }
}

void read_file(const std::filesystem::path& file, const std::vector<Setting>& table,
               Options* options) {
  Reader reader(file, table, options);
  for_documents(file, [&](const YAML::Node& root) { reader.read(root, ""); });
}

std::string scalar_of(const YAML::Node& node, const std::string& place) {
  if (!node.IsScalar()) throw Error(place + "a value is wanted");
  return node.Scalar();
}

}  // namespace

void read_config(const std::filesystem::path& file, Options& options) {
  read_file(file, settings(options), &options);
}

void read_settings(const std::filesystem::path& file, const std::vector<Setting>& table) {
  read_file(file, table, nullptr);
}

std::vector<FileKey> read_keys(const std::filesystem::path& file) {
  std::vector<FileKey> keys;
  for_documents(file, [&](const YAML::Node& root) {
    if (!root.IsMap()) throw Error(place_of(file, root.Mark()) + "a mapping is wanted");
    for (const auto& entry : root) {
      const std::string place = place_of(file, entry.first.Mark());
      FileKey& key = keys.emplace_back(FileKey{scalar_of(entry.first, place), {}, place});
      if (!entry.second.IsSequence()) {
        key.values.push_back(scalar_of(entry.second, place + key.key + ": "));
        continue;
      }
      for (const YAML::Node& one : entry.second) {
        key.values.push_back(scalar_of(one, place + key.key + ": "));
      }
    }
  });
  return keys;
}

void read_override(std::string_view assignment, Options& options) {
  const auto equals = assignment.find('=');
  const std::string key(assignment.substr(0, equals));
  if (const std::string head = std::string(kKafka) + "."; key.starts_with(head)) {
    if (equals != std::string_view::npos) {
      return set_kafka(options, key.substr(head.size()),
                       std::string(assignment.substr(equals + 1)));
    }
  }
  const auto table = settings(options);
  const Setting* setting = find(table, key);
  if (setting == nullptr || equals == std::string_view::npos) {
    throw Error("--set " + std::string(assignment) +
                ": KEY=VALUE is wanted; `headroom config print` shows all keys");
  }
  try {
    setting->read(std::string(assignment.substr(equals + 1)));
  } catch (const Error& error) {
    throw Error("--set " + key + ": " + error.what());
  }
}

KafkaProperties resolved(const KafkaProperties& written) {
  KafkaProperties out;
  for (const auto& [key, value] : written) out.emplace_back(key, resolved(key, value));
  return out;
}

void check_together(const Options& options) {
  if (options.source == SourceKind::kFile && options.source_file.empty()) {
    throw Error("source.file: must be given if source.kind is file");
  }
  if (options.sink == SinkKind::kFile && options.sink_file.empty()) {
    throw Error("sink.file: must be given if sink.kind is file");
  }
  if (options.sink == SinkKind::kKafka && options.source != SourceKind::kKafka) {
    throw Error("sink.kind: kafka needs source.kind kafka, as both move in one transaction");
  }
  if (options.source == SourceKind::kKafka) check_kafka(resolved(options.kafka));
  if (options.instances > 1) {
    throw Error(
        "instances: only 1 as yet: seats can't be leased, so each instance would give out all of "
        "them");
  }
}

std::string print_config(Options options) {
  std::string text;
  std::string section;
  const auto comment = [&](const std::string& indent, const std::string& words) {
    std::istringstream lines(words);
    for (std::string line; std::getline(lines, line);) text += indent + "# " + line + "\n";
  };
  for (const Setting& setting : settings(options)) {
    const auto dot = setting.key.find('.');
    const std::string above = dot == std::string::npos ? "" : setting.key.substr(0, dot);
    const std::string indent = above.empty() ? "" : "  ";
    if (!text.empty()) text += "\n";
    if (above != section) text += above + ":\n";
    section = above;
    comment(indent, setting.words);
    comment(indent, "(" + setting.kind + ")");
    text += indent + setting.key.substr(dot == std::string::npos ? 0 : dot + 1) + ": " +
            setting.write() + "\n";
  }
  text += "\n";
  comment("", kKafkaWords);
  text += "kafka:" + std::string(options.kafka.empty() ? " {}" : "") + "\n";
  for (const auto& [key, value] : options.kafka) {
    text += "  " + key + ": " +
            yaml_text(is_kafka_secret(key) && !is_reference(value) ? kHidden : value) + "\n";
  }
  return text;
}

}  // namespace headroom
