#include <cuda_fp16.h>

#include "cuda/large.h"

namespace cuda_test {
namespace {

constexpr int kThreads = 256;

__device__ std::int64_t thread_number() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// Finite numbers of either sign.
__global__ void fill_kernel(Half* to, std::int64_t count) {
  const std::int64_t i = thread_number();
  if (i >= count) return;
  const std::uint64_t noise = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ULL;
  to[i] = static_cast<Half>(noise >> 48 & 0xbbff);
}

// The window of a cell, and the cell's position in its plane.
__device__ std::int64_t window_of(const Shape& shape, std::int64_t cell, std::int64_t& position) {
  const std::int64_t w = cell % shape.w;
  const std::int64_t h = cell / shape.w % shape.h;
  const std::int64_t d = cell / shape.w / shape.h % shape.d;
  const std::int64_t plane = cell / shape.w / shape.h / shape.d;
  position = (d * shape.h + h) * shape.w + w;
  return ((plane * (shape.d / 2) + d / 2) * (shape.h / 2) + h / 2) * (shape.w / 2) + w / 2;
}

// No cell is larger than its window's value, nor equal before its index; the index is that of the value.
template <typename Index>
__global__ void pool_kernel(const Half* self, const Half* values, const Index* indices, Shape shape,
                            unsigned long long* wrong) {
  const std::int64_t cell = thread_number();
  if (cell >= shape.planes * shape.d * shape.h * shape.w) return;
  std::int64_t position = 0;
  const std::int64_t window = window_of(shape, cell, position);
  const float mine = __half2float(__ushort_as_half(self[cell]));
  const float best = __half2float(__ushort_as_half(values[window]));
  const std::int64_t index = indices[window];
  bool fine = position < index ? mine < best : mine <= best;
  if (position == index) fine = self[cell] == values[window];
  // The index must be one of the window's own cells.
  const std::int64_t plane = cell - position;
  std::int64_t ignored = 0;
  fine = fine && index >= 0 && index < shape.d * shape.h * shape.w &&
         window_of(shape, plane + index, ignored) == window;
  if (!fine) atomicAdd(wrong, 1ULL);
}

template <typename Index>
__global__ void unpool_kernel(const Half* out, const Half* values, const Index* indices, Shape shape,
                              unsigned long long* wrong) {
  const std::int64_t cell = thread_number();
  if (cell >= shape.planes * shape.d * shape.h * shape.w) return;
  std::int64_t position = 0;
  const std::int64_t window = window_of(shape, cell, position);
  if (out[cell] != (indices[window] == position ? values[window] : 0)) atomicAdd(wrong, 1ULL);
}

__global__ void upsample_kernel(const Half* out, const Half* values, Shape shape, unsigned long long* wrong) {
  const std::int64_t cell = thread_number();
  if (cell >= shape.planes * shape.d * shape.h * shape.w) return;
  std::int64_t position = 0;
  if (out[cell] != values[window_of(shape, cell, position)]) atomicAdd(wrong, 1ULL);
}

unsigned blocks(std::int64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

}  // namespace

void fill_cells(Half* to, std::int64_t count, cudaStream_t stream) {
  fill_kernel<<<blocks(count), kThreads, 0, stream>>>(to, count);
}

template <typename Index>
void check_pool(const Half* self, const Half* values, const Index* indices, const Shape& shape,
                unsigned long long* wrong, cudaStream_t stream) {
  pool_kernel<<<blocks(shape.cells()), kThreads, 0, stream>>>(self, values, indices, shape, wrong);
}

template <typename Index>
void check_unpool(const Half* out, const Half* values, const Index* indices, const Shape& shape,
                  unsigned long long* wrong, cudaStream_t stream) {
  unpool_kernel<<<blocks(shape.cells()), kThreads, 0, stream>>>(out, values, indices, shape, wrong);
}

void check_upsample(const Half* out, const Half* values, const Shape& shape, unsigned long long* wrong,
                    cudaStream_t stream) {
  upsample_kernel<<<blocks(shape.cells()), kThreads, 0, stream>>>(out, values, shape, wrong);
}

template void check_pool(const Half*, const Half*, const std::int32_t*, const Shape&, unsigned long long*,
                         cudaStream_t);
template void check_pool(const Half*, const Half*, const std::int64_t*, const Shape&, unsigned long long*,
                         cudaStream_t);
template void check_unpool(const Half*, const Half*, const std::int32_t*, const Shape&, unsigned long long*,
                           cudaStream_t);
template void check_unpool(const Half*, const Half*, const std::int64_t*, const Shape&, unsigned long long*,
                           cudaStream_t);

}  // namespace cuda_test
