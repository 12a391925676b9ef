// Adaptive max pooling and its gradient: three windows cover a row of five cells, and two of them share one.
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    Tensor<float> self({1, 1, 1, 5}, {1, 7, 3, 2, 5}, ACL_FORMAT_NCHW);
    Tensor<float> out({1, 1, 1, 3}, std::vector<float>(3), ACL_FORMAT_NCHW);
    Tensor<int64_t> indices({1, 1, 1, 3}, std::vector<int64_t>(3), ACL_FORMAT_NCHW);
    IntArray output_size({1, 3});
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnAdaptiveMaxPool2dGetWorkspaceSize(self.handle, output_size.handle, out.handle, indices.handle,
                                                 &workspace_size, &executor));
    run(aclnnAdaptiveMaxPool2d, workspace_size, executor);
    out.print("out      ");
    indices.print("indices  ");

    Tensor<float> grad_output({1, 1, 1, 3}, {0.5, 0.25, 0.125}, ACL_FORMAT_NCHW);
    Tensor<float> grad_input({1, 1, 1, 5}, std::vector<float>(5), ACL_FORMAT_NCHW);
    CHECK(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(grad_output.handle, self.handle, indices.handle,
                                                         grad_input.handle, &workspace_size, &executor));
    run(aclnnAdaptiveMaxPool2dBackward, workspace_size, executor);
    grad_input.print("gradInput");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
