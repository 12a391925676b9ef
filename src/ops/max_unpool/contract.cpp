#include "ops/max_unpool/contract.h"

#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {
namespace {

using unpooling::Call;

Complaint data_type_supported(const Call& call) { return type_among(call, call.self, call.support().types); }

Complaint data_types_equal(const Call& call) { return same_type(call.out, call.self); }

Complaint out_ref_contiguous(const Call& call) { return contiguous(call.out); }

Complaint indices_shape(const Call& call) { return same_shape(call.indices, call.self); }

Complaint out_ref_plane(const Call& call) { return unpooled_plane(call, call.out); }

Complaint out_ref_batch(const Call& call) { return unpooled_batch(call, call.out); }

// clang-format off
constexpr auto kBeginning = table(
    kOpening,
    Rule{"data_type_supported", kInvalid, "self has a data type that the product allows.", of_call<data_type_supported>},
    Rule{"data_types_equal", kInvalid, "{2} has the data type of self.", of_call<data_types_equal>},
    unpooling::kIndexTypeSupported,
    kFormatsPublic,
    unpooling::kSelfRank,
    unpooling::kRanksEqual,
    kGeometry);
constexpr Rule kIndicesShape = {"indices_shape", kInvalid, "indices has the shape of self.", of_call<indices_shape>};

constexpr auto kVolumeRules = table(
    kBeginning,
    Rule{"out_ref_contiguous", kInvalid, "{2} is contiguous.", of_call<out_ref_contiguous>},
    kIndicesShape,
    unpooling::kVolumeSizes,
    Rule{"out_ref_plane", kInvalid, "{axes} of {2} are outputSize.", of_call<out_ref_plane>},
    Rule{"out_ref_batch", kInvalid, "{2} has the N and, with 5 dimensions, the C of self.", of_call<out_ref_batch>});

constexpr auto kPlaneRules = table(
    kBeginning,
    Rule{"output_not_overlapping", kInvalid, "No two elements of out share memory.", output_not_overlapping},
    unpooling::kOutputSizeLength,
    unpooling::kOutputSizePositive,
    kIndicesShape,
    unpooling::kOnlyBatchEmpty,
    unpooling::kOutputSizeHoldsSelf,
    Rule{"out_plane", kInvalid, "{axes} of out are outputSize.", of_call<out_ref_plane>},
    Rule{"out_batch", kInvalid, "out has the C and, with 4 dimensions, the N of self.", of_call<out_ref_batch>});
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  return {.type = static_cast<DataType>(call.self.desc->type),
          .index_type = static_cast<DataType>(call.indices.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .pooled = plane_of(*call.self.desc, axes),
          .unpooled = plane_of(*call.out.desc, axes),
          .self = view_of(*call.self.desc, axes),
          .indices = view_of(*call.indices.desc, axes),
          .out = view_of(*call.out.desc, axes)};
}

}  // namespace

std::span<const Rule> rules(int spatial) {
  if (spatial == 3) return kVolumeRules;
  return kPlaneRules;
}

PlannedCall plan(const Call& call) {
  return planned_call<Bound<&Plan::self, 0, &Plan::type>, Bound<&Plan::indices, 1, &Plan::index_type>,
                      Bound<&Plan::out, 2, &Plan::type>>(call, make_plan(call), is_empty(*call.out.desc));
}

}  // namespace cairn::max_unpool
