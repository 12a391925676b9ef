// A stream whose calls compute on the thread that makes them needs no wait.
#include "cairn/cairn.h"
#include "program.h"

int main() {
  Device device;
  aclrtStream stream = nullptr;
  must(cairnCreateInlineCpuStream(&stream));
  std::vector<float> values(4, 3.0F), result(8);
  Tensor self(values.data(), 4), out(result.data(), 8);
  Twice call(self, out, 4);
  must(aclnnUpsampleNearest3d(nullptr, 0, call.executor, stream));
  std::printf("%g\n", result[7]);
  void* memory = nullptr;
  must(aclrtMallocHost(&memory, 64));
  must(aclrtMemsetAsync(memory, 64, 1, 64, stream));
  must(aclrtFreeHost(memory));
  must(aclrtDestroyStream(stream));
}
