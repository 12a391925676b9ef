#include "ops/upsample_nearest/cpu/candidates.h"

#include <array>

#include "ops/candidate.h"
#include "ops/upsample_nearest/cpu/channels.h"
#include "ops/upsample_nearest/cpu/copy_lines.h"
#include "ops/upsample_nearest/cpu/elements.h"
#include "ops/upsample_nearest/cpu/long_channels.h"
#include "ops/upsample_nearest/cpu/pairs.h"
#include "ops/upsample_nearest/cpu/shuffles.h"

namespace cairn::upsample_nearest {
namespace {

constexpr std::array kCandidates = {
    candidate<copy_lines::why_not, copy_lines::run>("copy_lines"),
    candidate<long_channels::why_not, long_channels::run>("long_channels"),
    candidate<channels::why_not, channels::run>("channels"),
    candidate<pairs::why_not, pairs::run>("pairs"),
    candidate<shuffles::why_not, shuffles::run>("shuffles"),
    candidate<nothing<Plan>, elements::run>("elements"),
};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::upsample_nearest
