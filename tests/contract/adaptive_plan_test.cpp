// The plans of adaptive max pooling, which are those of max pooling, and the windows in them.

#include "aclnnop/aclnn_ops_nn.h"
#include "contract/plan_test.h"
#include "ops/checks/adaptive_window.h"
#include "ops/max_pool/plan.h"
#include "ops/max_pool_backward/plan.h"

namespace contract_test {
namespace {

using cairn::AdaptiveAxis;
using cairn::DataType;
using cairn::Window;

class AdaptiveMaxPlans : public Plans {};

TEST_F(AdaptiveMaxPlans, HaveTheWindowsOfOrdinaryPoolingWhereTheyDivideEvenly) {
  ASSERT_EQ(
      aclnnAdaptiveMaxPool2dGetWorkspaceSize(tensor({2, 3, 56, 50}), array({7, 7}), tensor({2, 3, 7, 7}),
                                             tensor({2, 3, 7, 7}, ACL_INT64), &workspace_size, &executor),
      0);
  const auto result = plan<cairn::max_pool::Plan>();
  EXPECT_EQ(result.type, DataType::kFloat);
  EXPECT_EQ(result.index_type, DataType::kInt64);
  expect_planes(result, 2, 3);
  expect_size(result.in, 1, 56, 50);
  expect_size(result.out, 1, 7, 7);
  expect_windows(result, {1, 8, 8}, {1, 8, 0}, {0, 0, 0}, {1, 1, 1});
  expect_view(result.self, {8400, 2800, 0, 50, 1}, 0);
  expect_uses({kRead, kWrite, kWrite}, {"self", "outputOut", "indicesOut"});
}

TEST_F(AdaptiveMaxPlans, ReadShortListsAsSizesOfAllAxes) {
  for (const Dims& sizes : {Dims{4}, Dims{4, 4, 4}}) {
    ASSERT_EQ(
        aclnnAdaptiveMaxPool3dGetWorkspaceSize(tensor({2, 8, 9, 12}), array(sizes), tensor({2, 4, 4, 4}),
                                               tensor({2, 4, 4, 4}, ACL_INT32), &workspace_size, &executor),
        0);
    expect_windows(plan<cairn::max_pool::Plan>(), {2, 3, 3}, {2, 0, 3}, {0, 0, 0}, {1, 1, 1});
  }
}

TEST_F(AdaptiveMaxPlans, OfTheGradientNameWindowsThatCoverTheAdaptiveOnes) {
  ASSERT_EQ(aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
                tensor({1, 2, 4, 5, 7}), tensor({1, 2, 32, 32, 50}), tensor({1, 2, 4, 5, 7}, ACL_INT32),
                tensor({1, 2, 32, 32, 50}), &workspace_size, &executor),
            0);
  const auto result = plan<cairn::max_pool_backward::Plan>();
  EXPECT_EQ(result.index_type, DataType::kInt32);
  expect_size(result.in, 32, 32, 50);
  expect_size(result.out, 4, 5, 7);
  expect_windows(result, {8, 8, 8}, {8, 6, 7}, {0, 0, 0}, {1, 1, 1});
  expect_uses({kRead, kUnused, kRead, kWrite}, {"gradOutput", "self", "indices", "gradInput"});
}

TEST(AdaptiveWindows, AreCovered) {
  for (std::int64_t in = 1; in < 40; ++in) {
    for (std::int64_t out = 1; out < 40; ++out) {
      const Window window = cairn::covering_window(in, out);
      ASSERT_GT(window.stride, 0);
      ASSERT_GE(window.padding, 0);
      for (std::int64_t o = 0; o < out; ++o) {
        const cairn::Span cells = AdaptiveAxis{in, out}.cells(o);
        const std::int64_t start = o * window.stride - window.padding;
        ASSERT_LE(start, cells.begin) << in << " cells, window " << o << " of " << out;
        ASSERT_GE(start + window.kernel, cells.end) << in << " cells, window " << o << " of " << out;
      }
    }
  }
}

}  // namespace
}  // namespace contract_test
