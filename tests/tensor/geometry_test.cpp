#include "tensor/geometry.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace cairn {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TensorDesc view(Sizes dims, Sizes strides, std::int64_t offset = 0, aclDataType type = ACL_FLOAT) {
  TensorDesc desc;
  desc.dims = std::move(dims);
  desc.strides = std::move(strides);
  desc.offset = offset;
  desc.type = type;
  return desc;
}

void* at(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): made up on purpose
}

bool overlap(const TensorDesc& a, std::uintptr_t base_a, const TensorDesc& b, std::uintptr_t base_b) {
  const bool answer = views_overlap(a, at(base_a), b, at(base_b));
  EXPECT_EQ(views_overlap(b, at(base_b), a, at(base_a)), answer) << "the order of the views must not matter";
  return answer;
}

// Every element's position, the plain way.
void for_each_element(const TensorDesc& desc, const std::function<void(std::int64_t)>& visit,
                      std::size_t axis = 0, std::int64_t position = 0) {
  if (axis == 0) position = desc.offset;
  if (axis == desc.dims.size()) return visit(position);
  for (std::int64_t i = 0; i < desc.dims[axis]; ++i) {
    for_each_element(desc, visit, axis + 1, position + i * desc.strides[axis]);
  }
}

std::set<std::int64_t> bytes_of(const TensorDesc& desc, std::int64_t base) {
  std::set<std::int64_t> bytes;
  const auto size = static_cast<std::int64_t>(aclDataTypeSize(desc.type));
  for_each_element(desc, [&](std::int64_t position) {
    for (std::int64_t i = 0; i < size; ++i) bytes.insert(base + position * size + i);
  });
  return bytes;
}

std::string show(const TensorDesc& desc) {
  std::ostringstream text;
  text << "offset " << desc.offset << ", type " << desc.type << ", axes";
  for (std::size_t i = 0; i < desc.dims.size(); ++i) text << " " << desc.dims[i] << "x" << desc.strides[i];
  return text.str();
}

class RandomViews {
 public:
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }

  TensorDesc next(std::int64_t largest_stride) {
    constexpr aclDataType kTypes[] = {ACL_INT8, ACL_FLOAT16, ACL_FLOAT, ACL_DOUBLE};
    TensorDesc desc;
    const std::int64_t rank = number(0, 4);
    for (std::int64_t i = 0; i < rank; ++i) {
      desc.dims.push_back(number(0, 9) == 0 ? 0 : number(1, 5));
      desc.strides.push_back(number(0, largest_stride));
    }
    desc.offset = number(0, 6);
    desc.type = kTypes[number(0, 3)];
    return desc;
  }

 private:
  std::mt19937_64 engine_{20240711};
};

TEST(ElementCount, IsTheProductOfTheDims) {
  EXPECT_EQ(element_count(Sizes{2, 3, 4}), 24);
  EXPECT_EQ(element_count(Sizes{}), 1);
  EXPECT_EQ(element_count(Sizes{kMax}), kMax);
}

TEST(ElementCount, IsZeroForAZeroDimWhateverTheOthersAre) {
  EXPECT_EQ(element_count(Sizes{kMax, kMax, 0}), 0);
}

TEST(ElementCount, IsNothingWhenItOverflowsOrADimIsNegative) {
  EXPECT_EQ(element_count(Sizes{kMax, 2}), std::nullopt);
  EXPECT_EQ(element_count(Sizes{1LL << 31, 1LL << 31, 2}), std::nullopt);
  EXPECT_EQ(element_count(Sizes{0, -1}), std::nullopt);
}

TEST(ByteRangeOfAView, RunsFromTheFirstElementToTheLast) {
  const auto range = byte_range(view({2, 3}, {10, 2}, 5, ACL_FLOAT16));
  ASSERT_TRUE(range);
  EXPECT_EQ(range->begin, 10);
  EXPECT_EQ(range->end, (5 + 10 + 4 + 1) * 2);
}

TEST(ByteRangeOfAView, IsEmptyForAViewWithoutElements) {
  const auto range = byte_range(view({2, 0}, {kMax, kMax}, 7));
  ASSERT_TRUE(range);
  EXPECT_EQ(range->begin, range->end);
}

TEST(ByteRangeOfAView, IsNothingWhenAnEndDoesNotFit) {
  EXPECT_FALSE(byte_range(view({3}, {kMax / 2 + 1})));
  EXPECT_FALSE(byte_range(view({2, 2}, {kMax / 2, kMax / 2 + 2})));
  EXPECT_FALSE(byte_range(view({2}, {kMax / 4 + 1})));
  EXPECT_FALSE(byte_range(view({1}, {1}, kMax, ACL_INT8)));
  EXPECT_FALSE(byte_range(view({1}, {1}, kMax / 4 + 1)));
}

