#include "aclnnop/aclnn_ops_cv.h"
#include "conformance/subjects.h"
#include "conformance/upsampling.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace conformance {
namespace {

using reference::Type;

enum { kGradOut };  // gradInput is the last

Case random_upsample(const Subject& subject, Random& random, Extent extent) {
  UpsampleGeometry geometry = random_upsample_geometry(random, subject.spatial, extent);
  if (random.chance(3)) geometry.c = 0;
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, true, layouts.channels_last);
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});

  Case it{&subject};
  const aclFormat format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.out_sizes(), layouts.from, format));
  it.arguments.emplace_back(draft.array(geometry.out));
  it.arguments.emplace_back(
      draw_input_size(random, draft, geometry, layouts.channels_last && subject.spatial > 1));
  push_scales(it, geometry);
  const aclFormat in_format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.in_sizes(), layouts.to, in_format));
  it.values = random_values(random);
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kGradOut], it.values);
}

std::array<float, 3> scales_of(const Case& it, std::span<const View> views) {
  return reference::upsample_scales(plane_of(views.back()), plane_of(views[kGradOut]), scales_of(it),
                                    counting_of(*it.subject));
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  reference::upsample_nearest_backward(views[kGradOut], views.back(), scales_of(it, views),
                                       shift_of(*it.subject));
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const std::array<float, 3> scales = scales_of(it, views);
  const View& grad_input = views.back();
  plan.hold(
      cairn::upsample_nearest_backward::Plan{.type = to_kernel(grad_input.type),
                                             .n = grad_input.size[0],
                                             .c = grad_input.size[1],
                                             .in = to_kernel(plane_of(grad_input)),
                                             .out = to_kernel(plane_of(views[kGradOut])),
                                             .scale_d = scales[0],
                                             .scale_h = scales[1],
                                             .scale_w = scales[2],
                                             .shift = shift_of(*it.subject),
                                             .grad_out = kernel_view(it, kGradOut, views[kGradOut]),
                                             .grad_input = kernel_view(it, views.size() - 1, grad_input)});
}

constexpr FamilyCases kCases{.family = cairn::Family::upsample_nearest_backward,
                             .axes = Axes::kImage,
                             .sums = true,
                             .random = random_upsample,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan};
constexpr Subject kSubjects[] = {
    CAIRN_SUBJECT(aclnnUpsampleNearest3dBackward, 3, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearest1dBackward, 1, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearest2dBackward, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearestExact1dBackward, 1, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearestExact2dBackward, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearestExact3dBackward, 3, kCases),
};

}  // namespace

std::span<const Subject> upsample_nearest_backward_subjects() { return kSubjects; }

}  // namespace conformance
