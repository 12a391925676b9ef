#include <gtest/gtest.h>

#include <map>

#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_nn.h"
#include "golden/golden_support.h"

// The forward operators, and steps forward and back, against what PyTorch computed; make_golden_forward.py
// says why the bits must be the same.
namespace golden {
namespace {

using api_test::IntArray;
using api_test::Outcome;
using api_test::run;
using api_test::Tensor;

class GoldenForward : public api_test::DeviceTest {
 protected:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all = cases_of(CAIRN_GOLDEN_FORWARD, "CAIRN_GOLDEN_FORWARD_FILE");
    return all;
  }
};

Outcome max_pool(const Case& it, bool flat, const Tensor& self, const Tensor& out, const Tensor& indices,
                 aclrtStream stream) {
  const IntArray kernel(it.arrays[0]);
  const IntArray stride(it.arrays[1]);
  const IntArray padding(it.arrays[2]);
  const IntArray dilation(it.arrays[3]);
  const auto phase1 =
      flat ? aclnnMaxPool2dWithIndicesGetWorkspaceSize : aclnnMaxPool3dWithArgmaxGetWorkspaceSize;
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return phase1(self, kernel, stride, padding, dilation, it.ceil_mode, out, indices, size, executor);
      },
      flat ? aclnnMaxPool2dWithIndices : aclnnMaxPool3dWithArgmax, stream);
}

Outcome max_pool_backward(const Case& it, bool flat, const Tensor& grad, const Tensor& self,
                          const Tensor& indices, const Tensor& grad_input, aclrtStream stream) {
  const IntArray kernel(it.arrays[0]);
  const IntArray stride(it.arrays[1]);
  const IntArray padding(it.arrays[2]);
  const IntArray dilation(it.arrays[3]);
  const auto phase1 = flat ? aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize
                           : aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return phase1(grad, self, indices, kernel, stride, padding, dilation, it.ceil_mode, grad_input, size,
                      executor);
      },
      flat ? aclnnMaxPool2dWithIndicesBackward : aclnnMaxPool3dWithArgmaxBackward, stream);
}

Outcome max_unpool(const std::vector<std::int64_t>& output_size, const Tensor& self, const Tensor& indices,
                   const Tensor& out_ref, aclrtStream stream) {
  const IntArray sizes(output_size);
  const IntArray stride({1, 1, 1});
  const IntArray padding({0, 0, 0});
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxUnpool3dGetWorkspaceSize(self, indices, sizes, stride, padding, out_ref, size,
                                                executor);
      },
      aclnnMaxUnpool3d, stream);
}

Outcome max_unpool_backward(const std::vector<std::int64_t>& output_size, const Tensor& grad,
                            const Tensor& self, const Tensor& indices, const Tensor& out,
                            aclrtStream stream) {
  const IntArray sizes(output_size);
  const IntArray stride({1, 1, 1});
  const IntArray padding({0, 0, 0});
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad, self, indices, sizes, stride, padding, out,
                                                        size, executor);
      },
      aclnnMaxUnpool3dBackward, stream);
}

Outcome upsample(const Case& it, const Tensor& self, const Tensor& out, aclrtStream stream) {
  const IntArray output_size(it.arrays[0]);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dGetWorkspaceSize(self, output_size, it.scales[0], it.scales[1],
                                                      it.scales[2], out, size, executor);
      },
      aclnnUpsampleNearest3d, stream);
}

Outcome upsample_backward(const Case& it, const Tensor& grad, const Tensor& grad_input, aclrtStream stream) {
  const IntArray output_size(it.arrays[0]);
  const IntArray input_size(it.tensors[0].dims);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad, output_size, input_size, it.scales[0],
                                                              it.scales[1], it.scales[2], grad_input, size,
                                                              executor);
      },
      aclnnUpsampleNearest3dBackward, stream);
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
  ASSERT_DONE(max_pool(it, flat, self.tensor, out.tensor, indices.tensor, stream));
  expect_same(it, 1, out);
  expect_same(it, 2, indices);
}

void check_unpool(const Case& it, aclrtStream stream) {
  const OnDevice self(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice indices(it.tensors[1], ACL_FORMAT_ND, it.tensors[1].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  ASSERT_DONE(max_unpool(it.arrays[0], self.tensor, indices.tensor, out.tensor, stream));
  expect_same(it, 2, out);
}

void check_upsample(const Case& it, aclrtStream stream) {
  const aclFormat format = format_of(it, false);
  const OnDevice self(it.tensors[0], format, it.tensors[0].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[1], format);
  ASSERT_DONE(upsample(it, self.tensor, out.tensor, stream));
  expect_same(it, 1, out);
}

// The gradient is found with the indices that our own forward gave.
void check_pool_step(const Case& it, bool flat, aclrtStream stream) {
  const OnDevice self(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice grad(it.tensors[1], ACL_FORMAT_ND, it.tensors[1].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  const OnDevice indices = OnDevice::to_be_written(it.tensors[3], ACL_FORMAT_ND);
  const OnDevice grad_input = OnDevice::to_be_written(it.tensors[4], ACL_FORMAT_ND);
  ASSERT_DONE(max_pool(it, flat, self.tensor, out.tensor, indices.tensor, stream));
  ASSERT_DONE(
      max_pool_backward(it, flat, grad.tensor, self.tensor, indices.tensor, grad_input.tensor, stream));
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
  ASSERT_DONE(max_pool(it, false, self.tensor, out.tensor, indices.tensor, stream));
  ASSERT_DONE(max_unpool(spatial, out.tensor, indices.tensor, unpooled.tensor, stream));
  ASSERT_DONE(max_unpool_backward(spatial, grad.tensor, out.tensor, indices.tensor, grad_out.tensor, stream));
  ASSERT_DONE(
      max_pool_backward(it, false, grad_out.tensor, self.tensor, indices.tensor, grad_input.tensor, stream));
  expect_same(it, 2, unpooled);
  expect_same(it, 3, grad_input);
}

void check_upsample_step(const Case& it, aclrtStream stream) {
  const OnDevice self(it.tensors[0], ACL_FORMAT_ND, it.tensors[0].bytes);
  const OnDevice grad(it.tensors[1], ACL_FORMAT_ND, it.tensors[1].bytes);
  const OnDevice out = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  const OnDevice grad_input = OnDevice::to_be_written(it.tensors[3], ACL_FORMAT_ND);
  ASSERT_DONE(upsample(it, self.tensor, out.tensor, stream));
  ASSERT_DONE(upsample_backward(it, grad.tensor, grad_input.tensor, stream));
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
