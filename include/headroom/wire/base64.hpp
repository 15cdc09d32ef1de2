#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headroom {

// RFC 4648, the usual alphabet, padded.
void append_base64(std::string_view bytes, std::string& out);

// Nothing if the text is not exactly what append_base64 would give.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace headroom
