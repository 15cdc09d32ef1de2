#pragma once

#include <vector>

#include "headroom/app/settings.hpp"
#include "simulator/life.hpp"

namespace headroom::sim {

// Every key of a World file, bound to the options. The only table of them: each is a flag too.
std::vector<Setting> life_settings(LifeOptions& options);

}  // namespace headroom::sim
