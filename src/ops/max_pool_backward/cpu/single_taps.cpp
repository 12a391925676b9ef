#include "ops/max_pool_backward/cpu/single_taps.h"

#include <algorithm>
#include <cstdint>

#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"

namespace cairn::max_pool_backward {
namespace {

template <typename T>
void fill_row(const Plan& p, std::int64_t row) {
  const std::int64_t h = row % p.in.h;
  const std::int64_t d = row / p.in.h % p.in.d;
  const std::int64_t plane = row / p.in.h / p.in.d;
  const std::int64_t n = plane / p.c;
  const std::int64_t c = plane % p.c;
  T* to = static_cast<T*>(p.grad_input.data) + n * p.grad_input.n + c * p.grad_input.c + d * p.grad_input.d +
          h * p.grad_input.h;
  if (p.grad_input.w == 1) {
    std::fill_n(to, p.in.w, T{});
  } else {
    for (std::int64_t w = 0; w < p.in.w; ++w) to[w * p.grad_input.w] = T{};
  }
  if (d % p.stride.d != 0 || h % p.stride.h != 0) return;
  const std::int64_t od = d / p.stride.d;
  const std::int64_t oh = h / p.stride.h;
  if (od >= p.out.d || oh >= p.out.h) return;
  const T* from = static_cast<const T*>(p.grad_output.data) + n * p.grad_output.n + c * p.grad_output.c +
                  od * p.grad_output.d + oh * p.grad_output.h;
  const std::int64_t step = p.stride.w * p.grad_input.w;
  for (std::int64_t w = 0; w < p.out.w; ++w)
    to[w * step] = rounded<T>(SumOf<T>{0} + widened(from[w * p.grad_output.w]));
}

}  // namespace

void place_single_taps(const Plan& plan, Workers& workers) {
  const Units rows{.count = plan.n * plan.c * plan.in.d * plan.in.h, .elements = plan.in.w};
  with_real_type(plan.type, [&]<typename T>() {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) fill_row<T>(plan, row);
    });
  });
}

}  // namespace cairn::max_pool_backward
