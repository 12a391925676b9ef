#pragma once

#include <cstdint>

namespace cairn {

// A tensor as a kernel sees it: where element (0,0,0,0,0) lies and the distance, in elements, between
// neighbours along N, C, D, H and W. An axis the tensor does not have has size 1 and stride 0.
struct View5 {
  void* data = nullptr;
  std::int64_t n = 0;
  std::int64_t c = 0;
  std::int64_t d = 0;
  std::int64_t h = 0;
  std::int64_t w = 0;
  std::int64_t offset = 0;  // in elements; already in `data` once the plan is bound
};

struct Size3 {
  std::int64_t d = 1;
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t count() const { return d * h * w; }
};

}  // namespace cairn
