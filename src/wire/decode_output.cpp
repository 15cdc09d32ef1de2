#include <limits>
#include <set>

#include "headroom/wire/base64.hpp"
#include "headroom/wire/codec.hpp"
#include "headroom/wire/object_reader.hpp"

namespace headroom {
namespace {

constexpr FieldSet kListFields = set_of(
    {Field::kRecommendation, Field::kReplaces, Field::kTimestamp, Field::kUser,
     Field::kListenPropensity, Field::kValidUntil, Field::kPolicy, Field::kReason, Field::kItems});
constexpr FieldSet kItemFields = set_of({Field::kItem, Field::kRank, Field::kScore, Field::kPrice,
                                         Field::kPscore, Field::kHeld, Field::kRoom});
constexpr FieldSet kLetterFields =
    set_of({Field::kDeadLetter, Field::kTimestamp, Field::kTopic, Field::kPartition, Field::kOffset,
            Field::kKind, Field::kReason, Field::kBytes});

constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();
constexpr double kMaxFloat = std::numeric_limits<float>::max();

bool read_id(ObjectReader& record, Field field, char prefix, OutputId& into) {
  std::string_view text;
  if (!record.text(field, text)) return false;
  const auto id = parse_output_id(prefix, text);
  if (!id) return record.refuse_value(RejectKind::kBadId, field, "is no id of an output: ");
  into = *id;
  return true;
}

bool read_item(ObjectReader& object, std::int64_t rank, ListedItem& into) {
  std::int64_t read_rank = 0;
  into.room = std::numeric_limits<float>::infinity();
  return object.id(Field::kItem, into.item) &&
         object.integer(Field::kRank, rank, rank, read_rank) &&
         object.number(Field::kScore, -kMaxFloat, kMaxFloat, into.score) &&
         object.number(Field::kPrice, -kMaxFloat, kMaxFloat, into.price) &&
         object.number(Field::kPscore, 0, 1, into.pscore) &&
         object.number(Field::kHeld, 0, kMaxFloat, into.held) &&
         (!object.has(Field::kRoom) ||
          object.number(Field::kRoom, -kMaxFloat, kMaxFloat, into.room));
}

bool read_items(ObjectReader& record, std::vector<ListedItem>& into) {
  into.clear();
  simdjson::dom::array items;
  if (!record.array(Field::kItems, items)) return false;
  for (const auto element : items) {
    if (!element.is_object()) {
      return record.refuse(RejectKind::kWrongType, Field::kItems,
                           "must hold objects, not " + quoted(element));
    }
    ObjectReader object(record, Field::kItems, static_cast<int>(into.size()));
    ListedItem& item = into.emplace_back();
    if (!object.open(element, kItemFields) ||
        !read_item(object, static_cast<std::int64_t>(into.size()), item)) {
      return false;
    }
  }
  return true;
}

bool read_replaces(ObjectReader& record, std::optional<OutputId>& into) {
  into.reset();
  return !record.has(Field::kReplaces) || read_id(record, Field::kReplaces, 'r', into.emplace());
}

bool read_topic(ObjectReader& record, Topic& into) {
  std::string_view word;
  if (!record.text(Field::kTopic, word)) return false;
  for (const Topic topic : {Topic::kItems, Topic::kEvents}) {
    if (name(topic) != word) continue;
    into = topic;
    return true;
  }
  return record.refuse_value(RejectKind::kOutOfRange, Field::kTopic, "is none of ours: ");
}

bool read_kind(ObjectReader& record, RejectKind& into) {
  std::string_view word;
  if (!record.text(Field::kKind, word)) return false;
  for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(RejectKind::kCount); ++i) {
    if (name(static_cast<RejectKind>(i)) != word) continue;
    into = static_cast<RejectKind>(i);
    return true;
  }
  return record.refuse_value(RejectKind::kOutOfRange, Field::kKind, "is none of ours: ");
}

bool read_bytes(ObjectReader& record, std::string& into) {
  std::string_view text;
  if (!record.text(Field::kBytes, text)) return false;
  auto bytes = from_base64(text);
  if (!bytes) return record.refuse_value(RejectKind::kOutOfRange, Field::kBytes, "is no base64: ");
  into = std::move(*bytes);
  return true;
}

bool read_letter(ObjectReader& record, DeadLetter& into) {
  Place& place = into.reject.place;
  return read_id(record, Field::kDeadLetter, 'd', into.id) &&
         record.time(Field::kTimestamp, into.at) && read_topic(record, place.topic) &&
         record.integer(Field::kPartition, 0, std::numeric_limits<std::uint32_t>::max(),
                        place.partition) &&
         record.integer(Field::kOffset, 0, std::numeric_limits<std::int64_t>::max(),
                        place.offset) &&
         read_kind(record, into.reject.reason.kind) &&
         record.text_up_to(Field::kReason, kAnyLength, into.reject.reason.words) &&
         read_bytes(record, into.reject.bytes);
}

}  // namespace

