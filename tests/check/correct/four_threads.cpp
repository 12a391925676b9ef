// A context for each of four threads.
#include <thread>

#include "program.h"

static void work(int number) {
  aclrtContext context = nullptr;
  must(aclrtCreateContext(&context, 0));
  {
    Stream stream;
    Memory a(64 * sizeof(float)), b(128 * sizeof(float));
    for (int round = 0; round < 20; ++round) {
      const std::vector<float> host(64, static_cast<float>(number));
      a.upload(host.data(), a.size);
      Tensor in(a.data, 64), out(b.data, 128);
      Twice call(in, out, 64);
      call.run(stream);
      stream.wait();
      std::vector<float> result(128);
      must(aclrtMemcpy(result.data(), b.size, b.data, b.size, ACL_MEMCPY_DEVICE_TO_HOST));
      if (result[127] != static_cast<float>(number)) std::exit(4);
    }
  }
  must(aclrtDestroyContext(context));
}

int main() {
  Device device;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}
