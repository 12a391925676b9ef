#include "conformance/adaptive_max.h"

#include <algorithm>

#include "conformance/draft.h"
#include "conformance/geometry.h"
#include "conformance/pooling.h"
#include "ops/checks/adaptive_window.h"
#include "ops/kit/trivial_axes.h"
#include "ops/max_pool/plan.h"
#include "ops/max_pool_backward/plan.h"

namespace conformance {
namespace {

using cairn::Window;
using reference::Type;

// As many windows over `in` cells as a network would have, or any number.
std::int64_t choose_windows(Random& random, std::int64_t in) {
  const std::int64_t kind = random.between(0, 9);
  if (kind < 2) return 1;
  if (kind < 5) {
    const std::int64_t size = random.between(1, std::min<std::int64_t>(in, 9));
    return in % size == 0 ? in / size : std::max<std::int64_t>(in / size, 1);
  }
  if (kind < 9) return random.between(1, in);
  return random.between(1, 2 * in + 1);
}

std::int64_t choose_cells(Random& random, std::size_t axis, Extent extent) {
  if (extent == Extent::kPastCache) return random.pick<std::int64_t>({56, 83, 128});
  const bool row = axis == 2 && random.chance(20);
  if (extent == Extent::kLarge) return random.between(1, row ? 600 : 60);
  return random.between(1, row ? 150 : 14);
}

UnpoolGeometry choose(Random& random, int spatial, Extent extent) {
  UnpoolGeometry it{.unpooled = {1, 1, 1}};
  it.n = random.chance(3) ? 0 : random.between(1, 3);
  it.c = random.pick<std::int64_t>({1, 2, 3, 5, 16, 17, 64});
  const auto first = static_cast<std::size_t>(3 - spatial);
  for (std::size_t axis = first; axis < 3; ++axis) it.unpooled[axis] = choose_cells(random, axis, extent);
  if (extent == Extent::kPastCache) {
    const std::int64_t cells = it.unpooled[0] * it.unpooled[1] * it.unpooled[2];
    it.n = 1;
    it.c = (std::int64_t{10} << 20) / cells + 1;
  }
  it.pooled = {1, 1, 1};
  for (std::size_t axis = first; axis < 3; ++axis)
    it.pooled[axis] = choose_windows(random, it.unpooled[axis]);
  return it;
}

// `pooled` has the sizes of the output.
UnpoolGeometry random_geometry(Random& random, int spatial, Extent extent) {
  const std::int64_t limit = extent == Extent::kSmall ? 20000 : 600000;
  while (true) {
    const UnpoolGeometry it = choose(random, spatial, extent);
    const auto count = [&](const Triple& plane) { return it.n * it.c * plane[0] * plane[1] * plane[2]; };
    if (extent == Extent::kPastCache ? count(it.pooled) <= count(it.unpooled)
                                     : std::max(count(it.pooled), count(it.unpooled)) <= limit)
      return it;
  }
}

std::array<Window, 3> windows_of(const View& in, const View& out,
                                 Window (*along)(std::int64_t, std::int64_t)) {
  return {along(in.size[2], out.size[2]), along(in.size[3], out.size[3]), along(in.size[4], out.size[4])};
}

cairn::Size3 of_axes(const std::array<Window, 3>& windows, std::int64_t Window::*value) {
  return {windows[0].*value, windows[1].*value, windows[2].*value};
}

namespace forward {

enum { kSelf, kOutputSize, kOut, kIndices };

Case random_pool(const Subject& subject, Random& random, Extent extent) {
  const UnpoolGeometry geometry = random_geometry(random, subject.spatial, extent);
  const bool whole = geometry.n != 1 || random.chance(50);
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, whole, layouts.channels_last);
  const aclFormat format = draft.format();
  const Type type = random_pool_type(random);
  const Type index_type = random.pick({Type::kInt32, Type::kInt64});

  Case it{&subject};
  it.arguments.emplace_back(
      draft.tensor(Role::kInput, type, geometry.unpooled_sizes(), layouts.from, format));
  const bool same = subject.spatial == 3 && geometry.pooled == geometry.unpooled && random.chance(50);
  it.arguments.emplace_back(same ? ArrayArgument(std::in_place)
                                 : draft.array(geometry.pooled, subject.spatial == 3));
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.pooled_sizes(), layouts.to, format));
  it.values = random_values_to_compare(random);
  const auto index_layout = random.chance(70) ? layouts.to : random_output_layout(random);
  const aclFormat index_format = random.chance(50) ? format : draft.format();
  it.arguments.emplace_back(
      draft.tensor(Role::kOutput, index_type, geometry.pooled_sizes(), index_layout, index_format));
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kSelf], it.values);
}

