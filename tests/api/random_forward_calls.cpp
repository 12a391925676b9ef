#include <optional>

#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_nn.h"
#include "api/random_calls.h"
#include "api/random_operands.h"

namespace api_test {

using reference::Operand;
using reference::Random;
using reference::Type;

std::string check_pool_forward(Random& random, bool flat, aclrtStream stream) {
  const reference::PoolGeometry geometry = pool_geometry(random, flat);
  const bool batch = geometry.n != 1 || random.chance(50);
  const bool channels_last = random.chance(35);
  const auto axes = pool_axes(flat, batch, channels_last);
  const aclFormat format =
      channels_last ? (flat ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC) : plain_format(random, flat);

  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});
  const Operand self(random, type, geometry.in_sizes(), random_input_layout(random));
  Operand out(random, type, geometry.out_sizes(), random_output_layout(random));
  Operand indices(random, random.pick({Type::kInt32, Type::kInt64}), geometry.out_sizes(),
                  random_output_layout(random));
  fill_values(random, self, random_values_to_compare(random));
  const Operand expected_out = out.clone();
  const Operand expected_indices = indices.clone();
  max_pool(self.view(), geometry.window, expected_out.view(), expected_indices.view());

  OnDevice input(random, self, axes, format);
  OnDevice values(random, out, axes, format);
  OnDevice positions(random, indices, axes, random.chance(50) ? format : plain_format(random, flat));
  std::optional<IntArray> kernel(std::in_place, attribute(random, geometry.window.kernel, flat));
  const bool default_stride = geometry.window.stride == geometry.window.kernel && random.chance(50);
  std::optional<IntArray> stride(std::in_place, default_stride
                                                    ? std::vector<std::int64_t>{}
                                                    : attribute(random, geometry.window.stride, flat));
  std::optional<IntArray> padding(std::in_place, attribute(random, geometry.window.padding, flat));
  std::optional<IntArray> dilation(std::in_place, attribute(random, geometry.window.dilation, flat));
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        const auto phase1 =
            flat ? aclnnMaxPool2dWithIndicesGetWorkspaceSize : aclnnMaxPool3dWithArgmaxGetWorkspaceSize;
        return phase1(*input.tensor, *kernel, *stride, *padding, *dilation, geometry.ceil_mode,
                      *values.tensor, *positions.tensor, size, executor);
      },
      flat ? aclnnMaxPool2dWithIndices : aclnnMaxPool3dWithArgmax, stream,
      [&] {
        for (auto* operand : {&input, &values, &positions}) operand->tensor.reset();
        for (auto* array : {&kernel, &stride, &padding, &dilation}) array->reset();
      });
  std::string wrong = judge(outcome, std::nullopt);
  if (wrong.empty()) wrong = judge(expected_out, out, values.buffer);
  if (wrong.empty()) wrong = judge(expected_indices, indices, positions.buffer);
  if (wrong.empty()) return wrong;
  return wrong + "\n" + describe(geometry.window) + (geometry.ceil_mode ? " ceil" : "") + "\n self " +
         to_text(input.spec) + "\n out " + to_text(values.spec) + "\n indices " + to_text(positions.spec);
}

std::string check_unpool_forward(Random& random, aclrtStream stream) {
  using enum Type;
  reference::UnpoolGeometry geometry;
  const auto plane = [](const reference::Triple& size) { return size[0] * size[1] * size[2]; };
  do {
    geometry = reference::random_unpool_geometry(random, random.chance(2));
  } while (plane(geometry.unpooled) < plane(geometry.pooled));
  const bool has_channels = geometry.c != 1 || random.chance(50);
  const std::vector<int> axes = has_channels ? std::vector<int>{0, 1, 2, 3, 4} : std::vector<int>{0, 2, 3, 4};
  const Type type = random.pick({kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64});

  const Operand self(random, type, geometry.pooled_sizes(), random_input_layout(random));
  const Operand indices(random, random.pick({kInt32, kInt64}), geometry.pooled_sizes(),
                        random_input_layout(random));
  Operand out(random, type, geometry.unpooled_sizes(), reference::LayoutKind::kContiguous);
  const reference::Window windows{.kernel = {2, 2, 2}, .stride = {2, 2, 2}};
  fill_indices(random, indices, random_indices(random), geometry.unpooled, &windows);
  const Operand expected = out.clone();
  const auto fault = max_unpool(self.view(), indices.view(), expected.view());

  OnDevice input(random, self, axes, plain_format(random, false));
  OnDevice index(random, indices, axes, plain_format(random, true));
  OnDevice result(random, out, axes, ACL_FORMAT_NDHWC);
  const IntArray sizes({geometry.unpooled.begin(), geometry.unpooled.end()});
  const IntArray stride({1, 2, 3});
  const IntArray padding({random.between(-3, 3), 0, 9});
  const Outcome outcome = run(
      [&](std::uint64_t* workspace_size, aclOpExecutor** executor) {
        return aclnnMaxUnpool3dGetWorkspaceSize(*input.tensor, *index.tensor, sizes, stride, padding,
                                                *result.tensor, workspace_size, executor);
      },
      aclnnMaxUnpool3d, stream, [&] { input.tensor.reset(); });
  std::string wrong = judge(outcome, fault);
  if (wrong.empty()) wrong = judge(expected, out, result.buffer);
  if (wrong.empty()) return wrong;
  return wrong + "\n self " + to_text(input.spec) + "\n indices " + to_text(index.spec) + "\n outRef " +
         to_text(result.spec);
}

std::string check_upsample_forward(Random& random, aclrtStream stream) {
  reference::UpsampleGeometry geometry;
  do {
    geometry = reference::random_upsample_geometry(random, random.chance(2));
  } while (geometry.c == 0);
  if (random.chance(10)) geometry.scales[1] = random.pick({0.0, -1.0, 1e-60, 1e60});
  const bool channels_last = random.chance(35);
  const std::vector<int> axes = pool_axes(false, true, channels_last);
  const aclFormat format = channels_last ? ACL_FORMAT_NDHWC : plain_format(random, false);
  const aclFormat other_format = channels_last ? ACL_FORMAT_NDHWC : plain_format(random, false);

  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble, Type::kUint8});
  const Operand self(random, type, geometry.in_sizes(), random_input_layout(random));
  Operand out(random, type, geometry.out_sizes(), random_output_layout(random));
  const Operand expected = out.clone();
  upsample_nearest(self.view(), expected.view(),
                   reference::upsample_steps(geometry.in, geometry.out, geometry.scales));

  OnDevice input(random, self, axes, format);
  OnDevice result(random, out, axes, other_format);
  const IntArray output_size({geometry.out.begin(), geometry.out.end()});
  const Outcome outcome = run(
      [&](std::uint64_t* workspace_size, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dGetWorkspaceSize(*input.tensor, output_size, geometry.scales[0],
                                                      geometry.scales[1], geometry.scales[2], *result.tensor,
                                                      workspace_size, executor);
      },
      aclnnUpsampleNearest3d, stream);
  std::string wrong = judge(outcome, std::nullopt);
  if (wrong.empty()) wrong = judge(expected, out, result.buffer);
  if (wrong.empty()) return wrong;
  return wrong + "\n self " + to_text(input.spec) + "\n out " + to_text(result.spec);
}

}  // namespace api_test
