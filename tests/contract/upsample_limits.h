#pragma once

#include <cmath>
#include <limits>

#include "contract/upsample_cases.h"

// What upsampling refuses of large sizes and of scales, one function for each rule that several operators
// have.
namespace contract_test {

inline constexpr std::int64_t kMebi = std::int64_t{1} << 20;
inline constexpr std::int64_t kHuge = std::int64_t{1} << 31;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename Case>
void set_type(Case& call, aclDataType type) {
  for (TensorSpec* tensor : call.tensors()) tensor->type = type;
}

template <typename Case>
Case sized(const Dims& input, const Dims& output) {
  Case call;
  call.set_sizes(input, output);
  return call;
}

// No dimension of either tensor is above `most`.
template <typename Case>
void axes_at_most(std::int64_t most) {
  unlimited(sized<Case>({1, 1, 1, 1, most}, {1, 1, most}));
  const std::string beyond = std::to_string(most + 1);
  for (const std::int64_t out : {std::int64_t{1}, most + 1}) {
    const auto wide = sized<Case>({1, 1, 1, 1, most + 2 - out}, {1, 1, out});
    limited(wide, "has shape [1,1,", beyond, "expected no dimension above " + std::to_string(most));
  }
  limited(sized<Case>({most + 1, 1, 1, 1, 1}, {1, 1, 1}), "has shape [" + beyond);
}

template <typename Case>
Case scaled(const std::array<double, 3>& scales) {
  Case call;
  call.set_sizes({2, 3, 10, 10, 10}, {15, 20, 12});
  call.set_scales(scales);
  return call;
}

// Whether the products that ask for it, all but portable, refuse it.
template <typename Case, typename... Words>
void misfits(const std::array<double, 3>& scales, const Words&... words) {
  auto call = scaled<Case>(scales);
  for (const char* product : Case::kOffering) {
    call.product = product;
    call.product == "portable" ? accepts(call) : refuses(call, words..., "not give outputSize", "on A");
  }
}

template <typename Case>
void scales_that_fit() {
  for (const auto& scales :
       {std::array{1.5, 2.0, 1.2}, std::array{1.500001, 2.04, 1.29}, std::array{1.599999, 2.0, 1.299999}})
    unlimited(scaled<Case>(scales));
  for (const double wrong : {1.31, 1.19, 1.1, 2.0}) misfits<Case>({1.5, 2.0, wrong}, "W", "[");
}

// Scales count only together.
template <typename Case>
void scales_together() {
  for (const double off : {0.0, -1.0, kNan}) {
    unlimited(scaled<Case>({9.0, off, 9.0}));
    unlimited(scaled<Case>({9.0, 9.0, off}));
    if (Case::kSpatial == 3) unlimited(scaled<Case>({off, 9.0, 9.0}));
  }
  misfits<Case>({1.5, 2.2, 1.2}, "scalesH 2.2");
}

template <typename Case>
void scales_alone() {
  scales_that_fit<Case>();
  for (const double off : {0.0, kNan}) {
    unlimited(scaled<Case>({0, off, 1.2}));
    unlimited(scaled<Case>({0, 2.0, off}));
    misfits<Case>({0, off, 3.25}, "scalesW 3.25 does not give outputSize [20,12]");
    misfits<Case>({0, 2.5, off}, "scalesH 2.5 does");
  }
}
template <typename Case>
void scales_not_negative() {
  on_each_product<Case>([](Case& valid) {
    for (const double negative : {-1.0, -1e-300, -kInfinity}) {
      auto call = scaled<Case>({0, 0, negative});
      call.product = valid.product;
      refuses(call, "is -", "expected 0 or more");
      call = scaled<Case>({0, negative, 0});
      call.product = valid.product;
      Case::kSpatial == 1 ? accepts(call) : refuses(call, "scalesH is -");
    }
    valid.set_scales({0, -0.0, -0.0});
    accepts(valid);
  });
}

}  // namespace contract_test
