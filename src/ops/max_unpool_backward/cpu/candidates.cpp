#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_unpool_backward/cpu/converted.h"
#include "ops/max_unpool_backward/cpu/rows.h"
#include "ops/max_unpool_backward/cpu/shuffled.h"
#include "ops/max_unpool_backward/cpu/strided.h"

namespace cairn::max_unpool_backward {
namespace {

constexpr std::array kCandidates = {
    candidate<shuffled::why_not, shuffled::run>("shuffled"),
    candidate<strided::why_not, strided::run>("strided"),
    candidate<rows::why_not, rows::run>("rows"),
    candidate<nothing<Plan>, converted::run>("converted"),
};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::max_unpool_backward
