// uninitialised_read, error: indices of INT32 in a buffer for INT64
#include "program.h"

int main() {
  Device device;
  Stream stream;
#ifdef FIXED
  const std::vector<int64_t> data = {1, 3};
#else
  const std::vector<int32_t> data = {1, 0};
#endif
  Memory values(2 * sizeof(float)), result(4 * sizeof(float));
  values.fill(0);
  Memory where(2 * sizeof(int64_t));  // earlier
  where.upload(data.data(), data.size() * sizeof(data[0]));
  Tensor self(row(values.data, 2, ACL_FLOAT, 4)), out(row(result.data, 4, ACL_FLOAT, 4));
  Tensor indices(row(where.data, 2, ACL_INT64, 4));
  Ints size({1, 4});
  Phases call;
  must(aclnnMaxUnpool2dGetWorkspaceSize(self, indices, size, out, &call.size, &call.executor));
  must(aclnnMaxUnpool2d(call.space(), call.size, call.executor, stream));  // here
  aclrtSynchronizeStream(stream);
}
