#include "ops/kit/cuda/max_pooling/tiles.h"
#include "ops/max_pool_values/cuda/methods.h"

namespace cairn::max_pool_values {

using namespace max_pooling;

namespace {

// The same pooling as one with indices that nobody asks for.
struct WithoutIndices : Plan {
  DataType index_type = DataType::kInt32;
  View5 indices;

  explicit WithoutIndices(const Plan& plan) : Plan(plan), indices(plan.values) { indices.data = nullptr; }
};

template <typename T, int kPack = 16 / sizeof(T) / 2>
using RowShapes =
    cuda::Types<TileShape<8, Single, Halved<2>, Halved<kPack>>,
                TileShape<12, Single, Overlapping<2>, Overlapping<kPack>>,
                TileShape<8, Single, Same<3, 4>, Same<3, 4>>, TileShape<6, Single, Same<5, 4>, Same<5, 4>>>;

using ChannelShapes = cuda::Types<TileShape<8, Single, Halved<2>, Halved<1>>,
                                  TileShape<5, Single, Overlapping<4>, Overlapping<1>>>;

template <typename T>
using Values = cuda::ValuesOnly<cuda::Format<T>>;

const char* why_not_floats(const Plan& plan) {
  const bool known =
      plan.type == DataType::kFloat || plan.type == DataType::kFloat16 || plan.type == DataType::kBf16;
  return known ? nullptr : "elements are not FLOAT, FLOAT16 or BF16";
}

}  // namespace

const char* why_not_row_tiles(const Plan& plan) {
  if (const char* reason = why_not_floats(plan)) return reason;
  const WithoutIndices pooling(plan);
  if (const char* reason = why_not_rows(pooling)) return reason;
  return cuda::by_float_type(
      plan.type, [&]<typename T>(cuda::Tag<T>) { return cuda::why_not_shape<RowShapes<T>>(pooling); });
}

cudaError_t run_row_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  const WithoutIndices pooling(plan);
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_shape<RowShapes<T>>(pooling, [&]<typename Shape>(cuda::Tag<Shape>) {
      return start_row_tiles<Values<T>, Shape>(pooling, launch);
    });
  });
}

const char* why_not_channel_tiles(const Plan& plan) {
  if (const char* reason = why_not_floats(plan)) return reason;
  const WithoutIndices pooling(plan);
  if (const char* reason = why_not_packs_of_channels(pooling)) return reason;
  return cuda::why_not_shape<ChannelShapes>(pooling);
}

cudaError_t run_channel_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  const WithoutIndices pooling(plan);
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_shape<ChannelShapes>(pooling, [&]<typename Shape>(cuda::Tag<Shape>) {
      return start_channel_tiles<Values<T>, Shape>(pooling, launch);
    });
  });
}

}  // namespace cairn::max_pool_values
