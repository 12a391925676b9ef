#include "aclnnop/aclnn_ops_nn.h"
#include "conformance/adaptive_max.h"
#include "conformance/pool_mask.h"
#include "conformance/pooling.h"
#include "conformance/subjects.h"
#include "ops/kit/trivial_axes.h"
#include "ops/max_pool_backward/plan.h"

namespace conformance {
namespace {

using reference::LayoutKind;
using reference::Type;

enum { kGradOutput, kSelf, kIndices, kKernel, kStride, kPadding, kDilation, kCeilMode, kGradInput };

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
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.out_sizes(), layouts.from, format));
  const auto self_layout = random_input_layout(random);
  it.arguments.emplace_back(draft.tensor(Role::kShape, type, geometry.in_sizes(), self_layout, format));
  const auto index_layout = random.chance(70) ? layouts.from : random_input_layout(random);
  const aclFormat index_format = random.chance(50) ? format : draft.format();
  it.arguments.emplace_back(
      mask ? draw_mask(random, draft, Role::kInput, geometry)
           : draft.tensor(Role::kInput, index_type, geometry.out_sizes(), index_layout, index_format));
  push_window(it, random, draft, geometry);
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.in_sizes(), layouts.to, format));
  it.indices = random_indices(random);
  it.values = random_values(random);
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kGradOutput], it.values);
  const reference::Window window = window_of(it, kKernel);
  if (has_single_taps(it, window)) return;  // the mask is not read
  const View positions = positions_of(it, views[kIndices], views[kGradOutput]);
  const bool walks = taps_of(window, positions.count()) < 1 << 26;
  fill_indices(random, positions, it.indices, plane_of(views[kGradInput]), walks ? &window : nullptr);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  const reference::Window window = window_of(it, kKernel);
  if (has_single_taps(it, window)) {
    reference::single_tap_backward(views[kGradOutput], window, views[kGradInput]);
    return std::nullopt;
  }
  return reference::max_pool_backward(views[kGradOutput],
                                      positions_of(it, views[kIndices], views[kGradOutput]),
                                      views[kGradInput], channels_last(it));
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const reference::Window window = window_of(it, kKernel);
  const View& grad_input = views[kGradInput];
  using Plan = cairn::max_pool_backward::Plan;
  const Plan straight{.type = to_kernel(grad_input.type),
                      .index_type = plan_index_type(it, views[kIndices], window),
                      .n = grad_input.size[0],
                      .c = grad_input.size[1],
                      .in = to_kernel(plane_of(grad_input)),
                      .out = to_kernel(plane_of(views[kGradOutput])),
                      .kernel = to_kernel(window.kernel),
                      .stride = to_kernel(window.stride),
                      .padding = to_kernel(window.padding),
                      .dilation = to_kernel(window.dilation),
                      .channels_last = channels_last(it),
                      .grad_output = kernel_view(it, kGradOutput, views[kGradOutput]),
                      .indices = plan_indices(it, kIndices, views[kIndices], views[kGradOutput]),
                      .grad_input = kernel_view(it, kGradInput, grad_input)};
  plan.hold(trivial_axes_first(straight, cairn::ViewsOf<&Plan::grad_input>(),
                               cairn::ViewsOf<&Plan::grad_output, &Plan::indices>()));
}

constexpr FamilyCases kCases{.family = cairn::Family::max_pool_backward,
                             .axes = Axes::kImage,
                             .sums = true,
                             .random = random_pool,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan};
constexpr Subject kSubjects[] = {CAIRN_SUBJECT(aclnnMaxPool3dWithArgmaxBackward, 3, kCases),
                                 CAIRN_SUBJECT(aclnnMaxPool2dWithIndicesBackward, 2, kCases),
                                 CAIRN_SUBJECT(aclnnMaxPool2dWithMaskBackward, 2, kCases),
                                 CAIRN_SUBJECT(aclnnAdaptiveMaxPool2dBackward, 2, kAdaptiveMaxPoolBackward),
                                 CAIRN_SUBJECT(aclnnAdaptiveMaxPool3dBackward, 3, kAdaptiveMaxPoolBackward)};

}  // namespace

std::span<const Subject> max_pool_backward_subjects() { return kSubjects; }

}  // namespace conformance
