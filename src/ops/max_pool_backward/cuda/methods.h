#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Little work: indices may point anywhere, a warp looks at all windows of a plane. H200, p3-few: 0.0071 ms
// with it, 0.0135 without.
CAIRN_CUDA_METHOD(small)

// Planes of few windows: a block makes some of them, or a chunk of one, of zeros with a sum wherever an index
// points, and writes them once. H200, share of the copy bandwidth with it and without: am3-32to4 FLOAT INT32
// 98 and 77 %, FLOAT16 90 and 47; am2-56to7 86 and 67, 82 and 51; am2-50to7 79 and 70, 69 and 53; am3-32to5
// 91 and 76, 81 and 41.
CAIRN_CUDA_METHOD(zeros)

// Windows of stride 1: each marks the cell that its index names, and cells add up who marked them. H200,
// share of the copy bandwidth with it and without: p2-sppf FLOAT INT32 81 and 56 %, FLOAT16 59 and 39; p3-i3d
// 64 and 41, 47 and 27.
CAIRN_CUDA_METHOD(marks)

// Window shapes known at compile time: a thread sums a tile of cells of a pack of channels (p2-resnet NHWC
// FLOAT INT32 88 and 47 %, FLOAT16 74 and 29) …
CAIRN_CUDA_METHOD(channel_tiles)

// … or of one plane, rows along W (p2-vgg FLOAT INT32 86 and 70 %, FLOAT16 88 and 52; p3-unet 91 and 78, 89
// and 61; p3-k3s2 81 and 64, 67 and 39).
CAIRN_CUDA_METHOD(row_tiles)

// Windows side by side that cover the planes, channels in packs of 16 bytes: a thread writes a row of one
// window's cells (am2-56to7 NHWC FLOAT INT32 85 and 73 %, FLOAT16 80 and 44).
CAIRN_CUDA_METHOD(channel_windows)

// A warp sums a box of cells of 32 channels that lie side by side (p2-global7-nhwc 0.017 ms with it, 0.117
// without; p3-1x1x1 0.11 and 3.5) …
CAIRN_CUDA_METHOD(channels)

// … or of one plane: everything.
cudaError_t run_rows(const Plan& plan, const cuda::CudaLaunch& launch);

// Windows of one tap each, which is where they start: part of run_rows.
cudaError_t run_single_taps(const Plan& plan, const cuda::CudaLaunch& launch);

// The second kernel of all but run_small: sums the planes again whose indices are not near their windows, and
// tells of those outside the plane.
cudaError_t run_repair(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool_backward
