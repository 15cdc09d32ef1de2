// No bytes may crash the decoders, and what decodes must come back the same from its encoding.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "headroom/wire/codec.hpp"

namespace {

// The first input makes the decoders; they live as in the running program.
template <class Decoder, class Value>
void round_trip(Decoder& decoder, std::string_view bytes) {
  Value value;
  if (const auto why = decoder.decode(bytes, value)) {
    if (why->words.empty()) std::abort();
    return;
  }
  std::string line;
  headroom::encode(value, line);
  Value back;
  if (decoder.decode(line, back) || !(back == value)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static headroom::EventDecoder events;
  static headroom::OutputDecoder outputs;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  round_trip<headroom::EventDecoder, headroom::Event>(events, bytes);
  round_trip<headroom::OutputDecoder, headroom::RankedList>(outputs, bytes);
  round_trip<headroom::OutputDecoder, headroom::DeadLetter>(outputs, bytes);
  headroom::output_id_of(bytes);
  return 0;
}
