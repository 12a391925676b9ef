#pragma once

#include "backend/kernel.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// The ways to compute a plan on the CPU, each in a file of its name: what speaks against it, in words (null
// if nothing does), and what computes any plan that nothing speaks against.

const char* why_not_half_channels(const Plan& plan);
void run_half_channels(const Plan& plan, Workers& workers);

const char* why_not_channels(const Plan& plan);
void run_channels(const Plan& plan, Workers& workers);

const char* why_not_pairs(const Plan& plan);
void run_pairs(const Plan& plan, Workers& workers);

const char* why_not_bands(const Plan& plan);
void run_bands(const Plan& plan, Workers& workers);

const char* why_not_rows(const Plan& plan);
void run_rows(const Plan& plan, Workers& workers);

// Takes every plan.
void run_cells(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool
