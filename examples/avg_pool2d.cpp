// 2D mean pooling of one row: the last window reaches beyond the row, and counts what lies in the padding.
#include "aclnnop/aclnn_avgpool2d.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    Tensor<float> self({1, 1, 1, 4}, {1, 2, 3, 4});
    IntArray kernel({1, 3}), strides({1, 2}), paddings({0, 1});
    self.print("self");
    for (const bool count_include_pad : {true, false}) {
      Tensor<float> out({1, 1, 1, 3}, std::vector<float>(3));
      uint64_t workspace_size = 0;
      aclOpExecutor* executor = nullptr;
      CHECK(aclnnAvgPool2dGetWorkspaceSize(self.handle, kernel.handle, strides.handle, paddings.handle, true,
                                           count_include_pad, 0, 0, out.handle, &workspace_size, &executor));
      run(aclnnAvgPool2d, workspace_size, executor);
      out.print(count_include_pad ? "padding counted" : "cells alone    ");
    }
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
