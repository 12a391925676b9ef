// Descriptors go right after phase 2, as torch_npu does it.
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory a(64 * sizeof(float)), b(128 * sizeof(float));
  a.fill(0);
  std::vector<void*> workspaces;
  for (int round = 0; round < 4; ++round) {
    Tensor in(a.data, 64), out(b.data, 128);
    Twice call(in, out, 64);
    call.run(stream);
    workspaces.push_back(call.workspace);
    call.workspace = nullptr;
  }
  stream.wait();
  for (void* workspace : workspaces) {
    if (workspace != nullptr) must(aclrtFree(workspace));
  }
}
