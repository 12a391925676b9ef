#include "ops/max_pool/contract.h"

#include <algorithm>

#include "ops/max_pool/plan.h"

namespace cairn::max_pool {
namespace {

Complaint data_types_equal(const Call& call) { return same_type(call.out, call.self); }

Complaint formats_equal(const Call& call) { return same_format(call.out, call.self); }

Complaint out_shape(const Call& call) { return pooled_shape(call, call.out); }

Complaint indices_shape(const Call& call) { return same_shape(call.indices, call.out); }

// clang-format off
constexpr Rule<Call> kDataTypesEqual = {"data_types_equal", kInvalid, "out has the data type of self.", data_types_equal};
constexpr Rule<Call> kFormatsEqual = {"formats_equal", kInvalid, "out has the format flag of self.", formats_equal};
constexpr Rule<Call> kOutputNotOverlapping = {"output_not_overlapping", kInvalid, "No two elements of out share memory, and no two of indices.", output_not_overlapping};
constexpr Rule<Call> kOutShape = {"out_shape", kInvalid, "out has a position for each window.", out_shape};
constexpr Rule<Call> kIndicesShape = {"indices_shape", kInvalid, "indices has the shape of out.", indices_shape};

constexpr auto kRules3d = table(
    kOpening<Call>,
    pooling::kDataTypeSupported<Call>,
    pooling::kIndexTypeSupported<Call>,
    kDataTypesEqual,
    kFormatsEqual,
    kFormatsPublic<Call>,
    pooling::kChannelsLastAllowed<Call, 3>,
    pooling::kRanksAllowed<Call, 3>,
    kRanksEqual<Call>,
    kGeometry<Call>,
    kOutputNotOverlapping,
    pooling::kWindows3d<Call>,
    pooling::kPlaneWithinIndex<Call, 3>,
    pooling::kWindowsExist<Call, 3>,
    kOutShape,
    kIndicesShape);

constexpr auto kRules2d = table(
    kOpening<Call>,
    pooling::kDataTypeSupported<Call>,
    kDataTypesEqual,
    pooling::kIndexTypeSupported<Call>,
    kFormatsEqual,
    kFormatsPublic<Call>,
    pooling::kChannelsLastAllowed<Call, 2>,
    pooling::kRanksAllowed<Call, 2>,
    kRanksEqual<Call>,
    kGeometry<Call>,
    kOutputNotOverlapping,
    pooling::kWindows2d<Call>,
    pooling::kSelfHasChannelsAndPlane<Call>,
    pooling::kPlaneWithinIndex<Call, 2>,
    pooling::kWindowsExist<Call, 2>,
    kOutShape,
    kIndicesShape);
// clang-format on

// Tap a of window o lies at o * stride + a * dilation - padding. The taps within `distance` from the first on
// lie before the plane in every window.
void drop_taps_before(Window& window, Wide distance) {
  const auto taps = static_cast<std::int64_t>(std::max<Wide>(distance, 0) / window.dilation);
  window.kernel -= taps;
  window.padding -= taps * window.dilation;
}

// Those that lie behind the plane in the first window do so in every other.
void drop_taps_behind(Window& window, std::int64_t size) {
  const Wide reach = Wide{size} + window.padding - 1;
  const Wide taps = reach < 0 ? 1 : reach / window.dilation + 1;
  window.kernel = static_cast<std::int64_t>(std::min<Wide>(window.kernel, taps));
}

// Windows as programs have them keep their values, by which kernels choose their way.
constexpr std::int64_t kOrdinary = 65536;

Window planned_window(const Window& window, std::int64_t size, std::int64_t windows) {
  const std::int64_t largest = std::max({window.kernel, window.stride, window.padding, window.dilation});
  return largest <= kOrdinary ? window : same_taps(window, size, windows);
}

void bind(void* plan_memory, void* const* addresses, void* /*workspace*/) {
  Plan& plan = *static_cast<Plan*>(plan_memory);
  bind_view(plan.self, addresses[0], plan.type);
  bind_view(plan.values, addresses[1], plan.type);
  bind_view(plan.indices, addresses[2], plan.index_type);
}

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.out.desc, axes);
  const auto last = static_cast<std::size_t>(call.spatial) - 1;
  const Window d = call.spatial == 3 ? planned_window(window_on(call, 0), in.d, out.d) : Window{1, 1, 0, 1};
  const Window h = planned_window(window_on(call, last - 1), in.h, out.h);
  const Window w = planned_window(window_on(call, last), in.w, out.w);
  return {.type = static_cast<DataType>(call.self.desc->type),
          .index_type = static_cast<DataType>(call.indices.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .in = in,
          .out = out,
          .kernel = {d.kernel, h.kernel, w.kernel},
          .stride = {d.stride, h.stride, w.stride},
          .padding = {d.padding, h.padding, w.padding},
          .dilation = {d.dilation, h.dilation, w.dilation},
          .self = view_of(*call.self.desc, axes),
          .values = view_of(*call.out.desc, axes),
          .indices = view_of(*call.indices.desc, axes)};
}

}  // namespace

std::span<const Rule<Call>> rules(Operator op) {
  if (op == Operator::kMaxPool3dWithArgmax) return kRules3d;
  return kRules2d;
}

Window same_taps(const Window& window, std::int64_t size, std::int64_t windows) {
  Window cut = window;
  if (windows <= 1) cut.stride = std::min(cut.stride, std::max<std::int64_t>(size, 1));
  const Wide last_start = Wide{std::max<std::int64_t>(windows, 1) - 1} * cut.stride;
  drop_taps_before(cut, cut.padding - last_start);
  drop_taps_behind(cut, size);
  // With two windows the first may begin far before the plane: it covers all of it from nearer by, too.
  if (windows == 2 && cut.padding > size) {
    const std::int64_t nearer = std::min(cut.padding - size, cut.stride - 1) / cut.dilation * cut.dilation;
    drop_taps_before(cut, nearer);
    cut.stride -= nearer;
    drop_taps_behind(cut, size);
  }
  if (cut.kernel == 1) {
    cut.dilation = 1;
    if (windows <= 1) cut.padding = std::min<std::int64_t>(cut.padding, 1);
  }
  // One window that steps over the plane, or into it once.
  if (windows <= 1 && cut.kernel > 1 && cut.dilation > size && cut.padding > 0) {
    cut.dilation -= cut.padding - 1;
    cut.padding = 1;
    cut.kernel = 2;
  }
  return cut;
}

Status plan_call(const Call& call, const Kernel& kernel) {
  if (const Status status = check(call, rules(call.op)); status != ACLNN_SUCCESS) return status;
  return hand_over(
      call,
      planned_call(
          kernel, {{&call.self, Access::kRead}, {&call.out, Access::kWrite}, {&call.indices, Access::kWrite}},
          make_plan(call), bind, is_empty(*call.out.desc)));
}

}  // namespace cairn::max_pool
