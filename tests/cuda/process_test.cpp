#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "cuda/break_the_gpu.h"
#include "cuda/program.h"
#include "runtime/child.h"

// Whole processes: a GPU that has failed, forks, and ends at any time.
namespace cuda_test {
namespace {

using cairn::test::ChildResult;
using cairn::test::Ending;
using cairn::test::in_child;

constexpr int kOnCpu = 77;

bool starts(aclrtStream& stream) {
  return aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0;
}

#define EXPECT_ON_GPU(result)                                                        \
  if ((result).code == kOnCpu && !gpu_expected()) GTEST_SKIP() << cuda_test::kNoGpu; \
  EXPECT_EQ((result).code, 0) << (result).stderr_text

int need_gpu() {
  const char* name = cairnGetBackendName();
  return name != nullptr && std::string(name) == "cuda" ? 0 : kOnCpu;
}

bool tells_of_it(const std::string& message) {
  return message.find("cudaErrorIllegalAddress") != std::string::npos &&
         message.find("from here on") != std::string::npos;
}

std::size_t fetched_bytes() {
  std::size_t bytes = 0;
  return cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity) == cudaSuccess ? bytes : 0;
}

TEST(TheL2Cache, FetchesSingleSectorsWhereNobodyHasUsedTheContext) {
  const ChildResult result = in_child({}, [] {
    aclrtStream stream = nullptr;
    if (need_gpu() != 0) return kOnCpu;
    CHILD_EXPECT(starts(stream), true);
    CHILD_EXPECT(fetched_bytes(), 32U);
    return 0;
  });
  EXPECT_ON_GPU(result);
}

TEST(TheL2Cache, KeepsWhatAProgramChoseThatWasThereBefore) {
  const ChildResult result = in_child({}, [] {
    aclrtStream stream = nullptr;
    if (need_gpu() != 0) return kOnCpu;
    CHILD_EXPECT(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 128), cudaSuccess);
    CHILD_EXPECT(starts(stream), true);
    CHILD_EXPECT(fetched_bytes(), 128U);
    return 0;
  });
  EXPECT_ON_GPU(result);
}

