#include "kernels/nan_sums.h"

#include <gtest/gtest.h>

#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "api/random_operands.h"
#include "reference/indices.h"

// NaNs in sums through the public functions, on whatever device there is.
namespace api_test {
namespace {

using kernel_test::PoolNetwork;
using kernel_test::UpsampleNetwork;
using reference::Indices;
using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Type;
using reference::Values;

class NanSums : public DeviceTest {};

std::string judge_nans(const Outcome& outcome, const Operand& expected, Operand& output,
                       const Buffer& result) {
  std::string wrong = judge(outcome, std::nullopt);
  if (wrong.empty()) wrong = judge(expected, output, result);
  return wrong.empty() ? kernel_test::other_nans(output.view()) : wrong;
}

std::string check_pool(Type type, Type index_type, LayoutKind layout, Values values, Indices kind,
                       const PoolNetwork& network, aclrtStream stream) {
  const bool flat = network.in[0] == 1;
  const bool channels_last = layout == LayoutKind::kChannelsLast;
  reference::PoolGeometry geometry{.n = 2, .c = network.c, .in = network.in, .window = network.window};
  if (!geometry.derive_out()) return "no windows";
  Random random(reference::first_seed());
  const Operand grad_output(random, type, geometry.out_sizes(), layout);
  const Operand indices(random, index_type, geometry.out_sizes(), layout);
  Operand grad_input(random, type, geometry.in_sizes(), layout);
  fill_values(random, grad_output, values);
  fill_indices(random, indices, kind, geometry.in, &geometry.window);
  const Operand expected = grad_input.clone();
  reference::max_pool_backward(grad_output.view(), indices.view(), expected.view(), channels_last);

  const std::vector<int> axes = pool_axes(flat, true, channels_last);
  const aclFormat format = !channels_last ? ACL_FORMAT_ND : flat ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC;
  const OnDevice grad(random, grad_output, axes, format);
  const OnDevice index(random, indices, axes, format);
  const OnDevice result(random, grad_input, axes, format);
  const Tensor self({result.spec.dims, to_acl(type), format}, nullptr);
  const auto array = [&](const reference::Triple& given) {
    return std::vector<std::int64_t>(given.begin() + (flat ? 1 : 0), given.end());
  };
  const IntArray kernel(array(network.window.kernel));
  const IntArray stride(array(network.window.stride));
  const IntArray padding(array(network.window.padding));
  const IntArray dilation(array(network.window.dilation));
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        const auto phase1 = flat ? aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize
                                 : aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
        return phase1(*grad.tensor, self, *index.tensor, kernel, stride, padding, dilation, false,
                      *result.tensor, size, executor);
      },
      flat ? aclnnMaxPool2dWithIndicesBackward : aclnnMaxPool3dWithArgmaxBackward, stream);
  return judge_nans(outcome, expected, grad_input, result.buffer);
}

TEST_F(NanSums, OfPoolsAreCanonicalInEveryTypeAndLayout) {
  for (const PoolNetwork& network : kernel_test::kPoolsOfNans) {
    for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16}) {
      for (const LayoutKind layout : kernel_test::kPlainLayouts) {
        for (const Type index_type : {Type::kInt32, Type::kInt64}) {
          for (const Indices kind : {Indices::kArgmax, Indices::kAnywhere}) {
            for (const Values values : {Values::kOnlyNans, Values::kNans}) {
              EXPECT_EQ(check_pool(type, index_type, layout, values, kind, network, stream), "")
                  << network.name << " " << name_of(type) << " " << name_of(layout) << " indices "
                  << name_of(index_type) << " " << name_of(kind) << " values " << static_cast<int>(values);
            }
          }
        }
      }
    }
  }
}

std::string check_upsample(Type type, LayoutKind layout, Values values, const UpsampleNetwork& network,
                           aclrtStream stream) {
  const bool channels_last = layout == LayoutKind::kChannelsLast;
  const reference::UpsampleGeometry geometry{.n = 2, .c = network.c, .in = network.in, .out = network.out};
  Random random(reference::first_seed());
  const Operand grad_out(random, type, geometry.out_sizes(), layout);
  Operand grad_input(random, type, geometry.in_sizes(), layout);
  fill_values(random, grad_out, values);
  const Operand expected = grad_input.clone();
  reference::upsample_nearest_backward(grad_out.view(), expected.view(),
                                       reference::upsample_scales(geometry.in, geometry.out, {}));

  const std::vector<int> axes = pool_axes(false, true, channels_last);
  const aclFormat format = channels_last ? ACL_FORMAT_NDHWC : ACL_FORMAT_ND;
  const OnDevice grad(random, grad_out, axes, format);
  const OnDevice result(random, grad_input, axes, format);
  const IntArray output_size({geometry.out.begin(), geometry.out.end()});
  const IntArray input_size({geometry.n, geometry.c, geometry.in[0], geometry.in[1], geometry.in[2]});
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(*grad.tensor, output_size, input_size, 0.0, 0.0,
                                                              0.0, *result.tensor, size, executor);
      },
      aclnnUpsampleNearest3dBackward, stream);
  return judge_nans(outcome, expected, grad_input, result.buffer);
}

TEST_F(NanSums, OfUpsamplesAreCanonicalInEveryTypeAndLayout) {
  for (const UpsampleNetwork& network : kernel_test::kUpsamplesOfNans) {
    for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble}) {
      for (const LayoutKind layout : kernel_test::kPlainLayouts) {
        for (const Values values : {Values::kOnlyNans, Values::kNans}) {
          EXPECT_EQ(check_upsample(type, layout, values, network, stream), "")
              << network.name << " " << name_of(type) << " " << name_of(layout) << " values "
              << static_cast<int>(values);
        }
      }
    }
  }
}

}  // namespace
}  // namespace api_test