TEST(ByteRangeOfAView, IsNothingForANegativeDimStrideOrOffset) {
  EXPECT_FALSE(byte_range(view({-1}, {1})));
  EXPECT_FALSE(byte_range(view({2}, {-1})));
  EXPECT_FALSE(byte_range(view({2}, {1}, -1)));
}

TEST(ElementsOverlap, NotInDenseTransposedOrPaddedViews) {
  EXPECT_FALSE(elements_overlap(view({2, 3, 4}, {12, 4, 1})));
  EXPECT_FALSE(elements_overlap(view({2, 3, 4}, {1, 8, 2})));
  EXPECT_FALSE(elements_overlap(view({2, 3, 4}, {100, 20, 3})));
  EXPECT_FALSE(elements_overlap(view({}, {})));
}

TEST(ElementsOverlap, InABroadcastView) {
  EXPECT_TRUE(elements_overlap(view({2, 3}, {0, 1})));
  EXPECT_FALSE(elements_overlap(view({1, 3}, {0, 1}))) << "one step of stride 0 goes nowhere";
  EXPECT_FALSE(elements_overlap(view({0, 3}, {1, 0}))) << "no elements";
}

TEST(ElementsOverlap, NotWhenStridesInterlockWithoutMeeting) {
  EXPECT_FALSE(elements_overlap(view({2, 3}, {3, 2}))) << "0 2 4 and 3 5 7";
  EXPECT_TRUE(elements_overlap(view({3, 4}, {3, 2}))) << "6 is 2x3 and 3x2";
}

TEST(ExtentOf, SaysWhatTheOthersSay) {
  RandomViews random;
  for (int i = 0; i < 2000; ++i) {
    const TensorDesc desc = random.next(random.number(1, 40));
    const cairn::Extent extent = cairn::extent_of(desc);
    const auto range = cairn::byte_range(desc);
    ASSERT_EQ(extent.range.has_value(), range.has_value()) << show(desc);
    if (range) {
      ASSERT_EQ(extent.range->begin, range->begin) << show(desc);
      ASSERT_EQ(extent.range->end, range->end) << show(desc);
    }
    ASSERT_EQ(extent.dense, cairn::is_dense(desc)) << show(desc);
  }
  EXPECT_EQ(cairn::extent_of(view({2, 3}, {3, 1})).bytes, 24U);
  EXPECT_EQ(cairn::extent_of(view({kMax, 4}, {0, 1})).bytes, UINT64_MAX);
}

TEST(ElementsOverlap, IsAssumedWhereSizesOverflow) { EXPECT_TRUE(elements_overlap(view({2, 2}, {kMax, 1}))); }

TEST(ElementsOverlap, IsAssumedWhenTheSearchWouldNotEnd) {
  std::mt19937_64 engine(7);
  std::uniform_int_distribution<std::int64_t> wide(1LL << 49, 1LL << 50);
  TensorDesc desc;
  desc.type = ACL_INT8;
  for (int i = 0; i < 24; ++i) {
    desc.dims.push_back(2);
    desc.strides.push_back(wide(engine));
  }
  EXPECT_TRUE(elements_overlap(desc));
}

TEST(ElementsOverlap, AgreesWithCountingOnRandomViews) {
  RandomViews random;
  int overlapping = 0;
  for (int i = 0; i < 20000; ++i) {
    const TensorDesc desc = random.next(random.number(1, 40));
    std::set<std::int64_t> positions;
    std::int64_t elements = 0;
    for_each_element(desc, [&](std::int64_t position) {
      positions.insert(position);
      ++elements;
    });
    const bool expected = static_cast<std::int64_t>(positions.size()) < elements;
    ASSERT_EQ(elements_overlap(desc), expected) << "case " << i << ": " << show(desc);
    overlapping += expected ? 1 : 0;
  }
  EXPECT_GT(overlapping, 4000);
  EXPECT_LT(overlapping, 16000);
}

TEST(ViewsOverlap, NotForChannelSlicesOfOneBuffer) {
  const Sizes strides = {3136, 49, 7, 1};
  const TensorDesc low = view({4, 32, 7, 7}, strides, 0);
  const TensorDesc high = view({4, 32, 7, 7}, strides, 1568);
  EXPECT_FALSE(overlap(low, 4096, high, 4096));
  EXPECT_TRUE(overlap(low, 4096, view({4, 33, 7, 7}, strides, 1519), 4096));
}

TEST(ViewsOverlap, NotForChannelSlicesOfAChannelsLastBuffer) {
  const Sizes strides = {3136, 448, 64, 1};
  EXPECT_FALSE(overlap(view({4, 7, 7, 32}, strides), 4096, view({4, 7, 7, 32}, strides, 32), 4096));
  EXPECT_TRUE(overlap(view({4, 7, 7, 33}, strides), 4096, view({4, 7, 7, 32}, strides, 32), 4096));
}

