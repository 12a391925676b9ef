#include "ops/max_pool_backward/cpu/candidates.h"

#include <array>

#include "ops/candidate.h"
#include "ops/max_pool_backward/cpu/place_rows.h"
#include "ops/max_pool_backward/cpu/scatter.h"
#include "ops/max_pool_backward/cpu/sum_channels.h"
#include "ops/max_pool_backward/cpu/sum_rows.h"

namespace cairn::max_pool_backward {
namespace {

constexpr std::array kCandidates = {
    candidate<place_rows::why_not, place_rows::run>("place_rows"),
    candidate<sum_rows::why_not, sum_rows::run>("sum_rows"),
    candidate<sum_channels::why_not, sum_channels::run>("sum_channels"),
    candidate<nothing<Plan>, scatter::run>("scatter"),
};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::max_pool_backward
