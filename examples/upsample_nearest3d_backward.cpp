// The gradient of a 3D nearest upsampling: each input cell sums the output cells that were copied from it.
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    // One channel grew from 1 x 1 x 2 to 2 x 1 x 5 cells: the first cell was copied six times, the second
    // four times.
    Tensor<float> grad_out({1, 1, 2, 1, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    Tensor<float> grad_input({1, 1, 1, 1, 2}, {0, 0});
    IntArray output_size({2, 1, 5});
    IntArray input_size({1, 1, 1, 1, 2});

    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    // Scales of 0 follow from the sizes.
    CHECK(aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad_out.handle, output_size.handle,
                                                         input_size.handle, 0, 0, 0, grad_input.handle,
                                                         &workspace_size, &executor));
    run(aclnnUpsampleNearest3dBackward, workspace_size, executor);
    grad_out.print("gradOut  ");
    grad_input.print("gradInput");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
