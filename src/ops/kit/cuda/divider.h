#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>

#include "ops/kit/cuda/multiply_wide.h"

namespace cairn::cuda {

// n / divisor for 0 <= n < 2^31 (2^63): a multiplication and a shift on the device.
template <typename Unsigned>
class Divider;

template <>
class Divider<std::uint32_t> {
 public:
  Divider() = default;
  explicit Divider(std::int64_t divisor)
      : divisor_(static_cast<std::uint32_t>(divisor)), minus_divisor_(0U - divisor_) {
    const int bits = std::bit_width(divisor_ - 1);
    shift_ = 31 + bits;
    factor_ = static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor_ - 1) / divisor_);
  }
  __host__ __device__ std::uint32_t divisor() const { return divisor_; }
  __device__ std::uint32_t divide(std::uint32_t n) const {
    return static_cast<std::uint32_t>(multiply_wide(n, factor_) >> shift_);
  }
  __device__ std::uint32_t rest(std::uint32_t n, std::uint32_t quotient) const {
    return n + quotient * minus_divisor_;
  }

 private:
  std::uint32_t divisor_ = 1;
  std::uint32_t minus_divisor_ = ~0U;
  std::uint32_t factor_ = 1U << 31;
  int shift_ = 31;
};

template <>
class Divider<std::uint64_t> {
 public:
  Divider() = default;
  explicit Divider(std::int64_t divisor) : divisor_(static_cast<std::uint64_t>(divisor)) {
    const int bits = std::bit_width(divisor_ - 1);
    __extension__ using Wide = unsigned __int128;
    factor_ = static_cast<std::uint64_t>(((Wide{1} << (63 + bits)) + divisor_ - 1) / divisor_);
    shift_ = bits - 1;
  }
  __host__ __device__ std::uint64_t divisor() const { return divisor_; }
  __device__ std::uint64_t divide(std::uint64_t n) const {
    return shift_ < 0 ? n : __umul64hi(n, factor_) >> shift_;
  }
  __device__ std::uint64_t rest(std::uint64_t n, std::uint64_t quotient) const {
    return n - quotient * divisor_;
  }

 private:
  std::uint64_t divisor_ = 1;
  std::uint64_t factor_ = 0;
  int shift_ = -1;
};

// Takes a number apart into places, the fastest first.
template <typename Unsigned>
struct Digits {
  Unsigned left;

  __device__ Unsigned next(const Divider<Unsigned>& by) {
    const Unsigned quotient = by.divide(left);
    const Unsigned rest = by.rest(left, quotient);
    left = quotient;
    return rest;
  }
};

}  // namespace cairn::cuda
