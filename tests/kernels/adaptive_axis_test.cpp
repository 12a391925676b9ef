// The windows of adaptive pooling, against the definition.

#include "ops/kit/adaptive_axis.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using cairn::AdaptiveAxis;
using cairn::Span;

// The windows that have a cell, one by one.
Span windows_with(const AdaptiveAxis& axis, std::int64_t cell) {
  Span found{axis.out, 0};
  for (std::int64_t o = 0; o < axis.out; ++o) {
    if (!axis.cells(o).has(cell)) continue;
    found = {std::min(found.begin, o), o + 1};
  }
  return found;
}

void check(const AdaptiveAxis& axis) {
  SCOPED_TRACE(testing::Message() << axis.in << " cells, " << axis.out << " windows");
  std::int64_t most = 0;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const Span cells = axis.cells(o);
    // floor and ceil by what they mean.
    EXPECT_TRUE(cells.begin * axis.out <= o * axis.in && (cells.begin + 1) * axis.out > o * axis.in);
    EXPECT_TRUE(cells.end * axis.out >= (o + 1) * axis.in && (cells.end - 1) * axis.out < (o + 1) * axis.in);
    EXPECT_GT(cells.size(), 0);
    EXPECT_TRUE(!axis.is_even() || cells == (Span{o * axis.in / axis.out, (o + 1) * axis.in / axis.out}));
    most = std::max(most, cells.size());
  }
  EXPECT_EQ(axis.most(), most);
  for (std::int64_t i = 0; i < axis.in; ++i)
    EXPECT_EQ(axis.windows(i), windows_with(axis, i)) << "cell " << i;
}

TEST(AdaptiveAxis, HasTheWindowsOfTheDefinition) {
  for (std::int64_t in = 1; in < 40; ++in)
    for (std::int64_t out = 1; out < 40; ++out) check({in, out});
}

TEST(AdaptiveAxis, TakesProductsPast64Bits) {
  constexpr std::int64_t kIn = (std::int64_t{1} << 40) + 3;
  constexpr std::int64_t kOut = std::int64_t{1} << 39;
  const AdaptiveAxis axis{kIn, kOut};
  EXPECT_EQ(axis.cells(0), (Span{0, 3}));
  EXPECT_EQ(axis.cells(kOut - 1), (Span{kIn - 3, kIn}));
  EXPECT_EQ(axis.cells(kOut / 2), (Span{kIn / 2, kIn / 2 + 3}));
  EXPECT_EQ(axis.windows(kIn - 1), (Span{kOut - 1, kOut}));
}

}  // namespace
