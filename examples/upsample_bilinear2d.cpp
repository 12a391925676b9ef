// 2D linear upsampling and its gradient; and an image made smaller without and with antialiasing.
#include "aclnnop/aclnn_upsample_bilinear2d_aa.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward_v2.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    // Two rows grow from 3 to 6 cells. Scales of 0 follow from the sizes.
    Tensor<float> self({1, 1, 2, 3}, {0, 4, 8, 1, 5, 9});
    Tensor<float> out({1, 1, 2, 6}, std::vector<float>(12));
    IntArray output_size({2, 6});
    IntArray input_size({1, 1, 2, 3});
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnUpsampleBilinear2dGetWorkspaceSize(self.handle, output_size.handle, false, 0, 0, out.handle,
                                                  &workspace_size, &executor));
    run(aclnnUpsampleBilinear2d, workspace_size, executor);
    out.print("by centres      ");
    CHECK(aclnnUpsampleBilinear2dGetWorkspaceSize(self.handle, output_size.handle, true, 0, 0, out.handle,
                                                  &workspace_size, &executor));
    run(aclnnUpsampleBilinear2d, workspace_size, executor);
    out.print("corners aligned ");

    // Each cell sums what it was multiplied into, in an order that never changes.
    Tensor<float> grad_out({1, 1, 2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    Tensor<float> grad_input({1, 1, 2, 3}, std::vector<float>(6));
    CHECK(aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize(grad_out.handle, output_size.handle,
                                                            input_size.handle, false, 0, 0, grad_input.handle,
                                                            &workspace_size, &executor));
    run(aclnnUpsampleBilinear2dBackwardV2, workspace_size, executor);
    grad_input.print("gradient        ");

    // Stripes, made three times smaller: one cell in three, or the average of its neighbours.
    Tensor<float> stripes({1, 1, 1, 9}, {0, 9, 0, 9, 0, 9, 0, 9, 0});
    Tensor<float> small({1, 1, 1, 3}, std::vector<float>(3));
    IntArray small_size({1, 3});
    CHECK(aclnnUpsampleBilinear2dGetWorkspaceSize(stripes.handle, small_size.handle, false, 0, 0,
                                                  small.handle, &workspace_size, &executor));
    run(aclnnUpsampleBilinear2d, workspace_size, executor);
    small.print("smaller         ");
    CHECK(aclnnUpsampleBilinear2dAAGetWorkspaceSize(stripes.handle, small_size.handle, false, 0, 0,
                                                    small.handle, &workspace_size, &executor));
    run(aclnnUpsampleBilinear2dAA, workspace_size, executor);
    small.print("and antialiased ");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
