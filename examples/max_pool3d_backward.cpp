// The gradient of a 3D max pooling with overlapping windows: a cell that won in two windows gets the sum.
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    // One channel of 2 x 2 x 4; windows of 2 x 2 x 2 step by one along W, so there are three of them.
    Tensor<float> self({1, 1, 2, 2, 4}, {0, 1, 2, 3, 4, 9, 6, 7, 8, 5, 10, 11, 12, 20, 14, 15});
    Tensor<float> grad_output({1, 1, 1, 1, 3}, {0.5F, 0.25F, 0.125F});
    // Each window's maximum, as a position in the 16 cells of self.
    Tensor<int32_t> indices({1, 1, 1, 1, 3}, {13, 13, 15});
    Tensor<float> grad_input({1, 1, 2, 2, 4}, std::vector<float>(16));
    IntArray kernel({2, 2, 2});
    IntArray stride({1, 1, 1});
    IntArray padding({0, 0, 0});
    IntArray dilation({1, 1, 1});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
        grad_output.handle, self.handle, indices.handle, kernel.handle, stride.handle, padding.handle,
        dilation.handle, false, grad_input.handle, &workspace_size, &executor));
    run(aclnnMaxPool3dWithArgmaxBackward, workspace_size, executor);
    self.print("self      ");
    grad_output.print("gradOutput");
    indices.print("indices   ");
    grad_input.print("gradInput ");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
