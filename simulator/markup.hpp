#pragma once

#include <string>
#include <string_view>

namespace headroom::sim {

// Text that is safe in HTML and SVG, between tags and in quoted attributes.
std::string escaped(std::string_view text);

// A number for people: at most `digits` significant ones, then k, M or G; "n/a" if it is none.
std::string compact(double value, int digits = 4);

// A length on a drawing, to a tenth of a pixel.
std::string tenths(double length);

}  // namespace headroom::sim
