#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "golden/golden_support.h"

// Linear, cubic and antialiased upsampling and their gradients against what PyTorch computed in double;
// make_golden_linear.py says how.
namespace golden {
namespace {

using api_test::Outcome;

class GoldenLinear : public api_test::DeviceTest {
 protected:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all = cases_of(CAIRN_GOLDEN_LINEAR, "CAIRN_GOLDEN_LINEAR_FILE");
    return all;
  }
};

std::int64_t spatial(const Case& it) { return it.arrays[0][0]; }
std::int64_t filter(const Case& it) { return it.arrays[0][1]; }
bool is_backward(const Case& it) { return it.op == Operator::kFilteredBackward; }

const conformance::Subject& subject_of(const Case& it) {
  static const char* const kLinear[] = {"Linear1d", "Bilinear2d", "Trilinear3d"};
  static const char* const kOthers[] = {"Bicubic2d", "Bilinear2dAA", "Bicubic2dAA"};
  std::string name = "aclnnUpsample";
  name += filter(it) == 0 ? kLinear[spatial(it) - 1] : kOthers[filter(it) - 1];
  if (is_backward(it)) name += filter(it) == 3 ? "Grad" : "Backward";
  return conformance::subject_named(name);
}

// Units of 2^-24 of the largest result: no more than were found over many more cases, and a little.
double bound_of(const Case& it) {
  if (filter(it) == 0) return is_backward(it) ? 3 : 2.6;
  return 4.5;
}

Outcome compute(const Case& it, aclrtStream stream, std::vector<float>& result) {
  GoldenTensor narrow = it.tensors[1];
  narrow.type = ACL_FLOAT;
  narrow.bytes.resize(narrow.bytes.size() / 2);
  const OnDevice source(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice target = OnDevice::to_be_written(narrow, ACL_FORMAT_ND);
  const api_test::IntArray output_size(it.arrays[1]);
  const api_test::IntArray input_size(it.tensors[1].dims);
  std::vector<conformance::Value> values{static_cast<aclTensor*>(source.tensor),
                                         static_cast<aclIntArray*>(output_size)};
  if (is_backward(it)) values.emplace_back(static_cast<aclIntArray*>(input_size));
  values.emplace_back(it.arrays[0][2] != 0);
  for (auto axis = static_cast<std::size_t>(3 - spatial(it)); axis < 3; ++axis)
    values.emplace_back(it.scales[axis]);
  values.emplace_back(static_cast<aclTensor*>(target.tensor));
  const conformance::Subject& subject = subject_of(it);
  const Outcome outcome = api_test::run(
      [&](std::uint64_t* size, aclOpExecutor** executor) { return subject.phase1(values, size, executor); },
      subject.phase2, stream);
  const Bytes bytes = target.content(narrow.bytes.size());
  result.resize(bytes.size() / sizeof(float));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return outcome;
}

TEST_F(GoldenLinear, IsAsNearToDoubleAsRoundedSumsAre) {
  ASSERT_GE(cases().size(), 100U);
  for (const Case& it : cases()) {
    std::vector<float> found;
    const Outcome outcome = compute(it, stream, found);
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
    std::vector<double> exact(found.size());
    ASSERT_EQ(exact.size() * sizeof(double), it.tensors[1].bytes.size()) << it.name;
    std::memcpy(exact.data(), it.tensors[1].bytes.data(), it.tensors[1].bytes.size());
    double largest = 0;
    double error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(exact[i]));
      error = std::max(error, std::abs(static_cast<double>(found[i]) - exact[i]));
    }
    EXPECT_LE(error, bound_of(it) * largest * 0x1p-24) << it.name << ": " << error / largest * 0x1p24;
  }
}

}  // namespace
}  // namespace golden
