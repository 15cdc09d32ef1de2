#pragma once

#include <string>
#include <utility>

#include "headroom/engine/batch.hpp"

namespace headroom::test {

// A record in a batch; its bytes are only told again in dead letters.
template <class What>
Arrival arrival(Time at, std::string id, What what, Place place = {}) {
  std::string bytes = "bytes of " + id;
  return {place, {at, std::move(id), std::move(what)}, std::move(bytes)};
}

}  // namespace headroom::test
