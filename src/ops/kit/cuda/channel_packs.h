#pragma once

#include <algorithm>
#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"
#include "ops/kit/cuda/views.h"

// Channels that a thread has together where they are neighbours: 8 bytes, so that a warp has several lines
// under way, but no more indices than it can hold.
namespace cairn::cuda {

constexpr int channels_of_pack(int element_bytes) { return std::min(8 / element_bytes, 4); }

inline bool in_channel_packs(const View5& view, DataType type, std::int64_t count) {
  return view.c == 1 && in_packs(view.data, size_of(type), count, {view.n, view.d, view.h, view.w});
}

}  // namespace cairn::cuda
