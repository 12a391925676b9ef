// What upsampling and its gradients refuse in phase 1 of large sizes and of scales.

#include "contract/upsample_limits.h"

namespace contract_test {
namespace {

constexpr std::int64_t kFine = std::int64_t{1} << 24;

RULE_TEST(UpsampleNearest3dBackward, axes_within_limit) { axes_at_most<UpsampleNearest3dBackward>(kMebi); }
RULE_TEST(UpsampleNearest2d, axes_within_limit) { axes_at_most<UpsampleNearest2d>(kMebi); }
RULE_TEST(UpsampleNearest1dV2, axes_within_limit) { axes_at_most<UpsampleNearest1dV2>(kHuge - 1); }
RULE_TEST(UpsampleNearestExact1d, axes_within_limit) { axes_at_most<UpsampleNearestExact1d>(kMebi); }
RULE_TEST(UpsampleNearestExact2d, axes_within_limit) { axes_at_most<UpsampleNearestExact2d>(kMebi); }
RULE_TEST(UpsampleNearestExact3d, axes_within_limit) { axes_at_most<UpsampleNearestExact3d>(kHuge - 1); }

RULE_TEST(UpsampleNearestExact3dBackward, axes_within_limit) {
  using Case = UpsampleNearestExact3dBackward;
  unlimited(sized<Case>({1, 1, 1, 1, kMebi}, {1, 1, kMebi}));
  limited(sized<Case>({1, 1, 1, 1, kMebi + 1}, {1, 1, 1}), "gradInput has shape [1,1,1,1,1048577]");
  limited(sized<Case>({1, kMebi + 1, 1, 1, 1}, {1, 1, 1}), "gradOut has shape [1,1048577,1,1,1]");
}

RULE_TEST(UpsampleNearest2dV2, axes_within_limit) {
  axes_at_most<UpsampleNearest2dV2>(kHuge - 1);
  // Of these types it is H and W alone that are limited.
  auto call = sized<UpsampleNearest2dV2>({kHuge, 1, 1, 1, 1}, {1, 1, 1});
  set_type(call, ACL_UINT8);
  unlimited(call);
}

// Of DOUBLE and UINT8 lines are as long as floats count them: below 2^24, or up to it.
template <typename Case>
void lines_at_most(std::int64_t most, bool of_both) {
  for (const aclDataType type : {ACL_DOUBLE, ACL_UINT8}) {
    auto call = sized<Case>({1, 1, 1, 1, most}, {1, 1, most});
    set_type(call, type);
    unlimited(call);
    (call = sized<Case>({1, 1, 1, 1, most + 1}, {1, 1, 1})), set_type(call, type);
    limited(call, "self has shape [1,1,", "at most " + std::to_string(most));
    (call = sized<Case>({1, 1, 1, 1, 1}, {1, 1, most + 1})), set_type(call, type);
    of_both ? limited(call, "out has shape [1,1,", "at most " + std::to_string(most)) : unlimited(call);
  }
  unlimited(sized<Case>({1, 1, 1, 1, most + 1}, {1, 1, most + 1}));
}

RULE_TEST(UpsampleNearest1d, lines_within_limit) { lines_at_most<UpsampleNearest1d>(kFine - 1, false); }
RULE_TEST(UpsampleNearest1dV2, lines_within_limit) { lines_at_most<UpsampleNearest1dV2>(kFine, true); }
RULE_TEST(UpsampleNearest2dV2, lines_within_limit) {
  lines_at_most<UpsampleNearest2dV2>(kFine - 1, false);
  auto call = sized<UpsampleNearest2dV2>({1, 1, 1, kFine, 1}, {1, 1, 1});
  set_type(call, ACL_DOUBLE);
  limited(call, "self has shape [1,1,16777216,1]", "H and W to be at most 16777215");
}

// 17 channels count as 32: 32·(cells of both planes)·2 bytes against 60 GiB.
template <typename Case>
void channels_in_sixteens() {
  const std::int64_t wide = Case::kSpatial == 1 ? 1 : 1024;
  const std::int64_t n = kMebi / wide;  // N·H·(W + oW)·64 bytes
  unlimited(sized<Case>({n, 17, 1, wide, 480}, {1, wide, 479}));
  limited(sized<Case>({n, 17, 1, wide, 480}, {1, wide, 480}), "need 60 GiB", "expected less than 60");
  unlimited(sized<Case>({n, 16, 1, wide, 480}, {1, wide, 480}));
  auto call = sized<Case>({n, 16, 1, wide, 480}, {1, wide, 480});
  if (call.self.type == ACL_FLOAT16) set_type(call, Case::kOffering.size() == 6 ? ACL_DOUBLE : ACL_FLOAT);
  limited(call, "GiB");
}
RULE_TEST(UpsampleNearest2d, memory_within_limit) {
  channels_in_sixteens<UpsampleNearest2d>();
  limited(sized<UpsampleNearest2d>({kMebi, kMebi, 1, kMebi, 1}, {1, 1, 1}), "GiB");
}
RULE_TEST(UpsampleNearestExact1d, memory_within_limit) { channels_in_sixteens<UpsampleNearestExact1d>(); }
RULE_TEST(UpsampleNearestExact2d, memory_within_limit) { channels_in_sixteens<UpsampleNearestExact2d>(); }

RULE_TEST(UpsampleNearest3dBackward, memory_within_limit) {
  using Case = UpsampleNearest3dBackward;
  // 4 N·C·(…) = 60 GiB exactly: sixty batches of four equal terms.
  limited(sized<Case>({60, 1, 256, 512, 512}, {256, 512, 512}), "60");
  unlimited(sized<Case>({59, 1, 256, 512, 512}, {256, 512, 512}));
  limited(sized<Case>({kMebi, kMebi, 1, 1, 1}, {1, 1, 1}), "need 16384 GiB");
  // Four bytes whatever the type.
  auto call = sized<Case>({60, 1, 256, 512, 512}, {256, 512, 512});
  set_type(call, ACL_FLOAT16);
  limited(call, "60");
}
RULE_TEST(UpsampleNearestExact3dBackward, memory_within_limit) {
  using Case = UpsampleNearestExact3dBackward;
  limited(sized<Case>({60, 1, 256, 512, 512}, {256, 512, 512}), "60");
  unlimited(sized<Case>({59, 1, 256, 512, 512}, {256, 512, 512}));
  // The bytes of an element.
  auto call = sized<Case>({60, 1, 256, 512, 512}, {256, 512, 512});
  set_type(call, ACL_FLOAT16);
  unlimited(call);
  call.set_sizes({120, 1, 256, 512, 512}, {256, 512, 512});
  limited(call, "need 60 GiB");
}

template <typename Case>
void rows_within_limit() {
  unlimited(sized<Case>({1024, 1, 64, 32, 1}, {2047, 1024, 1}));
  limited(sized<Case>({1024, 1, 64, 32, 1}, {2048, 1024, 1}),
          "gradOut has shape [1024,1,2048,1024,1] with 2147483648 rows");
}

template <typename Case>
void plane_within_limit() {
  auto call = sized<Case>({1, 1, 1, 65536, 32767}, {1, 1, 1});
  set_type(call, ACL_FLOAT16);
  unlimited(call);
  call.set_sizes({1, 1, 1, 65536, 32768}, {1, 1, 1});
  limited(call, "gradInput has shape [1,1,1,65536,32768] with H·W = 2147483648");
}

TEST(UpsampleShapes, PortableTakesWhatNoProductHolds) {
  accepts(sized<UpsampleNearest3dBackward>({kMebi, kMebi, 1, 1, kMebi / 8}, {1, 1, 1}));
  accepts(sized<UpsampleNearestExact2d>({kMebi, kMebi, 1, 1, kMebi / 8}, {1, 1, 1}));
}

template <typename Case>
void volume_scales() {
  scales_that_fit<Case>();
  scales_together<Case>();
  misfits<Case>({1.61, 2.0, 1.2}, "scalesD");
  misfits<Case>({1.5, 2.0, 3.25}, "scalesW 3.25 do not give outputSize [15,20,12] from ");
}
template <typename Case>
void positive_scales() {
  volume_scales<Case>();
  misfits<Case>({1.5, 2.0, kInfinity}, "scalesW");
  misfits<Case>({1e-300, 2.0, 1.2}, "scalesD");
}
RULE_TEST(UpsampleNearest3d, scales_give_sizes) { positive_scales<UpsampleNearest3d>(); }
RULE_TEST(UpsampleNearest3dBackward, scales_give_sizes) { positive_scales<UpsampleNearest3dBackward>(); }

// One that is not finite as a float, or 0, does not count, and the others with it.
RULE_TEST(UpsampleNearestExact3d, scales_give_sizes) {
  using Case = UpsampleNearestExact3d;
  volume_scales<Case>();
  unlimited(scaled<Case>({9.0, 9.0, kInfinity}));
  unlimited(scaled<Case>({1e-300, 9.0, 9.0}));
  // 3 → 4 with 1.5, but not 3 → 5; 100 → 115 and → 114 with 1.15.
  const auto along_w = [](std::int64_t in, std::int64_t out, double scale) {
    auto call = sized<Case>({1, 1, 1, 1, in}, {1, 1, out});
    call.set_scales({1, 1, scale});
    call.product = "atlas-a2";
    return call;
  };
  accepts(along_w(3, 4, 1.5));
  refuses(along_w(3, 5, 1.5), "scalesW 1.5", "outputSize [1,1,5]");
  accepts(along_w(10, 7, 0.7));
  accepts(along_w(100, 115, 1.15));
  accepts(along_w(100, 114, 1.15));
}
RULE_TEST(UpsampleNearestExact3dBackward, scales_give_sizes) {
  volume_scales<UpsampleNearestExact3dBackward>();
  unlimited(scaled<UpsampleNearestExact3dBackward>({1e-300, 9.0, 9.0}));
}

RULE_TEST(UpsampleNearest2dV2, scales_give_sizes) {
  using Case = UpsampleNearest2dV2;
  scales_that_fit<Case>();
  scales_together<Case>();
  unlimited(scaled<Case>({0, kInfinity, 9.0}));
  misfits<Case>({0, 2.0, 3.25},
                "scalesH 2, scalesW 3.25 do not give outputSize [20,12] from self [2,3,10,10]");
}

RULE_TEST(UpsampleNearestExact2d, scales_give_sizes) {
  scales_alone<UpsampleNearestExact2d>();
  unlimited(scaled<UpsampleNearestExact2d>({0, kInfinity, 1.2}));
}
RULE_TEST(UpsampleNearest2dBackward, scales_give_sizes) {
  scales_alone<UpsampleNearest2dBackward>();
  unlimited(scaled<UpsampleNearest2dBackward>({0, -1.0, 1.2}));
  unlimited(scaled<UpsampleNearest2dBackward>({0, kInfinity, 1.2}));
}
RULE_TEST(UpsampleNearestExact2dBackward, scales_give_sizes) {
  scales_alone<UpsampleNearestExact2dBackward>();
}

template <typename Case>
void scale_of_line() {
  scales_that_fit<Case>();
  for (const double off : {0.0, kNan}) unlimited(scaled<Case>({0, 0, off}));
  misfits<Case>({0, 0, 3.25}, "3.25 does not give outputSize [12] from ");
}
RULE_TEST(UpsampleNearestExact1d, scales_give_sizes) {
  scale_of_line<UpsampleNearestExact1d>();
  unlimited(scaled<UpsampleNearestExact1d>({0, 0, -99}));
}
RULE_TEST(UpsampleNearestExact1dBackward, scales_give_sizes) {
  scale_of_line<UpsampleNearestExact1dBackward>();
}
RULE_TEST(UpsampleNearest1dV2, scales_give_sizes) {
  using Case = UpsampleNearest1dV2;
  scale_of_line<Case>();
  unlimited(scaled<Case>({0, 0, -99}));
  misfits<Case>({0, 0, 3.25}, "scaleL 3.25");
  // A float may be 1.5e-5 from what was meant.
  auto call = sized<Case>({1, 1, 1, 1, 3}, {1, 1, 770});
  call.set_scales({0, 0, 770.0 / 3});
  EXPECT_EQ(std::floor(3 * (static_cast<double>(call.scales[0]) + 1e-5)), 769);
  unlimited(call);
  call.set_scales({0, 0, 256.66});
  call.product = "atlas-a2";
  refuses(call, "scaleL 256.66");
}

RULE_TEST(UpsampleNearestExact2d, scales_not_negative) {
  on_each_product<UpsampleNearestExact2d>([](UpsampleNearestExact2d& call) {
    for (const auto& scales : {std::array{0.0, -1.0, 0.0}, std::array{0.0, 0.0, -kInfinity}}) {
      call.set_scales(scales);
      call.product == "portable" ? accepts(call) : refuses(call, "is -", "expected 0 or more");
    }
    call.set_scales({0, -0.0, kNan});
    accepts(call);
  });
}

// Nothing grows to more than 50 times its size: 1 → 50 and 3 → 150 do not.
template <typename Case>
void ratios_within_limit() {
  const auto along_w = [](std::int64_t in, std::int64_t out, double scale) {
    auto call = sized<Case>({1, 1, 1, 1, in}, {1, 1, out});
    call.set_scales({Case::kSpatial == 3 && scale > 0 ? 1.0 : 0.0, scale > 0 ? 1.0 : 0.0, scale});
    return call;
  };
  unlimited(along_w(1, 50, 0));
  unlimited(along_w(3, 150, 0));
  limited(along_w(1, 51, 0), "goes from 1 to 51, expected at most 50 times");
  limited(along_w(3, 151, 0), "goes from 3 to 151");
  unlimited(along_w(1, 50, 50));
  limited(along_w(1, 50, std::nextafter(50.0, 51.0)), "50");
  limited(along_w(1, 50, kInfinity), "is inf");
  unlimited(along_w(1, 50, kNan));
}

RULE_TEST(UpsampleNearestExact3dBackward, ratios_within_limit) {
  using Case = UpsampleNearestExact3dBackward;
  ratios_within_limit<Case>();
  // Also where the scales do not count together.
  auto call = sized<Case>({1, 1, 1, 1, 1}, {1, 1, 1});
  call.set_scales({0, 51, 0});
  limited(call, "scalesH is 51");
}

}  // namespace

SHARED_RULE(UpsampleNearestExact1dBackward, scales_not_negative)
SHARED_RULE(UpsampleNearestExact2dBackward, scales_not_negative)
SHARED_RULE(UpsampleNearestExact1dBackward, ratios_within_limit)
SHARED_RULE(UpsampleNearestExact2dBackward, ratios_within_limit)
SHARED_RULE(UpsampleNearest3dBackward, rows_within_limit)
SHARED_RULE(UpsampleNearest3dBackward, plane_within_limit)
SHARED_RULE(UpsampleNearestExact3dBackward, rows_within_limit)

SHARED_RULE(UpsampleNearestExact3dBackward, plane_within_limit)

}  // namespace contract_test
