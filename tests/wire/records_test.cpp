// The table of records.txt: the codec and the schemas must agree with it, and so with each other.

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "headroom/wire/codec.hpp"
#include "support/catch.hpp"
#include "support/json_schema.hpp"

namespace headroom {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kSource = HEADROOM_SOURCE_DIR;

struct Case {
  std::string schema;
  std::string verdict;      // "ok" or the kind of the reject
  bool codec_only = false;  // the schema takes it
  Json record;
  std::string line;
};

// <x*3> becomes xxx.
std::string expanded(std::string text) {
  for (std::size_t end = 0; (end = text.find('>')) != std::string::npos;) {
    const std::size_t start = text.find('<');
    const std::size_t star = text.rfind('*', end);
    const std::string piece = text.substr(start + 1, star - start - 1);
    std::string all;
    for (int i = std::stoi(text.substr(star + 1)); i > 0; --i) all += piece;
    text.replace(start, end - start + 1, all);
  }
  return text;
}

Json changed(Json record, const std::string& change) {
  if (change[0] == '-') {
    REQUIRE(record.erase(change.substr(1)) == 1);
  } else {
    record.update(Json::parse(expanded(change)));
  }
  return record;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  std::ifstream file(kSource / "tests/wire/records.txt");
  std::string schema;
  Json base;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string verdict;
    std::string rest;
    words >> verdict;
    const bool codec_only = verdict == "codec";
    if (codec_only) words >> verdict;
    if (verdict == "record") words >> schema;
    std::getline(words >> std::ws, rest);
    if (verdict == "record") {
      base = Json::parse(rest);
    } else {
      all.push_back({schema, verdict, codec_only, changed(base, rest), line});
    }
  }
  return all;
}

std::string codec_verdict(const std::string& schema, const std::string& record) {
  std::optional<RejectReason> why;
  Event event;
  RankedList list;
  DeadLetter letter;
  if (schema == "recommendation") {
    why = OutputDecoder().decode(record, list);
  } else if (schema == "dead_letter") {
    why = OutputDecoder().decode(record, letter);
  } else {
    static EventDecoder decoder;
    why = decoder.decode(record, event);
  }
  return why ? std::string(name(why->kind)) : "ok";
}

}  // namespace

TEST_CASE("the codec judges every record of the table as it says", "[wire]") {
  const auto all = cases();
  REQUIRE(all.size() > 250);
  for (const Case& one : all) {
    CAPTURE(one.schema, one.line);
    CHECK(codec_verdict(one.schema, one.record.dump()) == one.verdict);
  }
}

TEST_CASE("the schemas judge every record of the table as the codec does", "[wire]") {
  const Schemas schemas(kSource / "config/schema");
  for (const Case& one : cases()) {
    CAPTURE(one.schema, one.line);
    CHECK(schemas.valid(one.schema, one.record) == (one.verdict == "ok" || one.codec_only));
  }
}

TEST_CASE("every schema has examples, and the codec takes them", "[wire]") {
  const Schemas schemas(kSource / "config/schema");
  for (const char* name : {"checkin", "checkout", "feedback", "impression", "request", "forget",
                           "item", "recommendation", "dead_letter"}) {
    CAPTURE(name);
    const Json& examples = schemas[name].at("examples");
    CHECK(!examples.empty());
    for (const Json& example : examples) {
      CHECK(codec_verdict(name, example.dump()) == "ok");
      CHECK(schemas.valid(name, example));
    }
  }
}

}  // namespace headroom
