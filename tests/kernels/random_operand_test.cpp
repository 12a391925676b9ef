#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "conformance/subjects.h"
#include "conformance/trial.h"
#include "reference/operand.h"
#include "reference/oracle.h"

// What the random tests rest on: their cases are as odd as they should be, and no difference escapes them.
namespace reference {
namespace {

TEST(RandomPools, NowAndThenHaveWindowsThatMissThePlane) {
  int missing = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const std::span<const conformance::Subject> pools = conformance::max_pool_subjects();
    const conformance::Case it = random_case(pools[seed % 2], random, conformance::Extent::kSmall);
    const conformance::Trial trial(it, random);
    const View& indices = trial.expected.back().view();
    if (trial.operands[0]->view().count() * indices.count() > 0 &&
        load_integer(indices.origin, indices.type) < 0)
      ++missing;
  }
  EXPECT_GT(missing, 4);
}

// Sums in which several NaNs, or opposite infinities, meet must be common among the random ones.
TEST(RandomValues, OftenHaveNansAndInfinitiesOfEveryKind) {
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble}) {
    Random random(1);
    const Operand operand(random, type, {1, 1, 1, 10, 10}, LayoutKind::kContiguous);
    const auto size = static_cast<std::size_t>(size_of(type));
    const std::uint64_t quiet_bit = type == Type::kFloat     ? 0x400000
                                    : type == Type::kFloat16 ? 0x200
                                    : type == Type::kBf16    ? 0x40
                                                             : 0x8000000000000;
    int nan_fields = 0;
    int opposite_fields = 0;
    for (int field = 0; field < 1000; ++field) {
      fill_values(random, operand.view(), random_values(random));
      std::set<std::uint64_t> nans;
      int kinds[2][2] = {};
      int infinities[2] = {};
      for (std::int64_t i = 0; i < 100; ++i) {
        const unsigned char* element = operand.view().at(0, 0, 0, i / 10, i % 10);
        std::uint64_t bits = 0;
        std::memcpy(&bits, element, size);
        const auto negative = static_cast<std::size_t>(bits >> (8 * size - 1));
        if (is_nan(element, type)) {
          nans.insert(bits);
          ++kinds[negative][(bits & quiet_bit) != 0 ? 1 : 0];
        } else if ((type == Type::kDouble ? std::isinf(std::bit_cast<double>(bits))
                                          : std::isinf(load_float(element, type)))) {
          ++infinities[negative];
        }
      }
      nan_fields += nans.size() > 10 && kinds[0][0] * kinds[0][1] * kinds[1][0] * kinds[1][1] > 0 ? 1 : 0;
      opposite_fields += infinities[0] > 5 && infinities[1] > 5 ? 1 : 0;
    }
    EXPECT_GT(nan_fields, 150) << name_of(type);
    EXPECT_GT(opposite_fields, 150) << name_of(type);
  }
}

TEST(Difference, SeesAWriteBesideTheView) {
  Random random(1);
  const Layout layout{{8, 8, 8, 4, 2}, 1, 16};
  Operand expected(random, Type::kFloat, {1, 1, 1, 2, 2}, layout);
  const Operand actual = expected.clone();
  EXPECT_EQ(difference(expected, actual), "");
  actual.memory().data()[2 * sizeof(float)] ^= 1;
  EXPECT_NE(difference(expected, actual), "");
}

TEST(Difference, TellsNansApart) {
  Random random(1);
  Operand expected(random, Type::kFloat, {1, 1, 1, 1, 1}, Layout{{1, 1, 1, 1, 1}, 0, 1});
  store_float(expected.view().origin, Type::kFloat, std::bit_cast<float>(0x7fc00000U));
  const Operand actual = expected.clone();
  store_float(actual.view().origin, Type::kFloat, std::bit_cast<float>(0xffc00001U));
  EXPECT_NE(difference(expected, actual), "");
}

}  // namespace
}  // namespace reference
