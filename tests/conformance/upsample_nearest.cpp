#include "aclnnop/aclnn_ops_cv.h"
#include "conformance/subjects.h"
#include "conformance/upsampling.h"
#include "ops/upsample_nearest/plan.h"

namespace conformance {
namespace {

using reference::Type;

enum { kSelf };  // out is the last

bool may_lack_channels(const Subject& subject) {
  const std::string_view name = subject.name;
  return name.ends_with("Nearest2dV2") || name.ends_with("Exact2d");
}

Case random_upsample(const Subject& subject, Random& random, Extent extent) {
  UpsampleGeometry geometry = random_upsample_geometry(random, subject.spatial, extent);
  if (may_lack_channels(subject) && random.chance(3)) geometry.c = 0;
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, true, layouts.channels_last);
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble, Type::kUint8});

  Case it{&subject};
  const aclFormat format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.in_sizes(), layouts.from, format));
  it.arguments.emplace_back(draft.array(geometry.out));
  push_scales(it, geometry);
  const aclFormat out_format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.out_sizes(), layouts.to, out_format));
  it.values = reference::Values::kAnyBits;
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kSelf], it.values);
}

std::array<float, 3> steps_of(const Case& it, std::span<const View> views) {
  return reference::upsample_steps(plane_of(views[kSelf]), plane_of(views.back()), scales_of(it),
                                   counting_of(*it.subject));
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  reference::upsample_nearest(views[kSelf], views.back(), steps_of(it, views), shift_of(*it.subject));
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const std::array<float, 3> steps = steps_of(it, views);
  const View& self = views[kSelf];
  plan.hold(cairn::upsample_nearest::Plan{.type = to_kernel(self.type),
                                          .n = self.size[0],
                                          .c = self.size[1],
                                          .in = to_kernel(plane_of(self)),
                                          .out = to_kernel(plane_of(views.back())),
                                          .scale_d = steps[0],
                                          .scale_h = steps[1],
                                          .scale_w = steps[2],
                                          .shift = shift_of(*it.subject),
                                          .self = kernel_view(it, kSelf, self),
                                          .values = kernel_view(it, views.size() - 1, views.back())});
}

constexpr FamilyCases kCases{.family = cairn::Family::upsample_nearest,
                             .axes = Axes::kImage,
                             .sums = false,
                             .random = random_upsample,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan};
constexpr Subject kSubjects[] = {
    CAIRN_SUBJECT(aclnnUpsampleNearest3d, 3, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearest1d, 1, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearest2d, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearest1dV2, 1, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearest2dV2, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearestExact1d, 1, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearestExact2d, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleNearestExact3d, 3, kCases),
};

}  // namespace

std::span<const Subject> upsample_nearest_subjects() { return kSubjects; }

}  // namespace conformance
