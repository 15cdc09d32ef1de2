#include "headroom/base/kernels.hpp"

#include <string>
#include <vector>

#include "headroom/base/error.hpp"

namespace headroom {

extern const Kernels kPlainKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels, kAvx512Kernels;
#endif

namespace {

std::vector<KernelKind> find_runnable() {
  std::vector<KernelKind> kinds{KernelKind::kPlain};
#if defined(__x86_64__)
  __builtin_cpu_init();
  // Each set is what its file is compiled for in CMakeLists.txt.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    kinds.push_back(KernelKind::kAvx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      kinds.push_back(KernelKind::kAvx512);
    }
  }
#endif
  return kinds;
}

const Kernels& table_of(KernelKind kind) {
#if defined(__x86_64__)
  if (kind == KernelKind::kAvx512) return kAvx512Kernels;
  if (kind == KernelKind::kAvx2) return kAvx2Kernels;
#endif
  static_cast<void>(kind);
  return kPlainKernels;
}

const Kernels*& used() {
  static const Kernels* table = &kernels_of(KernelKind::kBest);
  return table;
}

}  // namespace

std::span<const KernelKind> runnable_kernels() {
  static const std::vector<KernelKind> kinds = find_runnable();
  return kinds;
}

const Kernels& kernels_of(KernelKind kind) {
  const auto runnable = runnable_kernels();
  if (kind == KernelKind::kBest) return table_of(runnable.back());
  for (const KernelKind known : runnable) {
    if (known == kind) return table_of(kind);
  }
  throw Error(std::string("kernels: this machine can't run those of ") +
              (kind == KernelKind::kAvx512 ? "avx512" : "avx2"));
}

const Kernels& kernels() { return *used(); }

void use_kernels(KernelKind kind) { used() = &kernels_of(kind); }

}  // namespace headroom
