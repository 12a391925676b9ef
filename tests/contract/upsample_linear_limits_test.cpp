// What linear, cubic and antialiased upsampling and their gradients refuse in phase 1 of large sizes and of
// scales.

#include <algorithm>

#include "contract/upsample_limits.h"
#include "contract/upsample_linear_cases.h"

namespace contract_test {
namespace {

RULE_TEST(UpsampleTrilinear3d, axes_within_limit) { axes_at_most<UpsampleTrilinear3d>(kMebi); }
RULE_TEST(UpsampleBicubic2d, axes_within_limit) { axes_at_most<UpsampleBicubic2d>(kMebi); }
RULE_TEST(UpsampleBilinear2dAA, axes_within_limit) { axes_at_most<UpsampleBilinear2dAA>(kHuge - 1); }
RULE_TEST(UpsampleBicubic2dAA, axes_within_limit) { axes_at_most<UpsampleBicubic2dAA>(kMebi); }
RULE_TEST(UpsampleLinear1dBackward, axes_within_limit) { axes_at_most<UpsampleLinear1dBackward>(kMebi); }
RULE_TEST(UpsampleBilinear2dBackwardV2, axes_within_limit) {
  axes_at_most<UpsampleBilinear2dBackwardV2>(kMebi);
}
RULE_TEST(UpsampleTrilinear3dBackward, axes_within_limit) {
  axes_at_most<UpsampleTrilinear3dBackward>(kMebi);
}
RULE_TEST(UpsampleBicubic2dBackward, axes_within_limit) {
  axes_at_most<UpsampleBicubic2dBackward>(kHuge - 1);
}
RULE_TEST(UpsampleBilinear2dAABackward, axes_within_limit) {
  axes_at_most<UpsampleBilinear2dAABackward>(kHuge - 1);
}
RULE_TEST(UpsampleBicubic2dAAGrad, axes_within_limit) { axes_at_most<UpsampleBicubic2dAAGrad>(kMebi); }

// Equal planes: three times the cells of one, four in volumes, against 60 GiB.
template <typename Case>
void memory_within_limit() {
  const std::int64_t terms = Case::kSpatial == 3 ? 4 : 3;
  const std::int64_t n = 60 / terms;
  const auto gibibytes_each = [](std::int64_t batches) {
    Case call;
    if (Case::kSpatial == 3) call.set_sizes({batches, 1, 256, 1024, 1024}, {256, 1024, 1024});
    if (Case::kSpatial == 2) call.set_sizes({batches, 1, 1, 16384, 16384}, {1, 16384, 16384});
    if (Case::kSpatial == 1) call.set_sizes({batches, 1024, 1, 1, 262144}, {1, 1, 262144});
    set_type(call, ACL_FLOAT);
    return call;
  };
  unlimited(gibibytes_each(n - 1));
  limited(gibibytes_each(n), "need 60 GiB for buffers of 4 bytes an element, expected less than 60");
  // Half the bytes in an element.
  auto call = gibibytes_each(n);
  set_type(call, ACL_FLOAT16);
  unlimited(call);
  limited(sized<Case>({kMebi, kMebi, 1, 1, 1}, {1, 1, 1}), "GiB");
}

// N·C times the rows of a plane of what is read: 2^31 of them, or some fewer.
template <typename Case>
void rows_within_limit() {
  const auto rows_of = [](std::int64_t last) {
    const Dims wide = Case::kSpatial == 3 ? Dims{1024, 1, last, 1024, 1} : Dims{2048, 1024, 1, last, 1};
    const std::int64_t planes = Case::kSpatial == 1 ? last : 2048;
    if (Case::kSpatial == 1) return sized<Case>({planes, 1 << 20, 1, 1, 1}, {1, 1, 1});
    const Dims few{wide[2] / 32 + 1, wide[3] / 32 + 1, 1};
    const Dims small{wide[0], wide[1], few[0], few[1], 1};
    return Case::kBackward ? sized<Case>(small, {wide[2], wide[3], 1}) : sized<Case>(wide, few);
  };
  const std::int64_t limit = Case::kSpatial == 3 ? 2048 : Case::kSpatial == 2 ? 1024 : 2048;
  unlimited(rows_of(limit - 1));
  limited(rows_of(limit), "has shape [", "with 2147483648 rows, expected less than 2147483648");
}

template <typename Case>
void plane_within_limit() {
  const auto cells = [](std::int64_t w) {
    const Dims less{1, 65536 / 32, w / 32 + 1};
    auto call = Case::kBackward ? sized<Case>({1, 1, 1, 65536, w}, less)
                                : sized<Case>({1, 1, less[0], less[1], less[2]}, {1, 65536, w});
    set_type(call, ACL_FLOAT16);
    return call;
  };
  unlimited(cells(32767));
  limited(cells(32768), "has shape [1,1,1,65536,32768] with H·W = 2147483648");
}

// A product's own limit.
template <typename Case, typename... Words>
void limited_on(const std::vector<std::string>& products, Case call, const Words&... words) {
  for (const char* product : Case::kOffering) {
    call.product = product;
    const bool strict = std::find(products.begin(), products.end(), product) != products.end();
    strict ? refuses(call, words..., "on A") : accepts(call);
  }
}
const std::vector<std::string> kOlder = {"atlas-a2", "atlas-a3"};

template <typename Case>
Case along_w(std::int64_t in, std::int64_t out, double scale) {
  auto call = sized<Case>({1, 1, 1, 1, in}, {1, 1, out});
  call.set_scales({0, 0, scale});
  return call;
}

RULE_TEST(UpsampleLinear1dBackward, ratios_within_limit) {
  using Case = UpsampleLinear1dBackward;
  unlimited(along_w<Case>(2, 1000, 0));
  unlimited(along_w<Case>(2, 1000, -1));
  unlimited(along_w<Case>(2, 1000, 500));
  unlimited(along_w<Case>(2, 1001, 499));
  limited_on(kOlder, along_w<Case>(2, 1001, 0), "L goes from 2 to 1001, expected at most 500 times");
  limited_on(kOlder, along_w<Case>(6, 3300, 550), "scales is 550");
  limited_on(kOlder, along_w<Case>(6, 12, kInfinity), "scales is inf");
}

RULE_TEST(UpsampleTrilinear3d, ratios_within_limit) {
  using Case = UpsampleTrilinear3d;
  unlimited(along_w<Case>(100, 2, 0));
  limited(along_w<Case>(101, 2, 0), "W goes from 101 to 2, expected a size at least a fiftieth");
  limited(sized<Case>({1, 1, 51, 1, 1}, {1, 1, 1}), "D goes from 51 to 1");
  unlimited(along_w<Case>(2, 1000, 0));
}

RULE_TEST(UpsampleTrilinear3d, scales_within_limit) {
  using Case = UpsampleTrilinear3d;
  auto call = sized<Case>({1, 1, 1, 1, 1}, {1, 1, 50});
  call.set_scales({1, 1, 50});
  unlimited(call);
  call.set_scales({1, 1, 50.5});
  limited(call, "scalesW is 50.5", "expected scales of at most 50");
  // Those that do not count.
  call.set_scales({0, 1, 50.5});
  unlimited(call);
  call.set_scales({1, 1, 50.5});
  call.align_corners = true;
  unlimited(call);
}

// Whole numbers are divided: 101 → 2 shrinks by 50.
RULE_TEST(UpsampleBilinear2dAA, ratios_within_limit) {
  using Case = UpsampleBilinear2dAA;
  unlimited(along_w<Case>(101, 2, 0));
  limited_on(kOlder, along_w<Case>(102, 2, 0), "W goes from 102 to 2", "at least a fiftieth");
  unlimited(along_w<Case>(100, 2, 0.02));
  limited_on(kOlder, along_w<Case>(100, 1, 0.0199), "scalesW is 0.0199");
}
RULE_TEST(UpsampleBicubic2dAA, ratios_within_limit) {
  using Case = UpsampleBicubic2dAA;
  unlimited(along_w<Case>(100, 2, 0));
  limited_on(kOlder, along_w<Case>(101, 2, 0), "W goes from 101 to 2", "at least a fiftieth");
  unlimited(along_w<Case>(100, 2, 0.02));
  limited_on(kOlder, along_w<Case>(100, 1, 0.0199), "scalesW is 0.0199");
}

template <typename Case>
void antialiased_growth() {
  unlimited(along_w<Case>(2, 100, 0));
  unlimited(along_w<Case>(2, 100, 50));
  limited_on(kOlder, along_w<Case>(2, 101, 0), "W goes from 2 to 101, expected at most 50 times");
  limited_on(kOlder, along_w<Case>(1, 50, 50.5), "scalesW is 50.5");
}
RULE_TEST(UpsampleBilinear2dAABackward, ratios_within_limit) {
  antialiased_growth<UpsampleBilinear2dAABackward>();
}
RULE_TEST(UpsampleBicubic2dAAGrad, ratios_within_limit) { antialiased_growth<UpsampleBicubic2dAAGrad>(); }

// Corners that are aligned leave scales aside.
template <typename Case>
void nothing_by_aligned_corners() {
  auto call = scaled<Case>({9, 9, 9});
  call.align_corners = true;
  unlimited(call);
}

template <typename Case>
void each_scale_of_planes() {
  scales_alone<Case>();
  unlimited(scaled<Case>({0, kInfinity, 1.2}));
  unlimited(scaled<Case>({0, 2.0, 5e-324}));  // its reciprocal is past all numbers
  nothing_by_aligned_corners<Case>();
}
RULE_TEST(UpsampleBicubic2d, scales_give_sizes) {
  each_scale_of_planes<UpsampleBicubic2d>();
  unlimited(scaled<UpsampleBicubic2d>({0, -1.0, 1.2}));
}
RULE_TEST(UpsampleBicubic2dAA, scales_give_sizes) {
  scales_alone<UpsampleBicubic2dAA>();
  unlimited(scaled<UpsampleBicubic2dAA>({0, -1.0, 1.2}));
  nothing_by_aligned_corners<UpsampleBicubic2dAA>();
}
RULE_TEST(UpsampleBilinear2dAA, scales_give_sizes) {
  scales_alone<UpsampleBilinear2dAA>();
  nothing_by_aligned_corners<UpsampleBilinear2dAA>();
}
RULE_TEST(UpsampleBilinear2dAABackward, scales_give_sizes) {
  scales_alone<UpsampleBilinear2dAABackward>();
  nothing_by_aligned_corners<UpsampleBilinear2dAABackward>();
}
RULE_TEST(UpsampleBicubic2dAAGrad, scales_give_sizes) {
  scales_alone<UpsampleBicubic2dAAGrad>();
  nothing_by_aligned_corners<UpsampleBicubic2dAAGrad>();
}

template <typename Case>
void volume_scales() {
  scales_that_fit<Case>();
  scales_together<Case>();
  misfits<Case>({1.61, 2.0, 1.2}, "scalesD");
  misfits<Case>({1.5, 2.0, 3.25}, "scalesW 3.25 do not give outputSize [15,20,12] from ");
  unlimited(scaled<Case>({9.0, 9.0, kInfinity}));
  nothing_by_aligned_corners<Case>();
}
RULE_TEST(UpsampleTrilinear3d, scales_give_sizes) { volume_scales<UpsampleTrilinear3d>(); }
RULE_TEST(UpsampleTrilinear3dBackward, scales_give_sizes) { volume_scales<UpsampleTrilinear3dBackward>(); }

// Older products ask for the very size, of 0 too; only less than 0 is no scale.
RULE_TEST(UpsampleLinear1d, scales_give_sizes) {
  using Case = UpsampleLinear1d;
  for (const double off : {-1.0, -kInfinity, kNan}) unlimited(along_w<Case>(2, 6, off));
  unlimited(along_w<Case>(2, 6, 3));
  unlimited(along_w<Case>(2, 6, 3.4));
  const std::vector<std::string> older = {"atlas-a2", "atlas-a3", "atlas-training"};
  const std::vector<std::string> strict = {"atlas-a2", "atlas-a3", "atlas-training", "ascend950"};
  limited_on(older, along_w<Case>(2, 6, 0), "scale 0 does not give outputSize [6] from self [1,1,2]");
  limited_on(older, along_w<Case>(2, 6, 2.999999), "scale 2.999999");
  limited_on(older, along_w<Case>(2, 6, kInfinity), "scale inf");
  limited_on(strict, along_w<Case>(2, 6, 2.9), "scale 2.9 does not give outputSize [6]");
  // Not only where something is computed, and there whatever alignCorners says.
  auto call = sized<Case>({0, 1, 1, 1, 2}, {1, 1, 6});
  call.set_scales({0, 0, 2});
  limited_on(strict, call, "scale 2 does not");
  call.align_corners = true;
  limited_on(older, call, "scale 2 does not");
}

}  // namespace

SHARED_RULE(UpsampleTrilinear3d, memory_within_limit)
SHARED_RULE(UpsampleBicubic2d, memory_within_limit)
SHARED_RULE(UpsampleBicubic2dAA, memory_within_limit)
SHARED_RULE(UpsampleLinear1dBackward, memory_within_limit)
SHARED_RULE(UpsampleBilinear2dBackwardV2, memory_within_limit)
SHARED_RULE(UpsampleTrilinear3dBackward, memory_within_limit)
SHARED_RULE(UpsampleBicubic2dAAGrad, memory_within_limit)

SHARED_RULE(UpsampleTrilinear3d, rows_within_limit)
SHARED_RULE(UpsampleBicubic2d, rows_within_limit)
SHARED_RULE(UpsampleBilinear2dAA, rows_within_limit)
SHARED_RULE(UpsampleBicubic2dAA, rows_within_limit)
SHARED_RULE(UpsampleLinear1dBackward, rows_within_limit)
SHARED_RULE(UpsampleBilinear2dBackwardV2, rows_within_limit)
SHARED_RULE(UpsampleTrilinear3dBackward, rows_within_limit)
SHARED_RULE(UpsampleBicubic2dBackward, rows_within_limit)
SHARED_RULE(UpsampleBilinear2dAABackward, rows_within_limit)
SHARED_RULE(UpsampleBicubic2dAAGrad, rows_within_limit)

SHARED_RULE(UpsampleTrilinear3d, plane_within_limit)
SHARED_RULE(UpsampleTrilinear3dBackward, plane_within_limit)

SHARED_RULE(UpsampleBilinear2d, scales_not_negative)
SHARED_RULE(UpsampleBilinear2dAA, scales_not_negative)
SHARED_RULE(UpsampleBilinear2dAABackward, scales_not_negative)
SHARED_RULE(UpsampleBicubic2dAAGrad, scales_not_negative)

}  // namespace contract_test
