// Adaptive mean pooling and its gradient: a plane of any size becomes one of two by two.
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    Tensor<float> self({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    Tensor<float> out({1, 1, 2, 2}, std::vector<float>(4));
    Tensor<float> gradient({1, 1, 3, 3}, std::vector<float>(9));
    IntArray output_size({2, 2});
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnAdaptiveAvgPool2dGetWorkspaceSize(self.handle, output_size.handle, out.handle, &workspace_size,
                                                 &executor));
    run(aclnnAdaptiveAvgPool2d, workspace_size, executor);
    // Windows share the middle row and column, whose cells get something of each.
    CHECK(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(out.handle, self.handle, gradient.handle,
                                                         &workspace_size, &executor));
    run(aclnnAdaptiveAvgPool2dBackward, workspace_size, executor);
    self.print("self");
    out.print("out ");
    gradient.print("gradient");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
