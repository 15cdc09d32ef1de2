#include "headroom/base/kernel_code.hpp"

namespace headroom {
extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = kernels_named("avx512");
}  // namespace headroom
