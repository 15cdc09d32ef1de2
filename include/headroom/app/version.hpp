#pragma once

#include <string_view>

namespace headroom {

std::string_view version();

}  // namespace headroom
