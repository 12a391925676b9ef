// The gradient of a 3D max unpooling: each cell of self fetches the gradient of the place it was put at.
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    // Two values per channel had been spread over 2 x 2 x 2 cells.
    Tensor<float> self({1, 2, 1, 1, 2}, {1, 2, 3, 4});
    Tensor<int64_t> indices({1, 2, 1, 1, 2}, {7, 0, 3, 4});
    Tensor<float> grad_output({1, 2, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17});
    Tensor<float> out({1, 2, 1, 1, 2}, std::vector<float>(4));
    IntArray output_size({2, 2, 2});
    IntArray stride({2, 2, 1});
    IntArray padding({0, 0, 0});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad_output.handle, self.handle, indices.handle,
                                                   output_size.handle, stride.handle, padding.handle,
                                                   out.handle, &workspace_size, &executor));
    run(aclnnMaxUnpool3dBackward, workspace_size, executor);
    grad_output.print("gradOutput");
    indices.print("indices   ");
    out.print("out       ");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
