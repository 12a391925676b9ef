// 2D max pooling without indices, with padding on one side: what ONNX calls MaxPool.
#include "aclnnop/aclnn_max_pool.h"
#include "example.h"

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  {
    Tensor<float> self({1, 2, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2, 1});
    Tensor<float> out({1, 2, 2, 2}, std::vector<float>(8));
    IntArray kernel({2, 2}), strides({2, 2}), pads({1, 1, 0, 0}), dilations({1, 1});
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMaxPoolGetWorkspaceSize(self.handle, kernel.handle, strides.handle, 0, pads.handle,
                                       dilations.handle, 0, out.handle, &workspace_size, &executor));
    run(aclnnMaxPool, workspace_size, executor);
    self.print("self");
    out.print("out ");
  }
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
}
