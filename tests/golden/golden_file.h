#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace golden {

enum class Operator : std::uint32_t {
  kMaxPool2dBackward,
  kMaxPool3dBackward,
  kMaxUnpool3dBackward,
  kUpsample3dBackward,
  kMaxPool2d,
  kMaxPool3d,
  kMaxUnpool3d,
  kUpsample3d,
  kMaxPool2dStep,  // forward, then backward
  kMaxPool3dStep,
  kPoolUnpoolStep,  // both forward, then both backward
  kUpsample3dStep,
  kMaxUnpool2d,
  kMaxUnpool2dBackward,
  kPoolUnpool2dStep,
  kUpsample,  // in fewer axes, or by centres
  kUpsampleBackward,
  kFiltered,  // by weighted sums
  kFilteredBackward,
  kAdaptiveMaxStep = 30,
  kMeanStep,
  kAdaptiveMeanStep,
};

struct GoldenTensor {
  std::uint32_t type;  // an aclDataType
  std::vector<std::int64_t> dims;
  std::vector<unsigned char> bytes;
};

struct Case {
  std::string name;
  Operator op;
  bool ceil_mode;
  bool channels_last;
  bool differs;  // our definition is another one than PyTorch's here
  std::vector<std::vector<std::int64_t>> arrays;
  std::array<double, 3> scales;
  std::vector<GoldenTensor> tensors;  // the results are the last
};

// Reads what make_golden.py wrote; throws std::runtime_error with a sentence when it cannot.
std::vector<Case> read_cases(const std::string& path);

}  // namespace golden
