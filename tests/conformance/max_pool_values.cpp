#include "aclnnop/aclnn_ops_nn.h"
#include "conformance/pooling.h"
#include "conformance/subjects.h"
#include "ops/kit/trivial_axes.h"
#include "ops/max_pool_values/plan.h"

namespace conformance {
namespace {

using reference::Type;

enum { kSelf, kKernel, kStrides, kAutoPad, kPads, kDilations, kCeilMode, kOut };

Type random_type(Random& random) {
  using enum Type;
  return random.pick({kFloat, kFloat, kFloat16, kFloat16, kBf16, kBf16, kDouble, kInt8, kUint8, kInt16,
                      kUint16, kInt32, kInt64});
}

// Padding on each side, together no more than the kernel; all of it in front now and then.
Triple random_behind(Random& random, PoolGeometry& geometry) {
  Triple behind = geometry.window.padding;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    if (random.chance(50)) continue;
    const std::int64_t kernel = geometry.window.kernel[axis];
    const std::int64_t before = random.chance(15) ? kernel : random.between(0, kernel);
    geometry.window.padding[axis] = before;
    behind[axis] = random.between(0, kernel - before);
  }
  return behind;
}

bool derive_out(PoolGeometry& it, const Triple& behind) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    it.out[axis] =
        reference::pooled_size(it.in[axis], it.window.kernel[axis], it.window.stride[axis],
                               it.window.padding[axis], behind[axis], it.window.dilation[axis], it.ceil_mode);
    if (it.out[axis] <= 0) return false;
  }
  return true;
}

ArrayArgument pads_of(Random& random, const Triple& before, const Triple& behind) {
  using Values = std::vector<std::int64_t>;
  const bool short_form = random.chance(50);
  if (before != behind || !short_form) return Values{before[1], before[2], behind[1], behind[2]};
  if (before[1] != before[2]) return Values{before[1], before[2]};
  if (before[1] == 0 && random.chance(50)) return Values{};
  return Values{before[1]};
}

// What is 1 on both axes may be left out.
ArrayArgument or_nothing(Random& random, const Draft& draft, const Triple& values) {
  const bool ones = values[1] == 1 && values[2] == 1;
  if (ones && random.chance(50)) return ArrayArgument(std::in_place);
  return draft.array(values, true);
}

Case random_pool(const Subject& subject, Random& random, Extent extent) {
  PoolGeometry geometry = random_pool_geometry(random, subject.spatial, extent);
  const PoolGeometry plain = geometry;
  Triple behind = random_behind(random, geometry);
  if (!derive_out(geometry, behind) || geometry.out_count() > 2 * plain.out_count() + 1000) {
    geometry = plain;
    behind = plain.window.padding;
  }
  const bool whole = geometry.n != 1 || random.chance(50);
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, whole, layouts.channels_last);
  const aclFormat format = draft.format();
  const Type type = random_type(random);

  Case it{&subject};
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.in_sizes(), layouts.from, format));
  it.arguments.emplace_back(draft.array(geometry.window.kernel, true));
  it.arguments.emplace_back(or_nothing(random, draft, geometry.window.stride));
  it.arguments.emplace_back(std::int64_t{0});
  it.arguments.emplace_back(pads_of(random, geometry.window.padding, behind));
  it.arguments.emplace_back(or_nothing(random, draft, geometry.window.dilation));
  it.arguments.emplace_back(std::int64_t{geometry.ceil_mode ? random.between(1, 9) : 0});
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.out_sizes(), layouts.to, format));
  it.values = random_values_to_compare(random);
  return it;
}

reference::Window window(const Case& it) {
  const auto values = [&](std::size_t i, std::int64_t missing) {
    const std::vector<std::int64_t>& given = it.array(i);
    return given.empty() ? Triple{missing, missing, missing} : on_axes(*it.subject, given, missing);
  };
  return {values(kKernel, 1), values(kStrides, 1), values(kPads, 0), values(kDilations, 1)};
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kSelf], it.values);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  reference::max_pool(views[kSelf], window(it), views[kOut]);
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const reference::Window at = window(it);
  const View& self = views[kSelf];
  using Plan = cairn::max_pool_values::Plan;
  const Plan straight{.type = to_kernel(self.type),
                      .n = self.size[0],
                      .c = self.size[1],
                      .in = to_kernel(plane_of(self)),
                      .out = to_kernel(plane_of(views[kOut])),
                      .kernel = to_kernel(at.kernel),
                      .stride = to_kernel(at.stride),
                      .padding = to_kernel(at.padding),
                      .dilation = to_kernel(at.dilation),
                      .self = kernel_view(it, kSelf, self),
                      .values = kernel_view(it, kOut, views[kOut])};
  plan.hold(trivial_axes_first(straight, cairn::ViewsOf<&Plan::self>(), cairn::ViewsOf<&Plan::values>()));
}

std::int64_t steps(const Case& it) { return taps_of(window(it), view_of(it, kOut, nullptr).count()); }

constexpr FamilyCases kCases{.family = cairn::Family::max_pool_values,
                             .axes = Axes::kImage,
                             .sums = false,
                             .random = random_pool,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan,
                             .steps = steps};
constexpr Subject kSubjects[] = {CAIRN_SUBJECT(aclnnMaxPool, 2, kCases)};

}  // namespace

std::span<const Subject> max_pool_values_subjects() { return kSubjects; }

}  // namespace conformance
