// Two streams: one fills memory, the other waits for it by an event, copies, and calls a function of ours at
// the end.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "example.h"

static void say_done(void* name) { std::printf("%s is done\n", static_cast<const char*>(name)); }

int main() {
  const size_t bytes = 64 << 20;
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  void* source = nullptr;
  void* target = nullptr;
  CHECK(aclrtMalloc(&source, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&target, bytes, ACL_MEM_MALLOC_HUGE_FIRST));

  aclrtStream filler = nullptr;
  aclrtStream copier = nullptr;
  CHECK(aclrtCreateStream(&filler));
  CHECK(aclrtCreateStream(&copier));
  aclrtEvent filled = nullptr;
  aclrtEvent begin = nullptr;
  aclrtEvent end = nullptr;
  CHECK(aclrtCreateEventWithFlag(&filled, ACL_EVENT_SYNC));
  CHECK(aclrtCreateEventWithFlag(&begin, ACL_EVENT_TIME_LINE));
  CHECK(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));

  // Everything is queued before anything need be finished; only the event orders the two streams.
  CHECK(aclrtMemsetAsync(source, bytes, 7, bytes, filler));
  CHECK(aclrtRecordEvent(filled, filler));
  CHECK(aclrtStreamWaitEvent(copier, filled));
  CHECK(aclrtRecordEvent(begin, copier));
  CHECK(aclrtMemcpyAsync(target, bytes, source, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, copier));
  CHECK(aclrtRecordEvent(end, copier));
  char name[] = "the copier";
  CHECK(aclrtLaunchHostFunc(copier, say_done, name));
  CHECK(aclrtSynchronizeStream(copier));

  float milliseconds = 0;
  CHECK(aclrtEventElapsedTime(&milliseconds, begin, end));
  std::printf("64 MiB copied in %.2f ms\n", milliseconds);
  std::vector<unsigned char> result(bytes);
  CHECK(aclrtMemcpy(result.data(), bytes, target, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  const long sevens = std::count(result.begin(), result.end(), 7);
  std::printf("bytes that are 7: %ld of %zu\n", sevens, bytes);

  CHECK(aclrtDestroyEvent(filled));
  CHECK(aclrtDestroyEvent(begin));
  CHECK(aclrtDestroyEvent(end));
  CHECK(aclrtDestroyStream(filler));
  CHECK(aclrtDestroyStream(copier));
  CHECK(aclrtFree(source));
  CHECK(aclrtFree(target));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return sevens == static_cast<long>(bytes) ? 0 : 1;
}
