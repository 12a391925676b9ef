#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aclnn/acl_meta.h"

namespace cairn::bench {

enum class Operator {
  kPool3d,
  kPool2d,
  kAdaptiveMax3d,
  kAdaptiveMax2d,
  kPoolValues,
  kUnpool3d,
  kUnpool2d,
  kMean3d,
  kMean2d,
  kAdaptiveMean3d,
  kAdaptiveMean2d,
  kUpsample3d,
  kUpsample2d,
  kUpsample1d,
  kExact3d,  // upsampling by centres
  kExact2d,
  kTrilinear3d,  // by weighted sums, from here on
  kBilinear2d,
  kLinear1d,
  kBicubic2d,
  kBilinear2dAA,
  kBicubic2dAA,
};
enum class Direction { kBackward, kForward };
enum class Layout { kChannelsFirst, kChannelsLast };
// What the goals are set for: how much neighbouring windows share.
// Of weighted sums, whether sizes double.
enum class Class { kStreaming, kOverlap, kHeavyOverlap, kUnpool, kDoubling, kFiltering };

// Where the indices that a row reads point.
enum class Indices {
  kArgmax,    // to the maximum of random data under the window
  kAnywhere,  // all over the plane
  kOneStray,  // as kArgmax, but the first of each plane points to the plane's last cell
  kNone,      // all are -1
};
// Which tensor of values has H and W swapped in memory.
enum class Transposed { kNone, kSource, kResult };
enum class Suite { kStandard, kOdd };

struct Shape3 {
  std::int64_t d;
  std::int64_t h;
  std::int64_t w;
  std::int64_t count() const { return d * h * w; }
};

// A layer of a real network, or an odd shape.
struct Workload {
  std::string_view id;
  Operator op;
  Class goal_class;
  std::int64_t n;
  std::int64_t c;
  Shape3 in;   // what the forward reads and the backward writes
  Shape3 out;  // the other way round. Pooling derives it from the window
  Shape3 kernel;
  Shape3 stride;  // of adaptive windows 0
  Shape3 padding;
  bool both_layouts;
  bool ceil_mode = false;
  Indices indices = Indices::kArgmax;
  Transposed transposed = Transposed::kNone;
  Shape3 dilation{1, 1, 1};
};

constexpr bool is_adaptive(Operator op) {
  return op == Operator::kAdaptiveMax3d || op == Operator::kAdaptiveMax2d ||
         op == Operator::kAdaptiveMean3d || op == Operator::kAdaptiveMean2d;
}
constexpr bool is_exact(Operator op) { return op == Operator::kExact3d || op == Operator::kExact2d; }
constexpr bool is_mean(Operator op) { return op >= Operator::kMean3d && op <= Operator::kAdaptiveMean2d; }
constexpr bool has_windows(Operator op) {
  return (op <= Operator::kPoolValues && !is_adaptive(op)) || op == Operator::kMean3d ||
         op == Operator::kMean2d;
}
constexpr bool is_upsample(Operator op) { return op >= Operator::kUpsample3d; }
constexpr bool is_filtered(Operator op) { return op >= Operator::kTrilinear3d; }

// One row of the table.
struct Case {
  Workload work;
  aclDataType type;
  aclDataType index_type;  // ACL_DT_UNDEFINED where the operator has none
  Layout layout;
  Direction direction;

  bool is_forward() const { return direction == Direction::kForward; }
  bool makes_indices() const { return is_forward() && index_type != ACL_DT_UNDEFINED && !is_unpool(); }
  bool is_unpool() const { return work.op == Operator::kUnpool3d || work.op == Operator::kUnpool2d; }
  bool is_pool() const { return work.op <= Operator::kPoolValues; }
  bool is_mean() const { return bench::is_mean(work.op); }
  bool is_upsample() const { return bench::is_upsample(work.op); }
  bool is_flat() const {
    return work.op == Operator::kPool2d || work.op == Operator::kPoolValues ||
           work.op == Operator::kAdaptiveMax2d || work.op == Operator::kUnpool2d ||
           work.op == Operator::kMean2d || work.op == Operator::kAdaptiveMean2d ||
           work.op == Operator::kUpsample2d || work.op == Operator::kExact2d ||
           work.op == Operator::kBilinear2d || work.op >= Operator::kBicubic2d;
  }
  bool is_filtered() const { return bench::is_filtered(work.op); }
  bool is_line() const { return work.op == Operator::kUpsample1d || work.op == Operator::kLinear1d; }
  int spatial() const { return is_line() ? 1 : is_flat() ? 2 : 3; }
  Shape3 source() const { return is_forward() ? work.in : work.out; }
  Shape3 result() const { return is_forward() ? work.out : work.in; }
  Shape3 indices() const { return is_unpool() ? work.in : work.out; }
  std::int64_t planes() const { return work.n * work.c; }
  // Taps of all windows: more than a plain loop looks at in seconds.
  bool has_huge_windows() const { return is_pool() && elements(work.out) * work.kernel.count() > 1000000000; }
  std::int64_t elements(Shape3 size) const { return planes() * size.count(); }
};

const char* operator_name(Operator op);
const char* direction_name(const Case& row);
const char* layout_name(const Case& row);
const char* type_name(aclDataType type);
// The share of the copy bandwidth we reach for.
double goal(std::string_view device, const Case& row);

struct Selection {
  Suite suite = Suite::kStandard;
  std::string filter;  // a regular expression on "id dtype layout index direction"
  bool quick = false;  // an eighth of the planes and only INT32 indices
  bool tiny = false;   // a few thousand elements: for the smoke test
  double fraction = 0;
};

// Every row of the suite, sized for the machine. The standard suite has each workload in both directions and
// every type, index type and layout it is measured in.
std::vector<Case> cases(const Selection& selection);

// The odd shapes in full, a row for each type and direction.
std::vector<Case> odd_cases();

// "id dtype layout indices direction": what --filter looks at.
std::string label(const Case& row);
// Planes, sizes and window in words.
std::string shape(const Case& row);

}  // namespace cairn::bench