class OutputDecoder::Impl {
 public:
  std::optional<RejectReason> decode(std::string_view line, RankedList& into) {
    if (parse(line, kListFields) && read_list(into)) return std::nullopt;
    return std::move(why_);
  }

  std::optional<RejectReason> decode(std::string_view line, DeadLetter& into) {
    if (parse(line, kLetterFields) && read_letter(record_, into)) return std::nullopt;
    return std::move(why_);
  }

 private:
  bool parse(std::string_view line, FieldSet known) {
    padded_ = line;
    padded_.append(simdjson::SIMDJSON_PADDING, '\0');
    return record_.parse(parser_, {padded_.data(), line.size()}, known);
  }

  bool read_list(RankedList& into) {
    into.reason.clear();
    return read_id(record_, Field::kRecommendation, 'r', into.id) &&
           read_replaces(record_, into.replaces) && record_.time(Field::kTimestamp, into.at) &&
           record_.id(Field::kUser, into.user) &&
           record_.number(Field::kListenPropensity, 0, 1, into.listen_propensity) &&
           record_.time(Field::kValidUntil, into.valid_until) && read_policy(into.policy) &&
           (!record_.has(Field::kReason) ||
            record_.text_up_to(Field::kReason, kAnyLength, into.reason)) &&
           read_items(record_, into.items);
  }

  bool read_policy(std::string_view& into) {
    std::string word;
    if (!record_.id(Field::kPolicy, word)) return false;
    into = *policies_.insert(std::move(word)).first;
    return true;
  }

  simdjson::dom::parser parser_;
  std::string padded_;
  std::set<std::string> policies_;  // lists only view theirs; there are few
  RejectReason why_;
  ObjectReader record_{why_};
};

OutputDecoder::OutputDecoder() : impl_(std::make_unique<Impl>()) {}
OutputDecoder::~OutputDecoder() = default;
OutputDecoder::OutputDecoder(OutputDecoder&&) noexcept = default;
OutputDecoder& OutputDecoder::operator=(OutputDecoder&&) noexcept = default;

std::optional<RejectReason> OutputDecoder::decode(std::string_view line, RankedList& into) {
  return impl_->decode(line, into);
}

std::optional<RejectReason> OutputDecoder::decode(std::string_view line, DeadLetter& into) {
  return impl_->decode(line, into);
}

std::optional<OutputId> output_id_of(std::string_view line) {
  struct Head {
    std::string_view text;
    char prefix;
  };
  for (const Head head : {Head{R"({"recommendation":")", 'r'}, Head{R"({"dead_letter":")", 'd'}}) {
    if (!line.starts_with(head.text)) continue;
    line.remove_prefix(head.text.size());
    const std::size_t end = line.find('"');
    if (end == std::string_view::npos) return std::nullopt;
    return parse_output_id(head.prefix, line.substr(0, end));
  }
  return std::nullopt;
}

}  // namespace headroom
