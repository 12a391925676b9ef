#include <algorithm>

#include "aclnnop/aclnn_ops_nn.h"
#include "conformance/mean_pooling.h"
#include "conformance/subjects.h"
#include "ops/mean_pool/plan.h"

namespace conformance {
namespace {

using reference::Type;

enum { kSelf, kKernel };  // out is the last

Case random_pool(const Subject& subject, Random& random, Extent extent) {
  PoolGeometry geometry = random_mean_geometry(subject, random, extent, subject.spatial == 3);
  const bool adaptive = is_adaptive(subject);
  if (adaptive && random.chance(2)) geometry.out[2] = 0;
  if (adaptive && geometry.n != 1) geometry.c = std::max<std::int64_t>(geometry.c, 1);
  const bool whole = geometry.n != 1 || (random.chance(50) && geometry.c > 0);
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, whole, layouts.channels_last);
  const aclFormat format = draft.format();
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});

  Case it{&subject};
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.in_sizes(), layouts.from, format));
  if (adaptive) {
    it.arguments.emplace_back(draft.array(geometry.out));
  } else {
    push_mean_windows(it, random, draft, geometry);
  }
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.out_sizes(), layouts.to, format));
  it.values = random_values(random);
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kSelf], it.values);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  reference::mean_pool(views[kSelf], views.back(), mean_of(it, kKernel));
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const reference::Mean how = mean_of(it, kKernel);
  const View& self = views[kSelf];
  const View& out = views.back();
  using Plan = cairn::mean_pool::Plan;
  const Plan straight{.type = to_kernel(self.type),
                      .n = self.size[0],
                      .c = self.size[1],
                      .d = mean_axis(how, 0, self, out),
                      .h = mean_axis(how, 1, self, out),
                      .w = mean_axis(how, 2, self, out),
                      .divisor = mean_divisor(how, self, out),
                      .self = kernel_view(it, kSelf, self),
                      .values = kernel_view(it, views.size() - 1, out)};
  plan.hold(cairn::with_plain_axes<&Plan::self, &Plan::values>(straight));
}

std::int64_t steps(const Case& it) {
  return taps_of(mean_of(it, kKernel), view_of(it, kSelf, nullptr),
                 view_of(it, it.arguments.size() - 1, nullptr));
}

constexpr FamilyCases kCases{.family = cairn::Family::mean_pool,
                             .axes = Axes::kImage,
                             .sums = true,
                             .random = random_pool,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan,
                             .steps = steps};
constexpr Subject kSubjects[] = {
    CAIRN_SUBJECT(aclnnAvgPool2d, 2, kCases), CAIRN_SUBJECT(aclnnAvgPool3d, 3, kCases),
    CAIRN_SUBJECT(aclnnAdaptiveAvgPool2d, 2, kCases), CAIRN_SUBJECT(aclnnAdaptiveAvgPool3d, 3, kCases)};

}  // namespace

std::span<const Subject> mean_pool_subjects() { return kSubjects; }

}  // namespace conformance
