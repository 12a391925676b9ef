#pragma once

#include <cstdint>
#include <functional>

#include "common/data_type.h"
#include "common/view.h"
#include "cuda/device.h"

namespace cuda_test {

struct Workload {
  const char* id;
  char kind;  // p: pool, u: unpool, n: upsample
  std::int64_t n, c;
  cairn::Size3 in;  // of pool's and upsample's self, and of unpool's
  cairn::Size3 out;
  cairn::Size3 kernel, stride, padding;
  bool both_layouts;
};

// The tensors of one call: `in` and `out` have the workload's sizes.
struct Tensors {
  cairn::DataType type;
  cairn::DataType index_type;
  bool channels_last;
  cairn::View5 in;
  cairn::View5 out;
  cairn::View5 indices;
};

// What queues the workload's operator, or its backward.
std::function<void()> forward_call(Stream& stream, const Workload& work, const Tensors& tensors);
std::function<void()> backward_call(Stream& stream, const Workload& work, const Tensors& tensors);

}  // namespace cuda_test
