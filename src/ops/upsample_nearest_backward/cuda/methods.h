#pragma once

#include "backend/cuda/launch.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace cairn::upsample_nearest_backward {

// Channels are neighbours in memory: a thread sums a cell of a pack of them …
const char* why_not_channel_packs(const Plan& plan);
cudaError_t run_channel_packs(const Plan& plan, const cuda::CudaLaunch& launch);

// … or of one.
const char* why_not_channels(const Plan& plan);
cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch);

// Rows lie in packs, and a thread sums a pack of cells. Each has one position along W …
const char* why_not_rows_same(const Plan& plan);
cudaError_t run_rows_same(const Plan& plan, const cuda::CudaLaunch& launch);

// … or two.
const char* why_not_rows_twice(const Plan& plan);
cudaError_t run_rows_twice(const Plan& plan, const cuda::CudaLaunch& launch);

// A cell has few positions along each axis, of 2-byte elements: they go through shared memory …
const char* why_not_staged(const Plan& plan);
cudaError_t run_staged(const Plan& plan, const cuda::CudaLaunch& launch);

// … or are all loaded before the first is added.
const char* why_not_small_boxes(const Plan& plan);
cudaError_t run_small_boxes(const Plan& plan, const cuda::CudaLaunch& launch);

// Everything: a thread sums a cell.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_nearest_backward
