#pragma once

#include <functional>

#include "headroom/base/error.hpp"

namespace headroom {

// Says whether a stop is asked for: who waits for another process looks now and then. None: never.
using StopAsked = std::function<bool()>;

// A wait was given up because a stop was asked for.
class Stopped : public Error {
 public:
  using Error::Error;
};

}  // namespace headroom
