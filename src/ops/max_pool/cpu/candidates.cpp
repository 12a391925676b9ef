#include <array>
#include <optional>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_pool/cpu/methods.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {
namespace {

// No method meets an index that could be wrong.
template <void (*kRun)(const Plan&, Workers&)>
std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  kRun(plan, workers);
  return std::nullopt;
}

constexpr std::array kCandidates = {
    candidate<why_not_half_channels, run<run_half_channels>>("half_channels"),
    candidate<why_not_channels, run<run_channels>>("channels"),
    candidate<why_not_pairs, run<run_pairs>>("pairs"),
    candidate<why_not_bands, run<run_bands>>("bands"),
    candidate<why_not_rows, run<run_rows>>("rows"),
    candidate<nothing<Plan>, run<run_cells>>("cells"),
};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::max_pool
