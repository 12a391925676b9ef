#include "api/random_calls.h"

#include <memory>
#include <optional>

#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "api/random_operands.h"

namespace api_test {
namespace {

using reference::Operand;
using reference::PoolGeometry;
using reference::Random;
using reference::Triple;
using reference::Type;

Triple random_triple(Random& random, std::int64_t longest) {
  return {random.between(1, longest), random.between(1, longest), random.between(1, longest)};
}

}  // namespace

std::string check_pool(Random& random, bool flat, aclrtStream stream) {
  const PoolGeometry geometry = pool_geometry(random, flat);
  const bool batch = geometry.n != 1 || random.chance(50);
  const bool channels_last = random.chance(35);
  const auto axes = pool_axes(flat, batch, channels_last);
  const aclFormat format =
      channels_last ? (flat ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC) : plain_format(random, flat);

  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});
  const Operand grad_output(random, type, geometry.out_sizes(), random_input_layout(random));
  const Operand indices(random, random.pick({Type::kInt32, Type::kInt64}), geometry.out_sizes(),
                        random_input_layout(random));
  Operand grad_input(random, type, geometry.in_sizes(), random_output_layout(random));
  fill_values(random, grad_output, random_values(random));
  fill_indices(random, indices, random_indices(random), geometry.in, &geometry.window);
  const Operand expected = grad_input.clone();
  const auto fault = max_pool_backward(grad_output.view(), indices.view(), expected.view(), channels_last);

  OnDevice grad(random, grad_output, axes, format);
  OnDevice index(random, indices, axes, random.chance(50) ? format : plain_format(random, flat));
  OnDevice result(random, grad_input, axes, format);
  // self is never read: its address may be null.
  std::optional<Tensor> self(std::in_place, TensorSpec{result.spec.dims, to_acl(type), format}, nullptr);
  std::optional<IntArray> kernel(std::in_place, attribute(random, geometry.window.kernel, flat));
  const bool default_stride = geometry.window.stride == geometry.window.kernel && random.chance(50);
  std::optional<IntArray> stride(std::in_place, default_stride
                                                    ? std::vector<std::int64_t>{}
                                                    : attribute(random, geometry.window.stride, flat));
  std::optional<IntArray> padding(std::in_place, attribute(random, geometry.window.padding, flat));
  std::optional<IntArray> dilation(std::in_place, attribute(random, geometry.window.dilation, flat));
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        const auto phase1 = flat ? aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize
                                 : aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
        return phase1(*grad.tensor, *self, *index.tensor, *kernel, *stride, *padding, *dilation,
                      geometry.ceil_mode, *result.tensor, size, executor);
      },
      flat ? aclnnMaxPool2dWithIndicesBackward : aclnnMaxPool3dWithArgmaxBackward, stream,
      [&] {
        grad.tensor.reset();
        self.reset();
        index.tensor.reset();
        result.tensor.reset();
        for (auto* array : {&kernel, &stride, &padding, &dilation}) array->reset();
      });
  std::string wrong = judge(outcome, fault);
  if (wrong.empty()) wrong = judge(expected, grad_input, result.buffer);
  if (wrong.empty()) return wrong;
  return wrong + "\n" + describe(geometry.window) + (geometry.ceil_mode ? " ceil" : "") + "\n gradOutput " +
         to_text(grad.spec) + "\n indices " + to_text(index.spec) + "\n gradInput " + to_text(result.spec);
}

