#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// What fills and checks tensors past 2^31 elements, on the device: the oracle would take minutes.
namespace cuda_test {

using Half = unsigned short;

// Kernel 2, stride 2, over planes of even sizes: each cell has one window.
struct Shape {
  std::int64_t planes, d, h, w;  // cells
  std::int64_t cells() const { return planes * d * h * w; }
  std::int64_t windows() const { return cells() / 8; }
};

// Finite numbers of either sign.
void fill_cells(Half* to, std::int64_t count, cudaStream_t stream);

// Each adds the number of wrong cells to `wrong`, which lies on the device.
template <typename Index>
void check_pool(const Half* self, const Half* values, const Index* indices, const Shape& shape,
                unsigned long long* wrong, cudaStream_t stream);
template <typename Index>
void check_unpool(const Half* out, const Half* values, const Index* indices, const Shape& shape,
                  unsigned long long* wrong, cudaStream_t stream);
void check_upsample(const Half* out, const Half* values, const Shape& shape, unsigned long long* wrong,
                    cudaStream_t stream);

}  // namespace cuda_test
