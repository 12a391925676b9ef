#include "aclnnop/aclnn_ops_cv.h"
#include "conformance/resampling.h"
#include "conformance/subjects.h"
#include "ops/upsample_linear/plan.h"

namespace conformance {
namespace {

using reference::Type;

enum { kSelf };  // out is the last

Case random_upsample(const Subject& subject, Random& random, Extent extent) {
  const UpsampleGeometry geometry = random_upsample_geometry(random, subject.spatial, extent);
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, true, layouts.channels_last);
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});

  Case it{&subject};
  const aclFormat format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.in_sizes(), layouts.from, format));
  it.arguments.emplace_back(draft.array(geometry.out));
  push_resampling(random, it, geometry);
  const aclFormat out_format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.out_sizes(), layouts.to, out_format));
  it.values = random_values(random);
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kSelf], it.values);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  reference::resample(views[kSelf], views.back(), resample_of(it));
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const reference::Resample how = resample_of(it);
  const View& self = views[kSelf];
  const View& out = views.back();
  plan.hold(cairn::upsample_linear::Plan{.type = to_kernel(self.type),
                                         .n = self.size[0],
                                         .c = self.size[1],
                                         .d = filter_axis(how, 0, self, out),
                                         .h = filter_axis(how, 1, self, out),
                                         .w = filter_axis(how, 2, self, out),
                                         .self = kernel_view(it, kSelf, self),
                                         .out = kernel_view(it, views.size() - 1, out)});
}

constexpr FamilyCases kCases{.family = cairn::Family::upsample_linear,
                             .axes = Axes::kImage,
                             .sums = true,
                             .random = random_upsample,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan};
constexpr Subject kSubjects[] = {
    CAIRN_SUBJECT(aclnnUpsampleLinear1d, 1, kCases),     CAIRN_SUBJECT(aclnnUpsampleBilinear2d, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleTrilinear3d, 3, kCases),  CAIRN_SUBJECT(aclnnUpsampleBicubic2d, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleBilinear2dAA, 2, kCases), CAIRN_SUBJECT(aclnnUpsampleBicubic2dAA, 2, kCases),
};

}  // namespace

std::span<const Subject> upsample_linear_subjects() { return kSubjects; }

}  // namespace conformance
