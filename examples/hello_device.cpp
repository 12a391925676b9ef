// Looks at the device, sends it some numbers and gets them back.
#include <cstdio>
#include <vector>

#include "acl/acl.h"

#define CHECK(call)                                                       \
  do {                                                                    \
    const aclError status = (call);                                       \
    if (status != ACL_SUCCESS) {                                          \
      const char* message = aclGetRecentErrMsg();                         \
      std::printf("%s: %d\n%s\n", #call, status, message ? message : ""); \
      return 1;                                                           \
    }                                                                     \
  } while (0)

int main() {
  CHECK(aclInit(nullptr));
  uint32_t devices = 0;
  CHECK(aclrtGetDeviceCount(&devices));
  std::printf("devices: %u\n", devices);
  CHECK(aclrtSetDevice(0));
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes));
  std::printf("device 0: %s, %.1f GiB of memory\n", aclrtGetSocName(),
              static_cast<double>(total_bytes) / (1 << 30));

  const std::vector<float> sent = {1.0F, 2.5F, -3.0F, 4.25F};
  const size_t bytes = sent.size() * sizeof(float);
  void* memory = nullptr;
  CHECK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(memory, bytes, sent.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  std::vector<float> received(sent.size());
  CHECK(aclrtMemcpy(received.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(aclrtFree(memory));

  std::printf("there and back:");
  for (const float value : received) std::printf(" %g", value);
  std::printf("\n");

  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return received == sent ? 0 : 1;
}
