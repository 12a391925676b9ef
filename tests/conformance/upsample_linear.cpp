#include <cmath>
#include <limits>

#include "aclnnop/aclnn_ops_cv.h"
#include "conformance/resampling.h"
#include "conformance/subjects.h"
#include "ops/upsample_linear/plan.h"

namespace conformance {
namespace {

using reference::LayoutKind;
using reference::Type;

enum { kSelf };  // out is the last

Case random_upsample(const Subject& subject, Random& random, Extent extent) {
  UpsampleGeometry geometry = random_upsample_geometry(random, subject.spatial, extent);
  const bool whole = draw_whole_ratio(random, geometry, subject, extent);
  Layouts layouts = draw_layouts(random);
  if (whole && random.chance(70))
    layouts.from = layouts.to = random.chance(60) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
  const Draft draft(subject, random, true, layouts.channels_last);
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});

  Case it{&subject};
  const aclFormat format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.in_sizes(), layouts.from, format));
  it.arguments.emplace_back(draft.array(geometry.out));
  push_resampling(random, it, geometry, whole ? 5 : 30);
  const aclFormat out_format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.out_sizes(), layouts.to, out_format));
  it.values = random_values(random);
  return it;
}

// Factors that give the sizes, rounded up so that they do in float, too.
FloatArrayArgument factors_of(const UpsampleGeometry& geometry, bool channels_last) {
  const auto factor = [&](std::size_t axis) {
    const double exact = static_cast<double>(geometry.out[axis]) / static_cast<double>(geometry.in[axis]);
    return std::nextafter(static_cast<float>(exact), std::numeric_limits<float>::infinity());
  };
  if (channels_last) return {1, factor(1), factor(2), 1};
  return {1, 1, factor(1), factor(2)};
}

// In the mode that this family's kernels compute; the other one is nearest upsampling's.
Case random_resize(const Subject& subject, Random& random, Extent extent) {
  const UpsampleGeometry geometry = random_upsample_geometry(random, subject.spatial, extent);
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, true, layouts.channels_last);
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});
  Case it{&subject};
  const aclFormat format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.in_sizes(), layouts.from, format));
  it.arguments.emplace_back(factors_of(geometry, layouts.channels_last));
  it.arguments.emplace_back(std::string("bilinear"));
  const aclFormat out_format = draft.format();
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.out_sizes(), layouts.to, out_format));
  it.values = random_values(random);
  return it;
}

bool takes_the_nearest(const Case& it) {
  const auto* mode = std::get_if<std::string>(&it.arguments[2]);
  return mode != nullptr && *mode == "nearest";
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kSelf], it.values);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  if (takes_the_nearest(it)) {
    const auto step = [&](std::size_t axis) {
      return static_cast<float>(views[kSelf].size[axis]) / static_cast<float>(views.back().size[axis]);
    };
    reference::upsample_nearest(views[kSelf], views.back(), {1, step(3), step(4)});
    return std::nullopt;
  }
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
constexpr FamilyCases kResizeCases{.family = cairn::Family::upsample_linear,
                                   .axes = Axes::kImage,
                                   .sums = true,
                                   .random = random_resize,
                                   .fill = fill,
                                   .oracle = oracle,
                                   .plan = plan};
constexpr Subject kSubjects[] = {
    CAIRN_SUBJECT(aclnnUpsampleLinear1d, 1, kCases),     CAIRN_SUBJECT(aclnnUpsampleBilinear2d, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleTrilinear3d, 3, kCases),  CAIRN_SUBJECT(aclnnUpsampleBicubic2d, 2, kCases),
    CAIRN_SUBJECT(aclnnUpsampleBilinear2dAA, 2, kCases), CAIRN_SUBJECT(aclnnUpsampleBicubic2dAA, 2, kCases),
    CAIRN_SUBJECT(aclnnResize, 2, kResizeCases),
};

}  // namespace

std::span<const Subject> upsample_linear_subjects() { return kSubjects; }

}  // namespace conformance
