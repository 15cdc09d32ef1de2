#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>

namespace headroom {

// Judges JSON by the schemas of one folder. Knows the keywords that they use and throws at any
// other, so that no rule is passed over in silence.
class Schemas {
 public:
  using Json = nlohmann::json;

  explicit Schemas(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path());
      schemas_[entry.path().filename().string()] = Json::parse(file);
    }
  }

  const Json& operator[](const std::string& name) const { return schemas_.at(name + ".json"); }

  bool valid(const std::string& name, const Json& value) const {
    const std::string file = name + ".json";
    return fits(schemas_.at(file), value, file);
  }

 private:
  // `file` is where `schema` stands: references may leave its name out.
  bool fits(const Json& schema, const Json& value, const std::string& file) const {
    for (const auto& [keyword, rule] : schema.items()) {
      if (!fits(schema, keyword, rule, value, file)) return false;
    }
    return true;
  }

  bool fits(const Json& schema, const std::string& keyword, const Json& rule, const Json& value,
            const std::string& file) const {
    const auto within = [&](const Json& part) { return fits(part, value, file); };
    if (keyword == "$ref") return fits_reference(rule, value, file);
    if (keyword == "type") return has_type(value, rule);
    if (keyword == "const") return value == rule;
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (keyword == "anyOf") return std::any_of(rule.begin(), rule.end(), within);
    if (keyword == "allOf") return std::all_of(rule.begin(), rule.end(), within);
    if (keyword == "if") {
      const char* branch = within(rule) ? "then" : "else";
      return !schema.contains(branch) || within(schema[branch]);
    }
    if (keyword == "minimum") return !value.is_number() || value.get<double>() >= rule;
    if (keyword == "maximum") return !value.is_number() || value.get<double>() <= rule;
    if (keyword == "minLength") return !value.is_string() || characters(value) >= rule;
    if (keyword == "maxLength") return !value.is_string() || characters(value) <= rule;
    if (keyword == "pattern") {
      return !value.is_string() || std::regex_search(value.get<std::string>(), expression(rule));
    }
    if (keyword == "required") {
      return !value.is_object() || std::all_of(rule.begin(), rule.end(), [&](const Json& key) {
        return value.contains(key.get<std::string>());
      });
    }
    if (keyword == "properties") {
      return !value.is_object() ||
             std::all_of(value.items().begin(), value.items().end(), [&](const auto& member) {
               return !rule.contains(member.key()) ||
                      fits(rule[member.key()], member.value(), file);
             });
    }
    if (keyword == "items") {
      return !value.is_array() || std::all_of(value.begin(), value.end(), [&](const Json& one) {
        return fits(rule, one, file);
      });
    }
    if (keyword == "minItems") return !value.is_array() || value.size() >= rule;
    if (keyword == "maxItems") return !value.is_array() || value.size() <= rule;
    if (keyword == "uniqueItems") return !value.is_array() || all_differ(value);
    static const std::vector<std::string> kSilent = {
        "$schema", "$id", "$defs", "title", "description", "examples", "default", "then", "else"};
    if (std::find(kSilent.begin(), kSilent.end(), keyword) != kSilent.end()) return true;
    throw std::runtime_error("no rule for the schema keyword " + keyword);
  }

  bool fits_reference(const std::string& to, const Json& value, const std::string& file) const {
    const auto hash = to.find('#');
    const std::string target = hash == 0 ? file : to.substr(0, hash);
    return fits(schemas_.at(target).at(Json::json_pointer(to.substr(hash + 1))), value, target);
  }

  static bool has_type(const Json& value, const Json& rule) {
    if (rule.is_array()) {
      return std::any_of(rule.begin(), rule.end(),
                         [&](const Json& one) { return has_type(value, one); });
    }
    if (rule == "integer") {  // 10.0 is one, says the standard
      return value.is_number_integer() ||
             (value.is_number() && value.get<double>() == std::floor(value.get<double>()));
    }
    return (rule == "string" && value.is_string()) || (rule == "number" && value.is_number()) ||
           (rule == "object" && value.is_object()) || (rule == "array" && value.is_array()) ||
           (rule == "boolean" && value.is_boolean()) || (rule == "null" && value.is_null());
  }

  static std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  }

  static bool all_differ(const Json& array) {
    for (auto one = array.begin(); one != array.end(); ++one) {
      if (std::find(std::next(one), array.end(), *one) != array.end()) return false;
    }
    return true;
  }

  static const std::regex& expression(const std::string& pattern) {
    static std::map<std::string, std::regex> known;  // slow to make
    return known.try_emplace(pattern, pattern).first->second;
  }

  std::map<std::string, Json> schemas_;
};

}  // namespace headroom
