// tensor_past_request, warning: indices of one byte under a tensor of INT32, as in CANN's own example
#include "program.h"

int main() {
  Device device;
  Stream stream;
#ifdef FIXED
  std::vector<int32_t> data = {3};
#else
  std::vector<int8_t> data = {3};
#endif
  Memory values(sizeof(float));
  values.fill(0);
  Memory where(data.size() * sizeof(data[0]));  // earlier
  where.upload(data.data(), where.size);
  Memory result(4 * sizeof(float));
  Tensor self(row(values.data, 1, ACL_FLOAT, 4)), out(row(result.data, 4, ACL_FLOAT, 4));
  Tensor indices(row(where.data, 1, ACL_INT32, 4));
  Ints size({1, 4});
  Phases call;
  must(aclnnMaxUnpool2dGetWorkspaceSize(self, indices, size, out, &call.size, &call.executor));
  must(aclnnMaxUnpool2d(call.space(), call.size, call.executor, stream));  // here
  stream.wait();
}
