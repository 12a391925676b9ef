#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "golden/golden_support.h"

// The forward operators, and steps forward and back, against what PyTorch computed; make_golden_forward.py
// says why the bits must be the same.
namespace golden {
namespace {

using api_test::Outcome;
using Sizes = std::vector<std::int64_t>;

const Sizes kOnes{1, 1, 1};
const Sizes kZeros{0, 0, 0};

class GoldenForward : public api_test::DeviceTest {
 protected:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all = cases_of(CAIRN_GOLDEN_FORWARD, "CAIRN_GOLDEN_FORWARD_FILE");
    return all;
  }
};

// The calls, in the order of the functions' arguments.

Outcome max_pool(const Case& it, bool flat, const OnDevice& self, const OnDevice& out,
                 const OnDevice& indices, aclrtStream stream) {
  return call(flat ? "aclnnMaxPool2dWithIndices" : "aclnnMaxPool3dWithArgmax", stream, self, it.arrays[0],
              it.arrays[1], it.arrays[2], it.arrays[3], it.ceil_mode, out, indices);
}

Outcome max_pool_backward(const Case& it, bool flat, const OnDevice& grad, const OnDevice& self,
                          const OnDevice& indices, const OnDevice& grad_input, aclrtStream stream) {
  return call(flat ? "aclnnMaxPool2dWithIndicesBackward" : "aclnnMaxPool3dWithArgmaxBackward", stream, grad,
              self, indices, it.arrays[0], it.arrays[1], it.arrays[2], it.arrays[3], it.ceil_mode,
              grad_input);
}

Outcome max_unpool(const Sizes& output_size, const OnDevice& self, const OnDevice& indices,
                   const OnDevice& out_ref, aclrtStream stream) {
  return call("aclnnMaxUnpool3d", stream, self, indices, output_size, kOnes, kZeros, out_ref);
}

Outcome max_unpool_backward(const Sizes& output_size, const OnDevice& grad, const OnDevice& self,
                            const OnDevice& indices, const OnDevice& out, aclrtStream stream) {
  return call("aclnnMaxUnpool3dBackward", stream, grad, self, indices, output_size, kOnes, kZeros, out);
}

Outcome upsample(const Case& it, const OnDevice& self, const OnDevice& out, aclrtStream stream) {
  return call("aclnnUpsampleNearest3d", stream, self, it.arrays[0], it.scales[0], it.scales[1], it.scales[2],
              out);
}

Outcome upsample_backward(const Case& it, const OnDevice& grad, const OnDevice& grad_input,
                          aclrtStream stream) {
  return call("aclnnUpsampleNearest3dBackward", stream, grad, it.arrays[0], it.tensors[0].dims, it.scales[0],
              it.scales[1], it.scales[2], grad_input);
}

void expect_same(const Case& it, std::size_t which, const OnDevice& found) {
  const GoldenTensor& wanted = it.tensors[which];
  EXPECT_EQ(first_difference(wanted, found.content(wanted.bytes.size())), "")
      << it.name << ", tensor " << which;
}

#define ASSERT_DONE(call)                                                         \
  do {                                                                            \
    const Outcome outcome = call;                                                 \
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " #call << ": " << outcome; \
  } while (false)

void check_pool(const Case& it, bool flat, aclrtStream stream) {
  const aclFormat format = format_of(it, flat);
  const OnDevice self(it.tensors[0], format, it.tensors[0].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[1], format);
  const OnDevice indices = OnDevice::to_be_written(it.tensors[2], format);
  ASSERT_DONE(max_pool(it, flat, self, out, indices, stream));
  expect_same(it, 1, out);
  expect_same(it, 2, indices);
}

void check_unpool(const Case& it, aclrtStream stream) {
  const OnDevice self(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice indices(it.tensors[1], ACL_FORMAT_ND, it.tensors[1].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  ASSERT_DONE(max_unpool(it.arrays[0], self, indices, out, stream));
  expect_same(it, 2, out);
}

void check_upsample(const Case& it, aclrtStream stream) {
  const aclFormat format = format_of(it, false);
  const OnDevice self(it.tensors[0], format, it.tensors[0].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[1], format);
  ASSERT_DONE(upsample(it, self, out, stream));
  expect_same(it, 1, out);
}

// The gradient is found with the indices that our own forward gave.
void check_pool_step(const Case& it, bool flat, aclrtStream stream) {
  const OnDevice self(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice grad(it.tensors[1], ACL_FORMAT_ND, it.tensors[1].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  const OnDevice indices = OnDevice::to_be_written(it.tensors[3], ACL_FORMAT_ND);
  const OnDevice grad_input = OnDevice::to_be_written(it.tensors[4], ACL_FORMAT_ND);
  ASSERT_DONE(max_pool(it, flat, self, out, indices, stream));
  ASSERT_DONE(max_pool_backward(it, flat, grad, self, indices, grad_input, stream));
  expect_same(it, 2, out);
  expect_same(it, 3, indices);
  expect_same(it, 4, grad_input);
}

void check_pool_unpool_step(const Case& it, aclrtStream stream) {
  const auto& dims = it.tensors[0].dims;
  const std::vector<std::int64_t> spatial(dims.begin() + 2, dims.end());
  GoldenTensor pooled{it.tensors[0].type, dims, {}};
  std::size_t cells = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i >= 2) pooled.dims[i] /= it.arrays[0][i - 2];
    cells *= static_cast<std::size_t>(pooled.dims[i]);
  }
  pooled.bytes.resize(cells * aclDataTypeSize(static_cast<aclDataType>(pooled.type)));
  const GoldenTensor pooled_indices{ACL_INT64, pooled.dims, Bytes(cells * 8)};

  const OnDevice self(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice grad(it.tensors[1], ACL_FORMAT_ND, it.tensors[1].bytes);
  const OnDevice unpooled = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  const OnDevice grad_input = OnDevice::to_be_written(it.tensors[3], ACL_FORMAT_ND);
  const OnDevice out = OnDevice::to_be_written(pooled, ACL_FORMAT_ND);
  const OnDevice indices = OnDevice::to_be_written(pooled_indices, ACL_FORMAT_ND);
  const OnDevice grad_out = OnDevice::to_be_written(pooled, ACL_FORMAT_ND);
  ASSERT_DONE(max_pool(it, false, self, out, indices, stream));
  ASSERT_DONE(max_unpool(spatial, out, indices, unpooled, stream));
  ASSERT_DONE(max_unpool_backward(spatial, grad, out, indices, grad_out, stream));
  ASSERT_DONE(max_pool_backward(it, false, grad_out, self, indices, grad_input, stream));
  expect_same(it, 2, unpooled);
  expect_same(it, 3, grad_input);
}

void check_upsample_step(const Case& it, aclrtStream stream) {
  const OnDevice self(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice grad(it.tensors[1], ACL_FORMAT_ND, it.tensors[1].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  const OnDevice grad_input = OnDevice::to_be_written(it.tensors[3], ACL_FORMAT_ND);
  ASSERT_DONE(upsample(it, self, out, stream));
  ASSERT_DONE(upsample_backward(it, grad, grad_input, stream));
  expect_same(it, 2, out);
  expect_same(it, 3, grad_input);
}

TEST_F(GoldenForward, FileHasCasesOfEveryOperator) {
  std::map<Operator, int> count;
  for (const Case& it : cases()) ++count[it.op];
  EXPECT_GE(count[Operator::kMaxPool2d], 60);
  EXPECT_GE(count[Operator::kMaxPool3d], 50);
  EXPECT_GE(count[Operator::kMaxUnpool3d], 50);
  EXPECT_GE(count[Operator::kUpsample3d], 60);
  EXPECT_GE(count[Operator::kMaxPool2dStep], 9);
  EXPECT_GE(count[Operator::kMaxPool3dStep], 12);
  EXPECT_GE(count[Operator::kPoolUnpoolStep], 2);
  EXPECT_GE(count[Operator::kUpsample3dStep], 11);
}

TEST_F(GoldenForward, OperatorsHaveThePyTorchBits) {
  for (const Case& it : cases()) {
    if (it.op == Operator::kMaxPool2d || it.op == Operator::kMaxPool3d)
      check_pool(it, it.op == Operator::kMaxPool2d, stream);
    if (it.op == Operator::kMaxUnpool3d) check_unpool(it, stream);
    if (it.op == Operator::kUpsample3d) check_upsample(it, stream);
    if (HasFatalFailure()) return;
  }
}

// aclnnMaxPool over the same cases, as far as it has them: no dilation, images of four axes. Where ceil mode
// gives it a window more than PyTorch has, the case is not one of both.
TEST_F(GoldenForward, MaxPoolHasTheValuesOfPooling) {
  int checked = 0;
  for (const Case& it : cases()) {
    const bool dilated =
        it.arrays.size() > 3 && std::ranges::any_of(it.arrays[3], [](auto d) { return d != 1; });
    if (it.op != Operator::kMaxPool2d || dilated || it.tensors[0].dims.size() != 4) continue;
    const aclFormat format = format_of(it, true);
    const OnDevice self(it.tensors[0], format, it.tensors[0].bytes);
    const OnDevice out = OnDevice::to_be_written(it.tensors[1], format);
    const Sizes& strides = it.arrays[1].empty() ? it.arrays[0] : it.arrays[1];
    const Outcome outcome = call("aclnnMaxPool", stream, self, it.arrays[0], strides, std::int64_t{0},
                                 it.arrays[2], Sizes{1, 1}, std::int64_t{it.ceil_mode}, out);
    if (it.ceil_mode && !outcome.succeeded()) continue;
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
    expect_same(it, 1, out);
    ++checked;
  }
  EXPECT_GE(checked, 30);
}

TEST_F(GoldenForward, ForwardThenBackwardIsPyTorchsAutograd) {
  for (const Case& it : cases()) {
    if (it.op == Operator::kMaxPool2dStep || it.op == Operator::kMaxPool3dStep)
      check_pool_step(it, it.op == Operator::kMaxPool2dStep, stream);
    if (it.op == Operator::kPoolUnpoolStep) check_pool_unpool_step(it, stream);
    if (it.op == Operator::kUpsample3dStep) check_upsample_step(it, stream);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace golden
