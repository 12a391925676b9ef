#include "aclnnop/aclnn_ops_nn.h"
#include "conformance/adaptive_max.h"
#include "conformance/pool_mask.h"
#include "conformance/pooling.h"
#include "conformance/subjects.h"
#include "ops/kit/trivial_axes.h"
#include "ops/max_pool/plan.h"

namespace conformance {
namespace {

using reference::Type;

enum { kSelf, kKernel, kStride, kPadding, kDilation, kCeilMode, kOut, kIndices };

Case random_pool(const Subject& subject, Random& random, Extent extent) {
  const bool mask = has_mask(subject);
  const PoolGeometry geometry = mask ? random_mask_geometry(random, subject.spatial, extent)
                                     : random_pool_geometry(random, subject.spatial, extent);
  const bool whole = geometry.n != 1 || random.chance(50);
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, whole, layouts.channels_last && !mask);
  const aclFormat format = draft.format();
  const Type type = random_pool_type(random);
  const Type index_type = random.pick({Type::kInt32, Type::kInt64});

  Case it{&subject};
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.in_sizes(), layouts.from, format));
  push_window(it, random, draft, geometry);
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.out_sizes(), layouts.to, format));
  it.values = random_values_to_compare(random);
  if (mask) {
    it.arguments.emplace_back(draw_mask(random, draft, Role::kOutput, geometry));
    return it;
  }
  const auto index_layout = random.chance(70) ? layouts.to : random_output_layout(random);
  const aclFormat index_format = random.chance(50) ? format : draft.format();
  it.arguments.emplace_back(
      draft.tensor(Role::kOutput, index_type, geometry.out_sizes(), index_layout, index_format));
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kSelf], it.values);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  const reference::Window window = window_of(it, kKernel);
  if (has_single_taps(it, window)) {
    reference::max_pool(views[kSelf], window, views[kOut]);
    set_ones(views[kIndices], views[kOut]);
    return std::nullopt;
  }
  const View positions = positions_of(it, views[kIndices], views[kOut]);
  reference::max_pool(views[kSelf], window, views[kOut], &positions);
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const reference::Window window = window_of(it, kKernel);
  const View& self = views[kSelf];
  using Plan = cairn::max_pool::Plan;
  const Plan straight{.type = to_kernel(self.type),
                      .index_type = plan_index_type(it, views[kIndices], window),
                      .n = self.size[0],
                      .c = self.size[1],
                      .in = to_kernel(plane_of(self)),
                      .out = to_kernel(plane_of(views[kOut])),
                      .kernel = to_kernel(window.kernel),
                      .stride = to_kernel(window.stride),
                      .padding = to_kernel(window.padding),
                      .dilation = to_kernel(window.dilation),
                      .self = kernel_view(it, kSelf, self),
                      .values = kernel_view(it, kOut, views[kOut]),
                      .indices = plan_indices(it, kIndices, views[kIndices], views[kOut])};
  plan.hold(trivial_axes_first(straight, cairn::ViewsOf<&Plan::self>(),
                               cairn::ViewsOf<&Plan::values, &Plan::indices>()));
}

std::int64_t steps(const Case& it) {
  return taps_of(window_of(it, kKernel), view_of(it, kOut, nullptr).count());
}

constexpr FamilyCases kCases{.family = cairn::Family::max_pool,
                             .axes = Axes::kImage,
                             .sums = false,
                             .random = random_pool,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan,
                             .steps = steps};
constexpr Subject kSubjects[] = {CAIRN_SUBJECT(aclnnMaxPool3dWithArgmax, 3, kCases),
                                 CAIRN_SUBJECT(aclnnMaxPool2dWithIndices, 2, kCases),
                                 CAIRN_SUBJECT(aclnnMaxPool2dWithMask, 2, kCases),
                                 CAIRN_SUBJECT(aclnnAdaptiveMaxPool2d, 2, kAdaptiveMaxPool),
                                 CAIRN_SUBJECT(aclnnAdaptiveMaxPool3d, 3, kAdaptiveMaxPool)};

}  // namespace

std::span<const Subject> max_pool_subjects() { return kSubjects; }

}  // namespace conformance
