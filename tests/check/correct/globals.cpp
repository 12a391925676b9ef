// What a global holds is destroyed after main.
#include <memory>

#include "program.h"

struct Everything {
  Device device;
  Stream stream;
  Memory memory{1 << 12};
  Tensor tensor{memory.data, 64};
};
static std::unique_ptr<Everything> everything;

int main() {
  everything.reset(new Everything);
  everything->memory.fill(0);
  must(aclrtMemsetAsync(everything->memory.data, 1 << 12, 1, 1 << 12, everything->stream));
  everything->stream.wait();
}
