#include "ops/max_pool/cpu/candidates.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/anywhere.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/cpu/scratch.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/candidates.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/pool-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

template <typename T, typename Index>
HWY_ATTR void run_blocks(const Plan& plan, Workers& workers) {
  const WindowAxes axes(plan);
  const Blocks blocks(plan, axes, workers.count(), static_cast<std::int64_t>(hn::Lanes(Floats())));
  if (blocks.way == Way::kByCells) return CellByCell<T, Index>(plan).run(workers);
  const std::int64_t planes = plan.n * plan.c;
  // A line written through the cache is read first, so it counts twice.
  const auto written = static_cast<std::int64_t>(2 * (sizeof(T) + sizeof(Index)));
  const bool streaming = streams_past_cache(
      planes * (plan.in.count() * static_cast<std::int64_t>(sizeof(T)) + plan.out.count() * written));
  constexpr std::int64_t kGrain = 16384;
  const std::int64_t elements = blocks.rows * blocks.windows * blocks.channels;
  for_each_range(workers, blocks.count(plan), std::max<std::int64_t>(kGrain / elements, 1), 1,
                 [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
                   const OfThread<Scratch> scratch;
                   Pool<T, Index>(plan, axes, blocks, *scratch, streaming).run(begin, end);
                 });
}

HWY_ATTR void run_pool(const Plan& plan, Workers& workers) {
  with_float_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() HWY_ATTR {
    run_blocks<T, Index>(plan, workers);
  });
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool {

HWY_EXPORT(run_pool);

namespace {

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.out.count() > 0) HWY_DYNAMIC_DISPATCH(run_pool)(plan, workers);
  return std::nullopt;
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, run_on_cpu>("all")};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::max_pool
#endif