std::optional<Fault> oracle(const Case& /*it*/, std::span<const View> views) {
  reference::adaptive_max_pool(views[kSelf], views[kOut], views[kIndices]);
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const View& self = views[kSelf];
  const auto windows = windows_of(self, views[kOut], cairn::adaptive_window);
  using Plan = cairn::max_pool::Plan;
  const Plan straight{.type = to_kernel(self.type),
                      .index_type = to_kernel(views[kIndices].type),
                      .n = self.size[0],
                      .c = self.size[1],
                      .in = to_kernel(plane_of(self)),
                      .out = to_kernel(plane_of(views[kOut])),
                      .kernel = of_axes(windows, &Window::kernel),
                      .stride = of_axes(windows, &Window::stride),
                      .padding = of_axes(windows, &Window::padding),
                      .dilation = of_axes(windows, &Window::dilation),
                      .self = kernel_view(it, kSelf, self),
                      .values = kernel_view(it, kOut, views[kOut]),
                      .indices = kernel_view(it, kIndices, views[kIndices])};
  plan.hold(trivial_axes_first(straight, cairn::ViewsOf<&Plan::self>(),
                               cairn::ViewsOf<&Plan::values, &Plan::indices>()));
}

// Along an axis neighbours share a cell at most.
std::int64_t steps(const Case& it) {
  const View self = view_of(it, kSelf, nullptr);
  const View out = view_of(it, kOut, nullptr);
  std::int64_t steps = self.size[0] * self.size[1];
  for (std::size_t axis = 2; axis < 5; ++axis)
    if (__builtin_mul_overflow(steps, self.size[axis] + out.size[axis], &steps)) return INT64_MAX;
  return steps;
}

}  // namespace forward

namespace backward {

enum { kGradOutput, kSelf, kIndices, kGradInput };

Case random_pool(const Subject& subject, Random& random, Extent extent) {
  UnpoolGeometry geometry = random_geometry(random, subject.spatial, extent);
  // Any dimension may be empty.
  if (extent == Extent::kSmall && random.chance(5)) {
    const auto axis = static_cast<std::size_t>(random.between(3 - subject.spatial, 2));
    (random.chance(50) ? geometry.pooled : geometry.unpooled)[axis] = 0;
  }
  if (extent == Extent::kSmall && random.chance(2)) geometry.c = 0;
  const bool whole = geometry.n != 1 || random.chance(50);
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, whole, layouts.channels_last);
  const aclFormat format = draft.format();
  const Type type = random_pool_type(random);
  const Type index_type = random.pick({Type::kInt32, Type::kInt64});

  Case it{&subject};
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.pooled_sizes(), layouts.from, format));
  const auto self_layout = random_input_layout(random);
  it.arguments.emplace_back(draft.tensor(Role::kShape, type, geometry.unpooled_sizes(), self_layout, format));
  const auto index_layout = random.chance(70) ? layouts.from : random_input_layout(random);
  const aclFormat index_format = random.chance(50) ? format : draft.format();
  it.arguments.emplace_back(
      draft.tensor(Role::kInput, index_type, geometry.pooled_sizes(), index_layout, index_format));
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.unpooled_sizes(), layouts.to, format));
  it.indices = random_indices(random);
  it.values = random_values(random);
  return it;
}

std::array<Window, 3> hints(std::span<const View> views) {
  return windows_of(views[kGradInput], views[kGradOutput], cairn::covering_window);
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kGradOutput], it.values);
  const auto hint = hints(views);
  reference::Window window;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    window.kernel[axis] = hint[axis].kernel;
    window.stride[axis] = hint[axis].stride;
    window.padding[axis] = hint[axis].padding;
  }
  const bool walks = taps_of(window, views[kIndices].count()) < 1 << 26;
  fill_indices(random, views[kIndices], it.indices, plane_of(views[kGradInput]), walks ? &window : nullptr);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  return reference::max_pool_backward(views[kGradOutput], views[kIndices], views[kGradInput],
                                      channels_last(it));
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const View& grad_input = views[kGradInput];
  const auto windows = hints(views);
  using Plan = cairn::max_pool_backward::Plan;
  const Plan straight{.type = to_kernel(grad_input.type),
                      .index_type = to_kernel(views[kIndices].type),
                      .n = grad_input.size[0],
                      .c = grad_input.size[1],
                      .in = to_kernel(plane_of(grad_input)),
                      .out = to_kernel(plane_of(views[kGradOutput])),
                      .kernel = of_axes(windows, &Window::kernel),
                      .stride = of_axes(windows, &Window::stride),
                      .padding = of_axes(windows, &Window::padding),
                      .dilation = of_axes(windows, &Window::dilation),
                      .channels_last = channels_last(it),
                      .grad_output = kernel_view(it, kGradOutput, views[kGradOutput]),
                      .indices = kernel_view(it, kIndices, views[kIndices]),
                      .grad_input = kernel_view(it, kGradInput, grad_input)};
  plan.hold(trivial_axes_first(straight, cairn::ViewsOf<&Plan::grad_input>(),
                               cairn::ViewsOf<&Plan::grad_output, &Plan::indices>()));
}

}  // namespace backward
}  // namespace

const FamilyCases kAdaptiveMaxPool{.family = cairn::Family::max_pool,
                                   .axes = Axes::kImage,
                                   .sums = false,
                                   .random = forward::random_pool,
                                   .fill = forward::fill,
                                   .oracle = forward::oracle,
                                   .plan = forward::plan,
                                   .steps = forward::steps};
const FamilyCases kAdaptiveMaxPoolBackward{.family = cairn::Family::max_pool_backward,
                                           .axes = Axes::kImage,
                                           .sums = true,
                                           .random = backward::random_pool,
                                           .fill = backward::fill,
                                           .oracle = backward::oracle,
                                           .plan = backward::plan};

}  // namespace conformance
