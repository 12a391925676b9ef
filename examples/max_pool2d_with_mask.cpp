// 2D max pooling with a mask and its gradient: the mask is made by one and read by the other.
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    Tensor<float> self({1, 1, 4, 4}, {1, 2, 2, 0, 0, 2, 1, 3, 5, 5, 4, 4, 1, 0, 6, 2});
    Tensor<float> out({1, 1, 3, 3}, std::vector<float>(9));
    // A tap's bits for every 16 windows, and as much again: what CANN wants, though most of it stays unused.
    Tensor<int8_t> mask({1, 1, 4, 64}, std::vector<int8_t>(256));
    IntArray kernel({2, 2}), stride({1, 1}), padding({0, 0}), dilation({1, 1});
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxPool2dWithMaskGetWorkspaceSize(self.handle, kernel.handle, stride.handle, padding.handle,
                                                 dilation.handle, false, out.handle, mask.handle,
                                                 &workspace_size, &executor));
    run(aclnnMaxPool2dWithMask, workspace_size, executor);
    self.print("self      ");
    out.print("out       ");

    Tensor<float> grad_output({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    Tensor<float> grad_self({1, 1, 4, 4}, std::vector<float>(16));
    CHECK(aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize(
        grad_output.handle, self.handle, mask.handle, kernel.handle, stride.handle, padding.handle,
        dilation.handle, false, grad_self.handle, &workspace_size, &executor));
    run(aclnnMaxPool2dWithMaskBackward, workspace_size, executor);
    grad_output.print("gradOutput");
    grad_self.print("gradSelf  ");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
