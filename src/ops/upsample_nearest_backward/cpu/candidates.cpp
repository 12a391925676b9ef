#include "ops/upsample_nearest_backward/cpu/candidates.h"

#include <array>

#include "ops/candidate.h"
#include "ops/upsample_nearest_backward/cpu/boxes.h"
#include "ops/upsample_nearest_backward/cpu/channels.h"
#include "ops/upsample_nearest_backward/cpu/one_each.h"
#include "ops/upsample_nearest_backward/cpu/two_each.h"
#include "ops/upsample_nearest_backward/cpu/windows.h"

namespace cairn::upsample_nearest_backward {
namespace {

constexpr std::array kCandidates = {
    candidate<one_each::why_not, one_each::run>("one_each"),
    candidate<two_each::why_not, two_each::run>("two_each"),
    candidate<channels::why_not, channels::run>("channels"),
    candidate<windows::why_not, windows::run>("windows"),
    candidate<nothing<Plan>, boxes::run>("boxes"),
};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::upsample_nearest_backward
