#pragma once

#include <string_view>

namespace headroom::sim {

// The page of reports without its data; web/CMakeLists.txt makes the text.
std::string_view report_template();

}  // namespace headroom::sim
