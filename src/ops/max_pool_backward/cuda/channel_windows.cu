#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/repair.cuh"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/views.h"
#include "ops/max_pool_backward/cuda/boxes.h"
#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/geometry.h"
#include "ops/max_pool_backward/cuda/methods.h"

namespace cairn::max_pool_backward {
namespace {

constexpr int kBlock = 128;
constexpr std::int64_t kPackBytes = 16;
constexpr int kIndices = 4;  // that are loaded at once

struct WindowsPlan {
  const void* grad_output;
  const void* indices;
  void* grad_input;
  cuda::Strides<int> output_strides, index_strides, input_strides;
  cuda::Grid<std::uint32_t> grid;  // of rows of windows' cells; a slice is a pack of channels
  cuda::Divider<std::uint32_t> height, width, by_kernel_d, by_kernel_h;
  int in_h, in_w, cells;  // of a plane
  int kernel_d, kernel_h, kernel_w;
  std::uint32_t items;
  std::int64_t c;
  cuda::Repairs repairs;

  // Whether an index names a cell of the window that begins there.
  __device__ bool is_near(int index, int first_d, int first_h, int first_w) const {
    const std::uint32_t row = width.divide(static_cast<std::uint32_t>(max(index, 0)));
    const std::uint32_t d = height.divide(row);
    return within(index, 0, cells) & within(static_cast<int>(d), first_d, kernel_d) &
           within(static_cast<int>(height.rest(row, d)), first_h, kernel_h) &
           within(index - static_cast<int>(row) * in_w, first_w, kernel_w);
  }
};

// A thread owns a row of cells of one window, of a pack of channels. No other window has them: it writes what
// the window gives to the cell that its index names, and zeros to the others. Rows follow each other in
// memory as they do in the grid.
template <typename T, typename Index>
__global__ void __launch_bounds__(kBlock) write_windows(const __grid_constant__ WindowsPlan plan) {
  constexpr int kCount = kPackBytes / sizeof(T);
  cuda::let_next_kernel_come();
  const std::uint32_t item = blockIdx.x * kBlock + threadIdx.x;
  if (item >= plan.items) return;
  const cuda::Place<int> place = plan.grid.template place_of<int>(item, true);
  const std::int64_t channel = place.slice * kCount;
  const auto d = static_cast<int>(plan.by_kernel_d.divide(static_cast<std::uint32_t>(place.d)));
  const auto h = static_cast<int>(plan.by_kernel_h.divide(static_cast<std::uint32_t>(place.h)));
  const int first_w = place.w * plan.kernel_w;
  cuda::wait_for_kernel_before();
  const auto pack = cuda::load_pack<T, kCount>(static_cast<const T*>(plan.grad_output) +
                                               plan.output_strides.slice(place.n, channel) +
                                               plan.output_strides.place(d, h, place.w));
  const Index* indices = static_cast<const Index*>(plan.indices) +
                         plan.index_strides.slice(place.n, channel) + plan.index_strides.place(d, h, place.w);
  T values[kCount];
  int chosen[kCount];
#pragma unroll
  for (int i = 0; i < kCount; i += kIndices) {
    const auto some = cuda::load_pack<Index, kIndices>(indices + i);
#pragma unroll
    for (int k = 0; k < kIndices; ++k) {
      chosen[i + k] = as_int(some.at[k]);
      values[i + k] = cuda::narrow<T>(0 + cuda::widen(pack.at[i + k]));
    }
  }
  if (place.d == d * plan.kernel_d && place.h == h * plan.kernel_h) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (chosen[i] != -1 && !plan.is_near(chosen[i], place.d, place.h, first_w))
        plan.repairs.add(static_cast<std::uint64_t>(place.n * plan.c + channel + i));
    }
  }
  const int row = (place.d * plan.in_h + place.h) * plan.in_w;
  T* to = static_cast<T*>(plan.grad_input) + plan.input_strides.slice(place.n, channel) +
          plan.input_strides.place(place.d, place.h, 0);
#pragma unroll 2
  for (int w = first_w; w < first_w + plan.kernel_w; ++w) {
    cuda::Pack<T, kCount> result;
#pragma unroll
    for (int i = 0; i < kCount; ++i) result.at[i] = chosen[i] == row + w ? values[i] : T{};
    // Of a plain store the compiler makes four of 4 bytes here.
    uint4 words;
    memcpy(&words, &result, sizeof(words));
    __stwb(reinterpret_cast<uint4*>(to + static_cast<std::int64_t>(w) * plan.input_strides.w), words);
  }
}

