#include "headroom/app/version.hpp"

namespace headroom {

std::string_view version() { return HEADROOM_VERSION; }

}  // namespace headroom
