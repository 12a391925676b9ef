// The gradient of a 2D max pooling with overlapping windows: a cell that won in two windows gets the sum.
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    // One channel of 3 x 3; windows of 2 x 2 step by one, so there are 2 x 2 of them and the centre is in all
    // four.
    Tensor<float> self({1, 1, 3, 3}, {1, 2, 3, 4, 9, 5, 6, 7, 10});
    Tensor<float> grad_output({1, 1, 2, 2}, {0.5F, 0.25F, 0.125F, 1});
    // Each window's maximum, as a position in the nine cells of self.
    Tensor<int32_t> indices({1, 1, 2, 2}, {4, 4, 4, 8});
    Tensor<float> grad_input({1, 1, 3, 3}, std::vector<float>(9));
    IntArray kernel({2, 2});
    IntArray stride({1, 1});
    IntArray padding({0, 0});
    IntArray dilation({1, 1});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
        grad_output.handle, self.handle, indices.handle, kernel.handle, stride.handle, padding.handle,
        dilation.handle, false, grad_input.handle, &workspace_size, &executor));
    run(aclnnMaxPool2dWithIndicesBackward, workspace_size, executor);
    self.print("self      ");
    grad_output.print("gradOutput");
    indices.print("indices   ");
    grad_input.print("gradInput ");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
