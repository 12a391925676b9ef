#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool/plan.h"

// Keeps the cells that are being written in the cache and hands those left behind to memory, each line once
// and past the cache: memory is neither zeroed first nor read to be written.
namespace cairn::max_unpool::sliding_window {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool::sliding_window
