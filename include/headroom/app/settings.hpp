#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headroom/app/options.hpp"

namespace headroom {

// One key of the configuration: where it lies, what it means, how it is read and written. Reading
// a text that it does not take throws Error with the reason alone; the place is added outside.
struct Setting {
  std::string key;    // section.name
  std::string words;  // what it is and why one would change it; one or more lines
  std::string kind;   // of value, with unit and bounds
  std::function<void(const std::string&)> read;
  std::function<std::string()> write;
};

// Every key there is, bound to the options. The only table of them.
std::vector<Setting> settings(Options& options);

// Reads a YAML file into the options: an unknown key, a key twice or a value out of bounds is an
// Error naming file, line and key.
void read_config(const std::filesystem::path& file, Options& options);
// The same for another table than that of the live program.
void read_settings(const std::filesystem::path& file, const std::vector<Setting>& table);

// A file of keys that are in no table: each with its values, a list's in their order.
struct FileKey {
  std::string key;
  std::vector<std::string> values;
  std::string place;  // FILE:LINE: for messages
};
std::vector<FileKey> read_keys(const std::filesystem::path& file);
// key=value, as given on the command line.
void read_override(std::string_view assignment, Options& options);

// A text as YAML has it: quoted where it could be read as something else.
std::string yaml_text(const std::string& text);

// librdkafka's properties with their secrets read from where they are.
KafkaProperties resolved(const KafkaProperties& written);

// What only several keys together can break; call when all are read.
void check_together(const Options& options);

// The options as a YAML file with every key and its words.
std::string print_config(Options options);

}  // namespace headroom
