// tensor_outside_its_allocation, error: a buffer for three dims under a tensor of four, as in llama.cpp issue
// 15330
#include "program.h"

int main() {
  Device device;
  Stream stream;
  const int64_t in[] = {1, 1, 2, 3, 4};
#ifdef FIXED
  const int64_t out[] = {1, 1, 2, 3, 8};
#else
  const int64_t out[] = {1, 8, 2, 3, 8};
#endif
  Memory values(2 * 3 * 4 * sizeof(float));
  values.fill(0);
  Memory result(2 * 3 * 8 * sizeof(float));  // earlier
  const int64_t self_dims[] = {1, out[1], 2, 3, 4};
  const int64_t same[] = {24, 0, 12, 4, 1};
  Tensor self(aclCreateTensor(self_dims, 5, ACL_FLOAT, same, 0, ACL_FORMAT_ND, in, 5, values.data));
  Tensor rstd(aclCreateTensor(out, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, out, 5, result.data));
  Ints size({2, 3, 8});
  Phases call;
  must(aclnnUpsampleNearest3dGetWorkspaceSize(self, size, 0, 0, 0, rstd, &call.size, &call.executor));
  aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream);  // here
  stream.wait();
}
