#include <array>

#include "ops/cuda_kernels.h"

namespace cairn::cuda {

std::span<const CudaCandidate> candidates_of(std::size_t family) {
  static constexpr std::array kLists = {
#define CAIRN_FAMILY(family) &family::kCudaCandidates,
#include "ops/families.def"
#undef CAIRN_FAMILY
  };
  return *kLists[family];
}

}  // namespace cairn::cuda
