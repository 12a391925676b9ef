#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_unpool/cpu/in_place.h"
#include "ops/max_unpool/cpu/sliding_window.h"
#include "ops/max_unpool/cpu/strided.h"

namespace cairn::max_unpool {
namespace {

constexpr std::array kCandidates = {
    candidate<sliding_window::why_not, sliding_window::run>("sliding_window"),
    candidate<in_place::why_not, in_place::run>("in_place"),
    candidate<nothing<Plan>, strided::run>("strided"),
};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::max_unpool
