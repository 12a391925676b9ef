#include "aclnnop/aclnn_ops_nn.h"
#include "conformance/subjects.h"
#include "conformance/unpooling.h"
#include "ops/max_unpool/plan.h"

namespace conformance {
namespace {

using reference::LayoutKind;
using reference::Type;
using reference::Values;

enum { kSelf, kIndices };  // out is the last

Case random_unpool(const Subject& subject, Random& random, Extent extent) {
  const UnpoolGeometry geometry = random_unpool_geometry(random, subject.spatial, extent);
  const bool whole = geometry.c != 1 || random.chance(50);
  const Draft draft(subject, random, whole, false);
  const Type type = random_unpool_type(random);
  const Type index_type = random.pick({Type::kInt32, Type::kInt64});
  const bool plain = random.chance(50);

  Case it{&subject};
  for (const Type each : {type, index_type}) {
    const LayoutKind layout = plain ? LayoutKind::kContiguous : random_input_layout(random);
    const aclFormat format = draft.format();
    it.arguments.emplace_back(draft.tensor(Role::kInput, each, geometry.pooled_sizes(), layout, format));
  }
  push_sizes(it, random, draft, geometry);
  const LayoutKind layout = random_out_layout(subject, random);
  it.arguments.emplace_back(
      draft.tensor(Role::kOutput, type, geometry.unpooled_sizes(), layout, ACL_FORMAT_NDHWC));
  it.indices = random_indices(random);
  it.values = Values::kAnyBits;
  return it;
}

void fill(const Case& it, Random& random, std::span<const View> views) {
  fill_values(random, views[kSelf], it.values);
  fill_unpool_indices(it, random, views[kIndices], plane_of(views.back()));
}

std::optional<Fault> oracle(const Case& /*it*/, std::span<const View> views) {
  return reference::max_unpool(views[kSelf], views[kIndices], views.back());
}

void plan(const Case& it, std::span<const View> views, PlanBytes& plan) {
  const View& self = views[kSelf];
  plan.hold(cairn::max_unpool::Plan{.type = to_kernel(self.type),
                                    .index_type = to_kernel(views[kIndices].type),
                                    .n = self.size[0],
                                    .c = self.size[1],
                                    .pooled = to_kernel(plane_of(self)),
                                    .unpooled = to_kernel(plane_of(views.back())),
                                    .self = kernel_view(it, kSelf, self),
                                    .indices = kernel_view(it, kIndices, views[kIndices]),
                                    .out = kernel_view(it, views.size() - 1, views.back())});
}

constexpr FamilyCases kCases{.family = cairn::Family::max_unpool,
                             .axes = Axes::kBatchFirst,
                             .sums = false,
                             .random = random_unpool,
                             .fill = fill,
                             .oracle = oracle,
                             .plan = plan};
constexpr Subject kSubjects[] = {
    CAIRN_SUBJECT(aclnnMaxUnpool3d, 3, kCases),
    CAIRN_SUBJECT(aclnnMaxUnpool2d, 2, kCases),
    {"max_unpool, out with gaps", 3, &kCases},
};

}  // namespace

std::span<const Subject> max_unpool_subjects() { return kSubjects; }

}  // namespace conformance