std::string check_unpool(Random& random, aclrtStream stream) {
  using enum Type;
  const Triple size = random_triple(random, 6);
  Triple output_size = random_triple(random, 9);
  while (output_size[0] * output_size[1] * output_size[2] < size[0] * size[1] * size[2]) output_size[1] += 5;
  const std::int64_t n = random.chance(3) ? 0 : random.between(1, 3);
  const bool has_channels = random.chance(70);
  const std::int64_t c = has_channels ? random.between(1, 4) : 1;
  const std::vector<int> axes = has_channels ? std::vector<int>{0, 1, 2, 3, 4} : std::vector<int>{0, 2, 3, 4};
  const Type type = random.pick({kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64});

  const Operand grad_output(random, type, {n, c, output_size[0], output_size[1], output_size[2]},
                            random_input_layout(random));
  const Operand indices(random, random.pick({kInt32, kInt64}), {n, c, size[0], size[1], size[2]},
                        random_input_layout(random));
  Operand out(random, type, indices.view().size, reference::LayoutKind::kContiguous);
  fill_indices(random, indices, random_indices(random), output_size, nullptr);
  const Operand expected = out.clone();
  const auto fault = max_unpool_backward(grad_output.view(), indices.view(), expected.view());

  OnDevice grad(random, grad_output, axes, plain_format(random, false));
  OnDevice index(random, indices, axes, plain_format(random, true));
  OnDevice result(random, out, axes, ACL_FORMAT_NDHWC);
  const Tensor self({result.spec.dims, to_acl(type)}, nullptr);
  const IntArray sizes({output_size.begin(), output_size.end()});
  const IntArray stride({1, 2, 3});
  const IntArray padding({random.between(-3, 3), 0, 9});
  const Outcome outcome = run(
      [&](std::uint64_t* workspace_size, aclOpExecutor** executor) {
        return aclnnMaxUnpool3dBackwardGetWorkspaceSize(*grad.tensor, self, *index.tensor, sizes, stride,
                                                        padding, *result.tensor, workspace_size, executor);
      },
      aclnnMaxUnpool3dBackward, stream);
  std::string wrong = judge(outcome, fault);
  if (wrong.empty()) wrong = judge(expected, out, result.buffer);
  if (wrong.empty()) return wrong;
  return wrong + "\n gradOutput " + to_text(grad.spec) + "\n indices " + to_text(index.spec) + "\n out " +
         to_text(result.spec);
}

std::string check_upsample(Random& random, aclrtStream stream) {
  const Triple in = random_triple(random, 8);
  Triple out = random.chance(40) ? Triple{2 * in[0], 2 * in[1], 2 * in[2]} : random_triple(random, 16);
  const std::int64_t n = random.chance(3) ? 0 : random.between(1, 3);
  const std::int64_t c = random.chance(3) ? 0 : random.between(1, 5);
  std::array<double, 3> scales{};
  if (random.chance(50))
    for (double& scale : scales) scale = random.pick({0.0, -1.0, 0.5, 1.0, 1.5, 2.0, 2.0, 2.0, 1e-60, 1e60});
  const bool channels_last = random.chance(35);
  const std::vector<int> axes = pool_axes(false, true, channels_last);
  const aclFormat format = channels_last ? ACL_FORMAT_NDHWC : plain_format(random, false);
  const aclFormat other_format = channels_last ? ACL_FORMAT_NDHWC : plain_format(random, false);

  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});
  const Operand grad_out(random, type, {n, c, out[0], out[1], out[2]}, random_input_layout(random));
  Operand grad_input(random, type, {n, c, in[0], in[1], in[2]}, random_output_layout(random));
  fill_values(random, grad_out, random_values(random));
  const Operand expected = grad_input.clone();
  upsample_nearest_backward(grad_out.view(), expected.view(), reference::upsample_scales(in, out, scales));

  OnDevice grad(random, grad_out, axes, format);
  OnDevice result(random, grad_input, axes, other_format);
  const IntArray output_size({out.begin(), out.end()});
  std::vector<std::int64_t> size{n, c, in[0], in[1], in[2]};
  if (channels_last && random.chance(50)) size = {n, in[0], in[1], in[2], c};
  const IntArray input_size(size);
  const Outcome outcome = run(
      [&](std::uint64_t* workspace_size, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(*grad.tensor, output_size, input_size,
                                                              scales[0], scales[1], scales[2], *result.tensor,
                                                              workspace_size, executor);
      },
      aclnnUpsampleNearest3dBackward, stream);
  std::string wrong = judge(outcome, std::nullopt);
  if (wrong.empty()) wrong = judge(expected, grad_input, result.buffer);
  if (wrong.empty()) return wrong;
  return wrong + "\n gradOut " + to_text(grad.spec) + "\n gradInput " + to_text(result.spec) +
         "\n inputSize " + to_text(size);
}

}  // namespace api_test
