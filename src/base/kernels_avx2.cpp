#include "headroom/base/kernel_code.hpp"

namespace headroom {
extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = kernels_named("avx2");
}  // namespace headroom
