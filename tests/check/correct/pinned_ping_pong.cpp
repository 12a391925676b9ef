// Two pinned buffers in turn: each is touched by the host only when its copy is known to be done.
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Event done[2];
  Pinned host0(1024), host1(1024);
  Pinned* const host[] = {&host0, &host1};
  Memory memory(1024);
  float sum = 0;
  for (int round = 0; round < 10; ++round) {
    Pinned& mine = *host[round % 2];
    if (round >= 2) must(aclrtSynchronizeEvent(done[round % 2]));
    sum += mine.floats()[0];
    for (int i = 0; i < 256; ++i) mine.floats()[i] = static_cast<float>(round);
    must(aclrtMemcpyAsync(memory.data, 1024, mine.data, 1024, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    must(aclrtMemcpyAsync(mine.data, 1024, memory.data, 1024, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    must(aclrtRecordEvent(done[round % 2], stream));
  }
  stream.wait();
  std::printf("%g\n", sum + host0.floats()[255] + host1.floats()[255]);
}
