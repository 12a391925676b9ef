#include "aclnnop/aclnn_ops_cv.h"
#include "conformance/resampling.h"
#include "conformance/subjects.h"
#include "conformance/upsampling.h"
#include "ops/upsample_linear_backward/plan.h"

namespace conformance {
namespace {

using reference::LayoutKind;
using reference::Type;

enum { kGradOut };  // gradInput is the last

Type draw_out_type(Random& random, const Subject& subject, Type type) {
  const bool rounds = std::string_view(subject.name).ends_with("Bilinear2dBackward");
  if (!rounds || type != Type::kFloat || !random.chance(40)) return type;
  return random.pick({Type::kFloat16, Type::kBf16});
}

Case random_upsample(const Subject& subject, Random& random, Extent extent) {
  UpsampleGeometry geometry = random_upsample_geometry(random, subject.spatial, extent);
  const bool whole = draw_whole_ratio(random, geometry, subject, extent);
  if (random.chance(3)) geometry.c = 0;
  Layouts layouts = draw_layouts(random);
  if (whole && random.chance(70))
    layouts.from = layouts.to = random.chance(60) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
  const Draft draft(subject, random, true, layouts.channels_last);
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});
  const Type out_type = draw_out_type(random, subject, type);

  Case it{&subject};
  const aclFormat format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.out_sizes(), layouts.from, format));
  it.arguments.emplace_back(draft.array(geometry.out));
  it.arguments.emplace_back(
      draw_input_size(random, draft, geometry, layouts.channels_last && subject.spatial > 1));
  push_resampling(random, it, geometry, whole ? 5 : 30);
  const aclFormat in_format = draft.format();
  it.arguments.emplace_back(
      draft.tensor(Role::kOutput, out_type, geometry.in_sizes(), layouts.to, in_format));
  it.values = random_values(random);
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kGradOut], it.values);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  reference::resample_backward(views[kGradOut], views.back(), resample_of(it));
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const reference::Resample how = resample_of(it);
  const View& grad_out = views[kGradOut];
  const View& grad_input = views.back();
  plan.hold(
      cairn::upsample_linear_backward::Plan{.type = to_kernel(grad_out.type),
                                            .out_type = to_kernel(grad_input.type),
                                            .n = grad_input.size[0],
                                            .c = grad_input.size[1],
                                            .d = filter_axis(how, 0, grad_input, grad_out),
                                            .h = filter_axis(how, 1, grad_input, grad_out),
                                            .w = filter_axis(how, 2, grad_input, grad_out),
                                            .grad_out = kernel_view(it, kGradOut, grad_out),
                                            .grad_input = kernel_view(it, views.size() - 1, grad_input)});
}

constexpr FamilyCases kCases{.family = cairn::Family::upsample_linear_backward,
                             .axes = Axes::kImage,
                             .sums = true,
                             .random = random_upsample,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan};
constexpr Subject kSubjects[] = {
    CAIRN_SUBJECT(aclnnUpsampleLinear1dBackward, 1, kCases),
    CAIRN_SUBJECT(aclnnUpsampleBilinear2dBackward, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleBilinear2dBackwardV2, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleTrilinear3dBackward, 3, kCases),
    CAIRN_SUBJECT(aclnnUpsampleBicubic2dBackward, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleBilinear2dAABackward, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleBicubic2dAAGrad, 2, kCases),
};

}  // namespace

std::span<const Subject> upsample_linear_backward_subjects() { return kSubjects; }

}  // namespace conformance
