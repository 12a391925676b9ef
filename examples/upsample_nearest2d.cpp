// 2D nearest upsampling and its gradient, by the corners of cells and by their centres ("exact").
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d_v2.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    // Two rows grow from 3 to 5 cells.
    Tensor<float> self({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
    Tensor<float> out({1, 1, 2, 5}, std::vector<float>(10));
    IntArray output_size({2, 5});
    IntArray input_size({1, 1, 2, 3});
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;

    // Scales of 0 follow from the sizes. V2 takes them as floats.
    CHECK(aclnnUpsampleNearest2dV2GetWorkspaceSize(self.handle, output_size.handle, 0, 0, out.handle,
                                                   &workspace_size, &executor));
    run(aclnnUpsampleNearest2dV2, workspace_size, executor);
    out.print("nearest        ");
    CHECK(aclnnUpsampleNearestExact2dGetWorkspaceSize(self.handle, output_size.handle, 0, 0, out.handle,
                                                      &workspace_size, &executor));
    run(aclnnUpsampleNearestExact2d, workspace_size, executor);
    out.print("exact          ");

    // Each cell sums the gradients of the cells that were copied from it.
    Tensor<float> grad_out({1, 1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    Tensor<float> grad_input({1, 1, 2, 3}, std::vector<float>(6));
    CHECK(aclnnUpsampleNearest2dBackwardGetWorkspaceSize(grad_out.handle, output_size.handle,
                                                         input_size.handle, 0, 0, grad_input.handle,
                                                         &workspace_size, &executor));
    run(aclnnUpsampleNearest2dBackward, workspace_size, executor);
    grad_input.print("nearest, summed");
    CHECK(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(grad_out.handle, output_size.handle,
                                                              input_size.handle, 0, 0, grad_input.handle,
                                                              &workspace_size, &executor));
    run(aclnnUpsampleNearestExact2dBackward, workspace_size, executor);
    grad_input.print("exact, summed  ");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
