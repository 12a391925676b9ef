#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>

#include "cuda/compare_large.h"
#include "cuda/device.h"
#include "cuda/speed_calls.h"

namespace cuda_test {
namespace {

using cairn::DataType;
using cairn::Size3;
using cairn::View5;
using Half = unsigned short;

constexpr int kThreads = 256;

// Kernel 2, stride 2, over planes of even sizes: each cell has one window.
struct Shape {
  std::int64_t planes, d, h, w;  // cells
  std::int64_t cells() const { return planes * d * h * w; }
  std::int64_t windows() const { return cells() / 8; }
};

__device__ std::int64_t thread_number() { return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

// Finite numbers of either sign.
__global__ void fill(Half* to, std::int64_t count) {
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
__global__ void check_pool(const Half* self, const Half* values, const Index* indices, Shape shape,
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
__global__ void check_unpool(const Half* out, const Half* values, const Index* indices, Shape shape,
                             unsigned long long* wrong) {
  const std::int64_t cell = thread_number();
  if (cell >= shape.planes * shape.d * shape.h * shape.w) return;
  std::int64_t position = 0;
  const std::int64_t window = window_of(shape, cell, position);
  if (out[cell] != (indices[window] == position ? values[window] : 0)) atomicAdd(wrong, 1ULL);
}

__global__ void check_upsample(const Half* out, const Half* values, Shape shape, unsigned long long* wrong) {
  const std::int64_t cell = thread_number();
  if (cell >= shape.planes * shape.d * shape.h * shape.w) return;
  std::int64_t position = 0;
  if (out[cell] != values[window_of(shape, cell, position)]) atomicAdd(wrong, 1ULL);
}

unsigned blocks(std::int64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

View5 dense(const DeviceMemory& memory, std::int64_t planes, const Size3& size) {
  return {memory.data(), planes * size.count(), size.count(), size.h * size.w, size.w, 1, 0};
}

template <typename Index>
int check_shape(const Shape& shape, DataType index_type) {
  Stream stream;
  const DeviceMemory self(static_cast<std::size_t>(shape.cells()) * sizeof(Half));
  const DeviceMemory out(self.size());
  const DeviceMemory values(static_cast<std::size_t>(shape.windows()) * sizeof(Half));
  const DeviceMemory indices(static_cast<std::size_t>(shape.windows()) * sizeof(Index));
  const DeviceMemory counter(sizeof(unsigned long long));
  auto* wrong = reinterpret_cast<unsigned long long*>(counter.data());
  const unsigned grid = blocks(shape.cells());
  auto* cells = reinterpret_cast<Half*>(self.data());
  auto* results = reinterpret_cast<Half*>(out.data());
  auto* found = reinterpret_cast<Half*>(values.data());
  auto* places = reinterpret_cast<Index*>(indices.data());
  fill<<<grid, kThreads, 0, stream.get()>>>(cells, shape.cells());

  const Size3 in{shape.d, shape.h, shape.w};
  const Size3 pooled{shape.d / 2, shape.h / 2, shape.w / 2};
  const Workload pool{"large", 'p', 1, shape.planes, in, pooled, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, false};
  const Workload unpool{"large", 'u', 1, shape.planes, pooled, in, {}, {}, {}, false};
  const Workload upsample{"large", 'n', 1, shape.planes, pooled, in, {}, {}, {}, false};
  Tensors tensors{DataType::kFloat16,
                  index_type,
                  false,
                  dense(self, shape.planes, in),
                  dense(values, shape.planes, pooled),
                  dense(indices, shape.planes, pooled)};
  int failed = 0;
  const auto run = [&](const char* name, const Workload& work, auto check) {
    expect(cudaMemsetAsync(wrong, 0, sizeof(*wrong), stream.get()), "cudaMemsetAsync");
    forward_call(stream, work, tensors)();
    check();
    stream.synchronise();
    expect(cudaGetLastError(), name);
    unsigned long long count = 0;
    expect(cudaMemcpy(&count, wrong, sizeof(count), cudaMemcpyDeviceToHost), "cudaMemcpy");
    const bool fault = stream.take_fault().has_value();
    std::printf("%-9s %lld planes of %lldx%lldx%lld: %llu cells wrong%s\n", name,
                static_cast<long long>(shape.planes), static_cast<long long>(shape.d),
                static_cast<long long>(shape.h), static_cast<long long>(shape.w), count,
                fault ? ", a fault was reported" : "");
    failed += count != 0 || fault ? 1 : 0;
  };
  run("max_pool", pool,
      [&] { check_pool<<<grid, kThreads, 0, stream.get()>>>(cells, found, places, shape, wrong); });
  tensors.in = tensors.out;
  tensors.out = dense(out, shape.planes, in);
  run("unpool", unpool,
      [&] { check_unpool<<<grid, kThreads, 0, stream.get()>>>(results, found, places, shape, wrong); });
  run("upsample", upsample,
      [&] { check_upsample<<<grid, kThreads, 0, stream.get()>>>(results, found, shape, wrong); });
  return failed;
}

}  // namespace

int check_large() {
  return check_shape<std::int32_t>({1040, 128, 128, 128}, DataType::kInt32) +
         check_shape<std::int64_t>({1, 1300, 1290, 1290}, DataType::kInt64);
}

}  // namespace cuda_test
