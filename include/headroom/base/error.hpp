#pragma once

#include <stdexcept>
#include <string>

namespace headroom {

// This run can't go on because of what it was given: a file, a flag, a setting. The message is one
// line that names the place and the reason; programs print it and end with exit code 2. Expected
// trouble (a bad record in a stream) is a value, and an assert is our own bug.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace headroom
