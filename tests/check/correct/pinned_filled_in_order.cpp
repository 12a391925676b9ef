// Pinned memory that a host function fills for the copy behind it, that another thread fills while the stream
// waits for it, and of which one half is filled from a file while the other is copied.
#include <unistd.h>

#include <atomic>

#include "program.h"

static std::atomic<int> filled(0);

static void fill(void* data) {
  for (int i = 0; i < 1024; ++i) static_cast<int*>(data)[i] = i;
}

static void wait_until_filled(void*) {
  while (filled == 0) usleep(100);
}

int main() {
  Device device;
  Stream stream;
  const size_t half = 1000 * sizeof(int);
  Memory memory(8192);
  Pinned host(8192), halves(2 * half);
  int seen = 0;

  must(aclrtLaunchHostFunc(stream, fill, host.data));
  must(aclrtMemcpyAsync(memory.data, 4096, host.data, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  stream.wait();
  must(aclrtMemcpy(&seen, sizeof seen, static_cast<char*>(memory.data) + 400, sizeof seen,
                   ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("%d\n", seen);

  must(aclrtLaunchHostFunc(stream, wait_until_filled, nullptr));
  must(aclrtMemcpyAsync(memory.data, 8192, host.data, 8192, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  static_cast<int*>(host.data)[100] = 7;
  filled = 1;
  stream.wait();
  must(aclrtMemcpy(&seen, sizeof seen, static_cast<char*>(memory.data) + 400, sizeof seen,
                   ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("%d\n", seen);

  int ends[2];
  if (pipe(ends) != 0) return 1;
  long sum = 0;
  for (int i = 0; i < 20; ++i) {
    char* const copied = static_cast<char*>(halves.data) + i % 2 * half;
    char* const next = static_cast<char*>(halves.data) + (i + 1) % 2 * half;
    must(aclrtMemcpyAsync(memory.data, half, copied, half, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    const std::vector<char> text(half, static_cast<char>(i));
    if (write(ends[1], text.data(), half) != static_cast<ssize_t>(half)) return 1;
    if (read(ends[0], next, half) != static_cast<ssize_t>(half)) return 1;
    sum += next[half - 1];
    stream.wait();
  }
  std::printf("%ld\n", sum);
}
