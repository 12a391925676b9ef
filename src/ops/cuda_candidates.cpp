#include <array>

#include "backend/cuda/launch.h"

// Each family's list is in its folder's cuda/candidates.cpp; one that is missing does not link.
#define CAIRN_FAMILY(family)                                         \
  namespace cairn::family {                                          \
  extern const std::span<const cuda::CudaCandidate> kCudaCandidates; \
  }
#include "ops/families.def"
#undef CAIRN_FAMILY

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