TEST(ViewsOverlap, NotForEvenAndOddElements) {
  const TensorDesc even = view({100}, {2}, 0);
  EXPECT_FALSE(overlap(even, 4096, view({100}, {2}, 1), 4096));
  EXPECT_TRUE(overlap(even, 4096, view({100}, {3}, 1), 4096)) << "4 = 2x2 = 1+3";
}

TEST(ViewsOverlap, NotForColumnsOfOneMatrixReadWithOtherRowCounts) {
  EXPECT_FALSE(overlap(view({9, 5}, {10, 1}), 4096, view({3, 5}, {20, 1}, 5), 4096));
  EXPECT_TRUE(overlap(view({9, 5}, {10, 1}), 4096, view({3, 5}, {21, 1}, 5), 4096));
}

TEST(ViewsOverlap, CountsBytesNotElements) {
  const TensorDesc words = view({4}, {2}, 0, ACL_FLOAT);
  EXPECT_FALSE(overlap(words, 4096, view({4}, {8}, 4, ACL_INT8), 4096));
  EXPECT_TRUE(overlap(words, 4096, view({4}, {8}, 3, ACL_INT8), 4096));
  EXPECT_TRUE(overlap(words, 4096, words, 4099)) << "unaligned";
  EXPECT_FALSE(overlap(words, 4096, words, 4100));
}

TEST(ViewsOverlap, NotForViewsWithoutElements) {
  EXPECT_FALSE(overlap(view({0}, {1}), 4096, view({4}, {1}), 4096));
}

TEST(ViewsOverlap, NotForMemoryFarApart) {
  EXPECT_FALSE(overlap(view({4}, {1}), 16, view({4}, {1}), ~std::uintptr_t{0} - 64));
  EXPECT_FALSE(overlap(view({4}, {1}), 16, view({4}, {1}), 32));
  EXPECT_TRUE(overlap(view({4}, {1}), 16, view({4}, {1}), 28));
}

TEST(ViewsOverlap, IsAssumedWhereSizesOverflow) {
  EXPECT_TRUE(overlap(view({2}, {kMax}), 4096, view({4}, {1}), 1 << 20));
}

TEST(ViewsOverlap, AgreesWithCountingOnRandomViews) {
  RandomViews random;
  int overlapping = 0;
  int interleaved = 0;
  for (int i = 0; i < 20000; ++i) {
    const TensorDesc a = random.next(random.number(1, 40));
    const TensorDesc b = random.next(random.number(1, 40));
    const std::int64_t base_a = 4096 + random.number(0, 40);
    const std::int64_t base_b = 4096 + random.number(0, 40);
    const std::set<std::int64_t> bytes_a = bytes_of(a, base_a);
    const std::set<std::int64_t> bytes_b = bytes_of(b, base_b);
    bool expected = false;
    for (const std::int64_t byte : bytes_a) expected = expected || bytes_b.count(byte) != 0;
    ASSERT_EQ(overlap(a, base_a, b, base_b), expected)
        << "case " << i << ": " << base_a << " " << show(a) << "; " << base_b << " " << show(b);
    overlapping += expected ? 1 : 0;
    if (!expected && !bytes_a.empty() && !bytes_b.empty()) {
      interleaved += *bytes_a.begin() < *bytes_b.rbegin() && *bytes_b.begin() < *bytes_a.rbegin() ? 1 : 0;
    }
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_GT(interleaved, 2000)
      << "the cases must include views that enclose each other without a shared byte";
}

// Strided views of one grid, all with the same row and plane strides, as slices of one tensor are.
TEST(ViewsOverlap, AgreesWithCountingOnSlicesOfOneTensor) {
  RandomViews random;
  int disjoint = 0;
  for (int i = 0; i < 5000; ++i) {
    const Sizes shape = {random.number(1, 4), random.number(1, 6), random.number(1, 7)};
    const auto slice = [&] {
      TensorDesc desc;
      desc.type = ACL_FLOAT;
      std::int64_t stride = 1;
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::int64_t first = random.number(0, shape[axis] - 1);
        const std::int64_t step = random.number(1, 3);
        desc.dims.insert(desc.dims.begin(), random.number(1, (shape[axis] - 1 - first) / step + 1));
        desc.strides.insert(desc.strides.begin(), step * stride);
        desc.offset += first * stride;
        stride *= shape[axis];
      }
      return desc;
    };
    const TensorDesc a = slice();
    const TensorDesc b = slice();
    const std::set<std::int64_t> bytes_a = bytes_of(a, 4096);
    bool expected = false;
    for (const std::int64_t byte : bytes_of(b, 4096)) expected = expected || bytes_a.count(byte) != 0;
    ASSERT_EQ(overlap(a, 4096, b, 4096), expected) << "case " << i << ": " << show(a) << "; " << show(b);
    disjoint += expected ? 0 : 1;
  }
  EXPECT_GT(disjoint, 1000);
}

}  // namespace
}  // namespace cairn
