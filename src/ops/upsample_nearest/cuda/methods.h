#pragma once

#include "backend/cuda/launch.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {

// Channels are neighbours in memory: a thread copies a pack of them …
const char* why_not_channel_packs(const Plan& plan);
cudaError_t run_channel_packs(const Plan& plan, const cuda::CudaLaunch& launch);

// … or one.
const char* why_not_channels(const Plan& plan);
cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch);

// Rows of values are written in packs. Each source has one position along W …
const char* why_not_rows_same(const Plan& plan);
cudaError_t run_rows_same(const Plan& plan, const cuda::CudaLaunch& launch);

// … or two …
const char* why_not_rows_twice(const Plan& plan);
cudaError_t run_rows_twice(const Plan& plan, const cuda::CudaLaunch& launch);

// … or at least 1.76, of 2-byte elements …
const char* why_not_rows_picked(const Plan& plan);
cudaError_t run_rows_picked(const Plan& plan, const cuda::CudaLaunch& launch);

// … or any number.
const char* why_not_rows(const Plan& plan);
cudaError_t run_rows(const Plan& plan, const cuda::CudaLaunch& launch);

// Everything: a thread copies one element.
cudaError_t run_units(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_nearest
