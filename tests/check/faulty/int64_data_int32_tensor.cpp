// element_size_doubt, warning: indices of INT64 under a tensor of INT32
#include "program.h"

int main() {
  Device device;
  Stream stream;
#ifdef FIXED
  const std::vector<int32_t> data = {1, 3};
#else
  const std::vector<int64_t> data = {1, 3};
#endif
  Memory values(2 * sizeof(float)), result(4 * sizeof(float));
  values.fill(0);
  Memory where(data.size() * sizeof(data[0]));  // earlier
  where.upload(data.data(), where.size);
  Tensor self(row(values.data, 2, ACL_FLOAT, 4)), out(row(result.data, 4, ACL_FLOAT, 4));
  Tensor indices(row(where.data, 2, ACL_INT32, 4));
  Ints size({1, 4});
  Phases call;
  must(aclnnMaxUnpool2dGetWorkspaceSize(self, indices, size, out, &call.size, &call.executor));
  must(aclnnMaxUnpool2d(call.space(), call.size, call.executor, stream));  // here
  stream.wait();
}
