#include "backend/kernel.h"
#include "ops/max_unpool/cpu/direct.h"
#include "ops/max_unpool/cpu/scatter.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool::in_place {

const char* why_not(const Plan& plan) { return why_not_contiguous(plan); }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return scatter_contiguous<DirectWindow>(plan, workers);
}

}  // namespace cairn::max_unpool::in_place
