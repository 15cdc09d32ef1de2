#include "headroom/base/kernel_code.hpp"

namespace headroom {
extern const Kernels kPlainKernels;
const Kernels kPlainKernels = kernels_named("plain");
}  // namespace headroom
