#pragma once

#include "headroom/base/lanes.hpp"

namespace headroom {

// Adagrad per coordinate (Duchi et al., 2011): how every weight moves; the kernels have the same
// rule for the online rows. The floor keeps a coordinate that never had a gradient where it is; the
// paper's rule divides by zero there.
struct Adagrad {
  float step = 1.0F;
  float floor = 1e-8F;

  template <class T>
  void move(T& weight, T& squares, T gradient) const {
    squares += gradient * gradient;
    weight -= step * gradient / (sqrt(squares) + floor);
  }
};

}  // namespace headroom
