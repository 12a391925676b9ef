#include "aclnnop/aclnn_ops_nn.h"
#include "conformance/subjects.h"
#include "conformance/unpooling.h"
#include "ops/max_unpool_backward/plan.h"

namespace conformance {
namespace {

using reference::LayoutKind;
using reference::Type;
using reference::Values;

enum { kGradOutput, kSelf, kIndices };  // out is the last

Case random_unpool(const Subject& subject, Random& random, Extent extent) {
  const bool free_out = has_free_out(subject);
  const UnpoolGeometry geometry = random_unpool_geometry(random, subject.spatial, extent, free_out);
  const bool whole = geometry.c != 1 || random.chance(50);
  const Draft draft(subject, random, whole, false);
  // The widest elements are gathered in another way where the cache holds few of them.
  const bool wide = extent == Extent::kPastCache && random.chance(60);
  const Type type = wide                            ? random.pick({Type::kDouble, Type::kInt64})
                    : free_out && random.chance(10) ? Type::kBool
                                                    : random_unpool_type(random);
  const Type out_type = free_out && !wide ? random_out_type(random, type) : type;
  const Type index_type = random.pick({Type::kInt32, Type::kInt64});
  const bool plain = wide || random.chance(50);
  const auto draw = [&](Role role, Type of, const Sizes& size) {
    const LayoutKind layout = plain ? LayoutKind::kContiguous : random_input_layout(random);
    const aclFormat format = draft.format();
    return draft.tensor(role, of, size, layout, format);
  };

  Case it{&subject};
  it.arguments.emplace_back(draw(Role::kInput, type, geometry.unpooled_sizes()));
  it.arguments.emplace_back(draw(Role::kShape, type, geometry.pooled_sizes()));
  it.arguments.emplace_back(draw(Role::kInput, index_type, geometry.pooled_sizes()));
  push_sizes(it, random, draft, geometry);
  const LayoutKind layout = wide ? LayoutKind::kContiguous : random_out_layout(subject, random);
  it.arguments.emplace_back(
      draft.tensor(Role::kOutput, out_type, geometry.pooled_sizes(), layout, ACL_FORMAT_NDHWC));
  it.indices = random_indices(random);
  it.values = out_type == type ? Values::kAnyBits : random_values(random);
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kGradOutput], it.values);
  fill_unpool_indices(it, random, views[kIndices], plane_of(views[kGradOutput]));
}

std::optional<Fault> oracle(const Case& /*it*/, std::span<const View> views) {
  return reference::max_unpool_backward(views[kGradOutput], views[kIndices], views.back());
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const View& out = views.back();
  plan.hold(cairn::max_unpool_backward::Plan{.type = to_kernel(views[kGradOutput].type),
                                             .out_type = to_kernel(out.type),
                                             .index_type = to_kernel(views[kIndices].type),
                                             .n = out.size[0],
                                             .c = out.size[1],
                                             .pooled = to_kernel(plane_of(out)),
                                             .unpooled = to_kernel(plane_of(views[kGradOutput])),
                                             .grad_output = kernel_view(it, kGradOutput, views[kGradOutput]),
                                             .indices = kernel_view(it, kIndices, views[kIndices]),
                                             .out = kernel_view(it, views.size() - 1, out)});
}

constexpr FamilyCases kCases{.family = cairn::Family::max_unpool_backward,
                             .axes = Axes::kBatchFirst,
                             .sums = false,
                             .random = random_unpool,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan};
constexpr Subject kSubjects[] = {
    CAIRN_SUBJECT(aclnnMaxUnpool3dBackward, 3, kCases),
    CAIRN_SUBJECT(aclnnMaxUnpool2dBackward, 2, kCases),
    {"max_unpool_backward, any out", 3, &kCases},
};

}  // namespace

std::span<const Subject> max_unpool_backward_subjects() { return kSubjects; }

}  // namespace conformance
