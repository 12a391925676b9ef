#include <algorithm>
#include <string_view>

#include "aclnnop/aclnn_ops_nn.h"
#include "conformance/mean_pooling.h"
#include "conformance/subjects.h"
#include "ops/mean_pool_backward/plan.h"

namespace conformance {
namespace {

using reference::Type;

enum { kGradOutput, kSelf, kKernel };  // what is written is the last

Type random_type(const Subject& subject, Random& random) {
  using enum Type;
  if (std::string_view(subject.name) != "aclnnAdaptiveAvgPool3dBackward")
    return random.pick({kFloat, kFloat16, kBf16});
  return random.pick({kFloat, kFloat16, kBf16, kDouble});
}

// Adaptive pooling of images takes planes without cells and without windows.
void empty_something(PoolGeometry& geometry, const Subject& subject, Random& random) {
  if (!is_adaptive(subject)) return;
  if (subject.spatial == 3) {
    if (geometry.n != 1) geometry.c = std::max<std::int64_t>(geometry.c, 1);
    return;
  }
  if (random.chance(2)) geometry.out[2] = 0;
  if (random.chance(1)) geometry.in[1] = 0;
}

Case random_pool(const Subject& subject, Random& random, Extent extent) {
  PoolGeometry geometry = random_mean_geometry(subject, random, extent, false);
  empty_something(geometry, subject, random);
  const bool whole = geometry.n != 1 || (random.chance(50) && geometry.c > 0);
  const Layouts layouts = draw_layouts(random);
  const Draft draft(subject, random, whole, layouts.channels_last);
  const aclFormat format = draft.format();
  const Type type = random_type(subject, random);

  Case it{&subject};
  it.arguments.emplace_back(draft.tensor(Role::kInput, type, geometry.out_sizes(), layouts.from, format));
  const auto self_layout = random_input_layout(random);
  it.arguments.emplace_back(draft.tensor(Role::kShape, type, geometry.in_sizes(), self_layout, format));
  if (!is_adaptive(subject)) {
    push_mean_windows(it, random, draft, geometry);
    // No list at all means the kernel's too.
    auto& stride = std::get<ArrayArgument>(it.arguments[kKernel + 1]);
    if (subject.spatial == 2 && stride->empty() && random.chance(50)) stride.reset();
  }
  it.arguments.emplace_back(draft.tensor(Role::kOutput, type, geometry.in_sizes(), layouts.to, format));
  it.values = random_values(random);
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kGradOutput], it.values);
}

std::optional<Fault> oracle(const Case& it, std::span<const View> views) {
  reference::mean_pool_backward(views[kGradOutput], views.back(), mean_of(it, kKernel));
  return std::nullopt;
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const reference::Mean how = mean_of(it, kKernel);
  const View& grad_output = views[kGradOutput];
  const View& grad_input = views.back();
  using Plan = cairn::mean_pool_backward::Plan;
  const Plan straight{.type = to_kernel(grad_input.type),
                      .n = grad_input.size[0],
                      .c = grad_input.size[1],
                      .d = mean_axis(how, 0, grad_input, grad_output),
                      .h = mean_axis(how, 1, grad_input, grad_output),
                      .w = mean_axis(how, 2, grad_input, grad_output),
                      .divisor = mean_divisor(how, grad_input, grad_output),
                      .grad_output = kernel_view(it, kGradOutput, grad_output),
                      .grad_input = kernel_view(it, views.size() - 1, grad_input)};
  plan.hold(cairn::with_plain_axes<&Plan::grad_input, &Plan::grad_output>(straight));
}

std::int64_t steps(const Case& it) {
  return taps_of(mean_of(it, kKernel), view_of(it, it.arguments.size() - 1, nullptr),
                 view_of(it, kGradOutput, nullptr));
}

constexpr FamilyCases kCases{.family = cairn::Family::mean_pool_backward,
                             .axes = Axes::kImage,
                             .sums = true,
                             .random = random_pool,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan,
                             .steps = steps};
constexpr Subject kSubjects[] = {CAIRN_SUBJECT(aclnnAvgPool2dBackward, 2, kCases),
                                 CAIRN_SUBJECT(aclnnAvgPool3dBackward, 3, kCases),
                                 CAIRN_SUBJECT(aclnnAdaptiveAvgPool2dBackward, 2, kCases),
                                 CAIRN_SUBJECT(aclnnAdaptiveAvgPool3dBackward, 3, kCases)};

}  // namespace

std::span<const Subject> mean_pool_backward_subjects() { return kSubjects; }

}  // namespace conformance
