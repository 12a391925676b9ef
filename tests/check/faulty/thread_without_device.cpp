// failed_call, warning: a thread queues work before it has a device
#include <thread>

#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);
  void* const workspace = call.space();
  std::thread worker([&] {
#ifdef FIXED
    must(aclrtSetDevice(0));
#endif
    aclnnUpsampleNearest3d(workspace, call.size, call.executor, stream);  // here
#ifdef FIXED
    must(aclrtResetDevice(0));
#endif
  });
  worker.join();
  stream.wait();
}