TEST(AGpuThatFailed, IsReportedByEveryLaterCallAndTheProcessEnds) {
  const ChildResult result = in_child({}, [] {
    aclrtStream stream = nullptr;
    if (need_gpu() != 0) return kOnCpu;
    CHILD_EXPECT(starts(stream), true);
    void* memory = nullptr;
    CHILD_EXPECT(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    const Operands device;
    break_the_gpu();
    CHILD_EXPECT(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(tells_of_it(recent_message()), true);
    char own[64] = {};
    void* more = nullptr;
    aclrtEvent event = nullptr;
    CHILD_EXPECT(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(aclrtMemcpy(own, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(tells_of_it(recent_message()), true);
    CHILD_EXPECT(aclrtMalloc(&more, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(aclrtCreateEvent(&event), 0);
    CHILD_EXPECT(aclrtRecordEvent(event, stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(aclrtDestroyEvent(event), 0);
    CHILD_EXPECT(aclrtLaunchHostFunc(
                     stream, [](void*) {}, nullptr),
                 ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(device.call.run(stream) != 0, true);
    CHILD_EXPECT(aclrtFree(memory), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(aclrtDestroyStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    CHILD_EXPECT(aclrtResetDevice(0), ACL_ERROR_RT_AICORE_EXCEPTION);
    CHILD_EXPECT(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    return 0;
  });
  EXPECT_ON_GPU(result);
}

// Everything a host function may do while its stream waits for it; with CUDA's own host functions most of it
// is forbidden. The kernel is the first of its process: CUDA loads it then, and must not wait for the stream.
TEST(AHostFunction, MayUseTheDevice) {
  const ChildResult result = in_child({}, [] {
    struct Work {
      aclrtContext context;
      aclrtStream other;
      std::vector<float> result;
      bool done;
    } work{};
    aclrtStream stream = nullptr;
    if (need_gpu() != 0) return kOnCpu;
    CHILD_EXPECT(starts(stream), true);
    CHILD_EXPECT(aclrtGetCurrentContext(&work.context), 0);
    CHILD_EXPECT(aclrtCreateStream(&work.other), 0);
    const auto use = [](void* argument) {
      auto* given = static_cast<Work*>(argument);
      if (aclrtSetCurrentContext(given->context) != 0) return;
      const Operands device;
      if (device.call.run(given->other) != 0 || aclrtSynchronizeStream(given->other) != 0) return;
      given->result = device.result();
      aclrtEvent event = nullptr;
      if (aclrtCreateEvent(&event) != 0 || aclrtRecordEvent(event, given->other) != 0) return;
      given->done = aclrtSynchronizeEvent(event) == 0 && aclrtDestroyEvent(event) == 0;
    };
    CHILD_EXPECT(aclrtLaunchHostFunc(stream, use, &work), 0);
    CHILD_EXPECT(aclrtSynchronizeStreamWithTimeout(stream, 10000), 0);
    CHILD_EXPECT(work.done, true);
    CHILD_EXPECT(work.result == kGathered, true);
    return 0;
  });
  EXPECT_ON_GPU(result);
}

TEST(AHostFunction, MayEndItsThread) {
  const ChildResult result = in_child({}, [] {
    aclrtStream stream = nullptr;
    if (need_gpu() != 0) return kOnCpu;
    CHILD_EXPECT(starts(stream), true);
    std::atomic<int> calls{0};
    const auto leave = [](void* count) {
      ++*static_cast<std::atomic<int>*>(count);
      pthread_exit(nullptr);
    };
    for (int i = 0; i < 3; ++i) {
      CHILD_EXPECT(aclrtLaunchHostFunc(stream, leave, &calls), 0);
      aclrtSynchronizeStreamWithTimeout(stream, 10000);
      CHILD_EXPECT(calls.load(), i + 1);
    }
    const Operands device;
    CHILD_EXPECT(device.call.run(stream), 0);
    CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
    CHILD_EXPECT(device.result() == kGathered, true);
    return 0;
  });
  EXPECT_ON_GPU(result);
}

TEST(AHostFunction, ThatCopiesPageableMemoryInItsStreamIsRefusedAndNothingIsCopied) {
  const ChildResult result = in_child({}, [] {
    static struct {
      aclrtContext context;
      aclrtStream stream;
      void* memory;
      aclError status;
    } shared;
    if (need_gpu() != 0) return kOnCpu;
    CHILD_EXPECT(starts(shared.stream), true);
    CHILD_EXPECT(aclrtGetCurrentContext(&shared.context), 0);
    CHILD_EXPECT(aclrtMalloc(&shared.memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    const auto copy = [](void*) {
      char own[4096];
      std::memset(own, 7, sizeof(own));
      aclrtSetCurrentContext(shared.context);
      shared.status =
          aclrtMemcpyAsync(shared.memory, 4096, own, 4096, ACL_MEMCPY_HOST_TO_DEVICE, shared.stream);
    };
    CHILD_EXPECT(aclrtLaunchHostFunc(shared.stream, copy, nullptr), 0);
    CHILD_EXPECT(aclrtSynchronizeStream(shared.stream), 0);
    CHILD_EXPECT(shared.status, ACL_ERROR_RT_PARAM_INVALID);
    char found[4096];
    CHILD_EXPECT(aclrtMemcpy(found, 4096, shared.memory, 4096, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    CHILD_EXPECT(std::count(found, found + 4096, 0), 4096);
    return 0;
  });
  EXPECT_ON_GPU(result);
}

// A global of the program that computes after the library's own handler has run.
struct Late {
  ~Late() {
    if (stream == nullptr) return;
    const int status = aclrtMemsetAsync(memory, 64, 7, 64, stream);
    const int waited = aclrtSynchronizeStream(stream);
    char found[64] = {};
    const int copied = aclrtMemcpy(found, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST);
    // It says no, or it has been done.
    if (status == 0 && waited == 0 && copied == 0 && found[0] != 7) _exit(9);
  }
  aclrtStream stream = nullptr;
  void* memory = nullptr;
};
Late g_late;

TEST(AProcess, ThatIsEndingComputesOrSaysNo) {
  const ChildResult result = in_child({}, [] {
    if (need_gpu() != 0) return kOnCpu;
    CHILD_EXPECT(starts(g_late.stream), true);
    CHILD_EXPECT(aclrtMalloc(&g_late.memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    return 0;
  });
  EXPECT_ON_GPU(result);
}

TEST(AForkedChild, IsToldThatCudaDoesNotSurvive) {
  const ChildResult result = in_child({}, [] {
    aclrtStream stream = nullptr;
    if (need_gpu() != 0) return kOnCpu;
    CHILD_EXPECT(starts(stream), true);
    const ChildResult inner = in_child({}, [] {
      CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_RT_NO_DEVICE);
      CHILD_EXPECT(recent_message().find("does not survive a fork") != std::string::npos, true);
      CHILD_EXPECT(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID);
      setenv("CAIRN_DEVICE", "cpu", 1);
      CHILD_EXPECT(aclInit(nullptr), 0);
      CHILD_EXPECT(aclrtSetDevice(0), 0);
      return 0;
    });
    CHILD_EXPECT(inner.code, 0);
    CHILD_EXPECT(Operands().call.run(stream), 0);
    CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
    return 0;
  });
  EXPECT_ON_GPU(result);
}

TEST(AProcess, MayEndWithWorkUnderWay) {
  for (const Ending ending : {Ending::kExit, Ending::kQuickExit}) {
    const ChildResult result = in_child(
        {},
        [] {
          aclrtStream stream = nullptr;
          if (need_gpu() != 0) return kOnCpu;
          CHILD_EXPECT(starts(stream), true);
          constexpr std::size_t kSize = std::size_t{8} << 30;
          void* memory = nullptr;
          CHILD_EXPECT(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST), 0);
          for (int i = 0; i < 20; ++i) CHILD_EXPECT(aclrtMemsetAsync(memory, kSize, i, kSize, stream), 0);
          const auto for_ever = [](void*) { std::this_thread::sleep_for(std::chrono::hours(1)); };
          CHILD_EXPECT(aclrtLaunchHostFunc(stream, for_ever, nullptr), 0);
          CHILD_EXPECT(aclrtMemsetAsync(memory, kSize, 7, kSize, stream), 0);
          return 0;
        },
        ending);
    EXPECT_ON_GPU(result);
  }
}

}  // namespace
}  // namespace cuda_test