bool in_packs(const View5& view, const Size3& size, DataType type, std::int64_t count) {
  return view.c == 1 &&
         cuda::in_packs(view.data, size_of(type), count, {view.n, view.d, view.h, step_w(view, size)});
}

}  // namespace

const char* why_not_channel_windows(const Plan& plan) {
  if (const char* reason = why_not_floats(plan)) return reason;
  const auto tiled = [&plan](auto axis) {
    return plan.kernel.*axis == plan.stride.*axis && plan.padding.*axis == 0 &&
           (plan.dilation.*axis == 1 || plan.kernel.*axis == 1) &&
           plan.out.*axis * plan.stride.*axis == plan.in.*axis;
  };
  if (plan.n * plan.c * plan.out.count() == 0) return "there are no windows";
  if (!tiled(&Size3::d) || !tiled(&Size3::h) || !tiled(&Size3::w)) return "windows do not divide the planes";
  if (plan.kernel.count() < 4) return "windows are small";
  const std::int64_t count = kPackBytes / static_cast<std::int64_t>(size_of(plan.type));
  if (plan.c % count != 0 || !in_packs(plan.grad_output, plan.out, plan.type, count) ||
      !in_packs(plan.grad_input, plan.in, plan.type, count) ||
      !in_packs(plan.indices, plan.out, plan.index_type, kIndices))
    return "channels do not lie in packs of 16 bytes";
  const bool narrow = cuda::is_narrow(plan.grad_output, plan.out) &&
                      cuda::is_narrow(plan.indices, plan.out) && cuda::is_narrow(plan.grad_input, plan.in) &&
                      cuda::are_narrow({plan.in.count(), plan.n * plan.c * plan.in.count()});
  return narrow ? nullptr : "places need 64 bits";
}

cudaError_t run_channel_windows(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Divider = cuda::Divider<std::uint32_t>;
  const std::int64_t packs = plan.c * static_cast<std::int64_t>(size_of(plan.type)) / kPackBytes;
  const WindowsPlan windows{
      .grad_output = plan.grad_output.data,
      .indices = plan.indices.data,
      .grad_input = plan.grad_input.data,
      .output_strides = cuda::strides_of<int>(plan.grad_output),
      .index_strides = cuda::strides_of<int>(plan.indices),
      .input_strides = cuda::strides_of<int>(plan.grad_input),
      .grid = {packs, {plan.in.d, plan.in.h, plan.out.w}},
      .height = Divider(plan.in.h),
      .width = Divider(plan.in.w),
      .by_kernel_d = Divider(plan.kernel.d),
      .by_kernel_h = Divider(plan.kernel.h),
      .in_h = static_cast<int>(plan.in.h),
      .in_w = static_cast<int>(plan.in.w),
      .cells = static_cast<int>(plan.in.count()),
      .kernel_d = static_cast<int>(plan.kernel.d),
      .kernel_h = static_cast<int>(plan.kernel.h),
      .kernel_w = static_cast<int>(plan.kernel.w),
      .items = static_cast<std::uint32_t>(plan.n * packs * plan.in.d * plan.in.h * plan.out.w),
      .c = plan.c,
      .repairs = cuda::repairs_of(launch)};
  const cudaError_t error = by_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    return cuda::start_kernel(write_windows<T, Index>, windows, cuda::divide_up(windows.items, kBlock),
                              kBlock, 0, launch.stream);
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_pool_backward
