// The weights that kernels of linear, cubic and antialiased upsampling use, against the definition.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ops/kit/taps/table.h"
#include "reference/linear.h"
#include "reference/random.h"

namespace {

using cairn::Filter;
using cairn::FilterAxis;
using cairn::Span;
using cairn::TapTable;

using Row = std::vector<std::pair<std::int64_t, double>>;

// What the definition says of every position, rounded to T.
template <typename T>
std::vector<Row> defined(const FilterAxis& axis) {
  std::vector<Row> rows(static_cast<std::size_t>(axis.out));
  for (std::int64_t o = 0; o < axis.out; ++o) {
    for (const auto& [cell, weight] :
         reference::taps_of(static_cast<reference::Smoothing>(axis.filter), {axis.in, axis.out, axis.scale},
                            axis.align_corners, o)) {
      const T rounded = static_cast<T>(weight);
      if (rounded != 0) rows[static_cast<std::size_t>(o)].emplace_back(cell, static_cast<double>(rounded));
    }
  }
  return rows;
}

std::vector<Row> transposed(const std::vector<Row>& rows, std::int64_t cells) {
  std::vector<Row> result(static_cast<std::size_t>(cells));
  for (std::size_t o = 0; o < rows.size(); ++o) {
    for (const auto& [cell, weight] : rows[o])
      result[static_cast<std::size_t>(cell)].emplace_back(static_cast<std::int64_t>(o), weight);
  }
  return result;
}

template <typename T>
void append(const TapTable<T>& table, std::vector<Row>& rows) {
  for (std::int64_t target = table.targets().begin; target < table.targets().end; ++target) {
    const auto taps = table.of(target);
    Row& row = rows.emplace_back();
    for (std::int64_t i = 0; i < taps.count; ++i)
      row.emplace_back(taps.sources[i], static_cast<double>(taps.weights[i]));
    EXPECT_LE(taps.count, table.most());
    if (taps.count > 0) {
      EXPECT_LE(taps.sources[taps.count - 1] - taps.sources[0] + 1, table.reach());
    }
  }
}

// Both tables, made of stretches of this length.
template <typename T>
void expect_as_defined(const FilterAxis& axis, std::int64_t stretch) {
  SCOPED_TRACE(testing::Message() << axis.in << " to " << axis.out << ", scale " << axis.scale << ", filter "
                                  << static_cast<int>(axis.filter) << ", corners " << axis.align_corners);
  std::vector<Row> forward;
  std::vector<Row> backward;
  TapTable<T> table;
  for (std::int64_t begin = 0; begin < axis.out; begin += stretch) {
    table.fill_forward(axis, {begin, std::min(begin + stretch, axis.out)});
    append(table, forward);
  }
  for (std::int64_t begin = 0; begin < axis.in; begin += stretch) {
    table.fill_backward(axis, {begin, std::min(begin + stretch, axis.in)});
    append(table, backward);
  }
  const std::vector<Row> expected = defined<T>(axis);
  EXPECT_EQ(forward, expected);
  EXPECT_EQ(backward, transposed(expected, axis.in));
}

FilterAxis random_axis(reference::Random& random) {
  FilterAxis axis;
  const std::int64_t most = random.pick({8, 90, 400});
  axis.in = random.between(1, most);
  axis.out = random.between(1, random.pick<std::int64_t>({6, most}));
  axis.filter = static_cast<Filter>(random.between(0, 3));
  axis.align_corners = random.chance(30);
  if (!axis.align_corners && random.chance(50)) {
    const auto fitting = static_cast<double>(axis.out) / static_cast<double>(axis.in);
    axis.scale = random.pick({fitting, fitting * 1.07, 0.3, 1.0, 2.0, 2.6, 1e-5, 1e300, 1e-300});
  }
  return axis;
}

TEST(Taps, AreThoseOfTheDefinition) {
  reference::Random random(20261116);
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    const FilterAxis axis = random_axis(random);
    const std::int64_t stretch = random.pick<std::int64_t>({7, 64, 1000});
    expect_as_defined<float>(axis, stretch);
    expect_as_defined<double>(axis, stretch);
  }
}

TEST(Taps, OfCubicDoublingAreExact) {
  TapTable<float> table;
  table.fill_forward({.in = 2, .out = 4, .filter = Filter::kCubic}, {0, 4});
  std::vector<Row> rows;
  append(table, rows);
  EXPECT_EQ(rows, (std::vector<Row>{{{0, 1.10546875}, {1, -0.10546875}},
                                    {{0, 0.7734375}, {1, 0.2265625}},
                                    {{0, 0.2265625}, {1, 0.7734375}},
                                    {{0, -0.10546875}, {1, 1.10546875}}}));
}

// Past 2^31 products of sizes need more than 64 bits.
TEST(Taps, OfVeryLongAxesAreExact) {
  constexpr std::int64_t kLong = (std::int64_t{1} << 40) + 1;
  for (const Filter filter :
       {Filter::kLinear, Filter::kCubic, Filter::kAntialiasedLinear, Filter::kAntialiasedCubic}) {
    const FilterAxis axis{.in = kLong, .out = 2 * kLong, .filter = filter};
    const FilterAxis small{.in = 1001, .out = 2002, .filter = filter};
    TapTable<double> far;
    TapTable<double> near;
    far.fill_forward(axis, {kLong - 1, kLong + 3});
    near.fill_forward(small, {1000, 1004});
    for (std::int64_t i = 0; i < 4; ++i) {
      const auto of_far = far.of(kLong - 1 + i);
      const auto of_near = near.of(1000 + i);
      ASSERT_EQ(of_far.count, of_near.count);
      for (std::int64_t k = 0; k < of_far.count; ++k) {
        EXPECT_EQ(of_far.sources[k] - (kLong - 1) / 2, of_near.sources[k] - 500);
        EXPECT_EQ(of_far.weights[k], of_near.weights[k]);
      }
    }
  }
}

}  // namespace
