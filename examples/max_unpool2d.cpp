// 2D max unpooling and its gradient: values go where their indices say, and their gradients come from there.
#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool2d_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    Tensor<float> self({1, 1, 2, 2}, {1, 2, 3, 4});
    Tensor<int64_t> indices({1, 1, 2, 2}, {3, 8, 11, 13});
    Tensor<float> out({1, 1, 4, 4}, std::vector<float>(16));
    IntArray output_size({4, 4});
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxUnpool2dGetWorkspaceSize(self.handle, indices.handle, output_size.handle, out.handle,
                                           &workspace_size, &executor));
    run(aclnnMaxUnpool2d, workspace_size, executor);
    indices.print("indices   ");
    out.print("out       ");

    Tensor<float> grad_output({1, 1, 4, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
    Tensor<float> grad_self({1, 1, 2, 2}, std::vector<float>(4));
    CHECK(aclnnMaxUnpool2dBackwardGetWorkspaceSize(grad_output.handle, self.handle, indices.handle,
                                                   output_size.handle, grad_self.handle, &workspace_size,
                                                   &executor));
    run(aclnnMaxUnpool2dBackward, workspace_size, executor);
    grad_output.print("gradOutput");
    grad_self.print("gradSelf  ");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
