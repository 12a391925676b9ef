#include <gtest/gtest.h>

#include "golden/golden_support.h"

// Adaptive max pooling and its gradient against what PyTorch computed; make_golden_adaptive_max.py says why
// the bits must be the same.
namespace golden {
namespace {

using api_test::Outcome;

class GoldenAdaptiveMax : public api_test::DeviceTest {
 protected:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all =
        cases_of(CAIRN_GOLDEN_ADAPTIVE_MAX, "CAIRN_GOLDEN_ADAPTIVE_MAX_FILE");
    return all;
  }
};

TEST_F(GoldenAdaptiveMax, ForwardThenBackwardHaveThePyTorchBits) {
  EXPECT_GE(cases().size(), 150U);
  for (const Case& it : cases()) {
    const bool images = it.arrays[0].size() == 2;
    const aclFormat format = format_of(it, images);
    const OnDevice self(it.tensors[0], format, it.tensors[0].bytes);
    const OnDevice grad_output(it.tensors[1], format, it.tensors[1].bytes);
    const OnDevice out = OnDevice::to_be_written(it.tensors[2], format);
    const OnDevice indices = OnDevice::to_be_written(it.tensors[3], format);
    const OnDevice grad_input = OnDevice::to_be_written(it.tensors[4], format);
    const Outcome forward = call(images ? "aclnnAdaptiveMaxPool2d" : "aclnnAdaptiveMaxPool3d", stream, self,
                                 it.arrays[0], out, indices);
    ASSERT_TRUE(forward.succeeded()) << it.name << ": " << forward;
    const Outcome backward =
        call(images ? "aclnnAdaptiveMaxPool2dBackward" : "aclnnAdaptiveMaxPool3dBackward", stream,
             grad_output, self, indices, grad_input);
    ASSERT_TRUE(backward.succeeded()) << it.name << ": " << backward;
    const OnDevice* const results[] = {&out, &indices, &grad_input};
    for (std::size_t i = 0; i < std::size(results); ++i) {
      const GoldenTensor& wanted = it.tensors[2 + i];
      EXPECT_EQ(first_difference(wanted, results[i]->content(wanted.bytes.size())), "")
          << it.name << ", " << i;
    }
  }
}

}  // namespace
}  // namespace golden
