#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "runtime/bridge.h"
#include "runtime/child.h"
#include "runtime/fake_kernel.h"
#include "runtime/fork.h"

namespace cairn::test {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif

// What the threads of the parent held is lost in a forked child, through nobody's fault.
bool g_forked = false;

void sleep_for_ever(void*) {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

const cairn::test::FakeKernel kBusy{
    "aclnnBusy", [](const void*, Workers& workers) -> std::optional<IndexFault> {
      workers.run(200, [](std::int64_t) { std::this_thread::sleep_for(std::chrono::microseconds(200)); });
      return std::nullopt;
    }};

// Several streams with kernels under way and queued, one that waits for an event behind a host function that
// never returns, and memory.
int leave_work_behind() {
  const char plan = 0;
  aclInit(nullptr);
  aclrtSetDevice(0);
  for (int i = 0; i < 3; ++i) {
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    for (int j = 0; j < 50; ++j)
      CHILD_EXPECT(cairn_runtime_bridge().launch(stream, {kBusy, &plan, 1}), ACL_SUCCESS);
  }
  aclrtStream stuck = nullptr;
  aclrtStream waiting = nullptr;
  aclrtEvent event = nullptr;
  void* device = nullptr;
  aclrtCreateStream(&stuck);
  aclrtCreateStream(&waiting);
  aclrtCreateEvent(&event);
  aclrtMalloc(&device, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
  CHILD_EXPECT(aclrtLaunchHostFunc(stuck, sleep_for_ever, nullptr), ACL_SUCCESS);
  CHILD_EXPECT(aclrtRecordEvent(event, stuck), ACL_SUCCESS);
  CHILD_EXPECT(aclrtStreamWaitEvent(waiting, event), ACL_SUCCESS);
  CHILD_EXPECT(aclrtMemsetAsync(device, 1 << 20, 1, 1 << 20, waiting), ACL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return 0;
}

TEST(Exit, WithWorkUnderWayDoesNotHang) {
  for (const Ending ending : {Ending::kExit, Ending::kQuickExit}) {
    const ChildResult result = in_child({}, leave_work_behind, ending);
    EXPECT_EQ(result.code, 0) << result.stderr_text;
  }
}

// A global of the program that cleans up after the library's own handler has run.
struct Owner {
  ~Owner() {
    if (stream != nullptr) {
      aclrtSynchronizeStream(stream);
      aclrtDestroyStream(stream);
    }
    if (memory != nullptr) aclrtFree(memory);
    if (memory != nullptr) aclFinalize();
  }
  aclrtStream stream = nullptr;
  void* memory = nullptr;
};
Owner g_owner;

TEST(Exit, DestructorsOfTheProgramMayStillCall) {
  const ChildResult result = in_child({}, [] {
    const char plan = 0;
    CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
    CHILD_EXPECT(aclrtCreateStream(&g_owner.stream), ACL_SUCCESS);
    CHILD_EXPECT(aclrtMalloc(&g_owner.memory, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    for (int i = 0; i < 20; ++i) cairn_runtime_bridge().launch(g_owner.stream, {kBusy, &plan, 1});
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

TEST(Exit, FromAnotherThreadWhileTheMainOneWaits) {
  const ChildResult result = in_child({}, [] {
    CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
    CHILD_EXPECT(aclrtLaunchHostFunc(nullptr, sleep_for_ever, nullptr), ACL_SUCCESS);
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::exit(7);
    }).detach();
    aclrtSynchronizeStream(nullptr);
    // Exit has dropped what was queued; stay until it ends the process.
    sleep_for_ever(nullptr);
    return 1;
  });
  EXPECT_EQ(result.code, 7) << result.stderr_text;
}

TEST(Exit, FromAHostFunction) {
  const ChildResult result = in_child({}, [] {
    CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
    CHILD_EXPECT(aclrtLaunchHostFunc(
                     nullptr, [](void*) { std::exit(9); }, nullptr),
                 ACL_SUCCESS);
    sleep_for_ever(nullptr);
    return 1;
  });
  EXPECT_EQ(result.code, 9) << result.stderr_text;
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

// A whole life in a forked child: the parent's handles are unknown, everything else works.
int live_in_child(aclrtStream old_stream, aclrtContext old_context, aclrtEvent old_event, void* old_memory) {
  aclrtContext context = nullptr;
  CHILD_EXPECT(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
  CHILD_EXPECT(aclrtSynchronizeStream(old_stream), ACL_ERROR_RT_INVALID_HANDLE);
  CHILD_EXPECT(aclrtSetCurrentContext(old_context), ACL_ERROR_RT_PARAM_INVALID);
  CHILD_EXPECT(aclrtDestroyEvent(old_event), ACL_ERROR_RT_INVALID_HANDLE);
  CHILD_EXPECT(aclrtFree(old_memory), ACL_ERROR_RT_PARAM_INVALID);
  CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
  CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  for (int i = 0; i < 100; ++i) {
    CHILD_EXPECT(aclrtCreateStream(&stream), ACL_SUCCESS);
    CHILD_EXPECT(stream == old_stream, false);
  }
  CHILD_EXPECT(aclrtSynchronizeStream(old_stream), ACL_ERROR_RT_INVALID_HANDLE);
  static std::atomic<int> calls{0};
  const cairn::test::FakeKernel kernel{"aclnnCount",
                                       [](const void*, Workers& workers) -> std::optional<IndexFault> {
                                         workers.run(100, [](std::int64_t) { calls.fetch_add(1); });
                                         return std::nullopt;
                                       }};
  const char plan = 0;
  CHILD_EXPECT(cairn_runtime_bridge().launch(stream, {kernel, &plan, 1}), ACL_SUCCESS);
  CHILD_EXPECT(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  CHILD_EXPECT(calls.load(), 100);
  void* device = nullptr;
  CHILD_EXPECT(aclrtMalloc(&device, 16 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  CHILD_EXPECT(aclrtMemset(device, 16 << 20, 1, 16 << 20), ACL_SUCCESS);
  CHILD_EXPECT(aclrtFree(device), ACL_SUCCESS);
  CHILD_EXPECT(aclrtResetDevice(0), ACL_SUCCESS);
  CHILD_EXPECT(aclFinalize(), ACL_SUCCESS);
  return 0;
}

TEST(Fork, TheChildStartsAfreshAndTheParentGoesOn) {
  SKIP_WHERE_FORKS_HANG();
  if (kThreadSanitizer) GTEST_SKIP() << "the sanitizer allows no threads after a fork of many";
  if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer's malloc may stay locked in the child";
  const ChildResult result = in_child({{"CAIRN_THREADS", "3"}}, [] {
    const char plan = 0;
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void* memory = nullptr;
    CHILD_EXPECT(aclInit(nullptr), ACL_SUCCESS);
    CHILD_EXPECT(aclrtSetDevice(0), ACL_SUCCESS);
    CHILD_EXPECT(aclrtGetCurrentContext(&context), ACL_SUCCESS);
    CHILD_EXPECT(aclrtCreateStream(&stream), ACL_SUCCESS);
    CHILD_EXPECT(aclrtCreateEvent(&event), ACL_SUCCESS);
    CHILD_EXPECT(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      // Pool and stream are at work while the process is copied.
      for (int j = 0; j < 5; ++j)
        CHILD_EXPECT(cairn_runtime_bridge().launch(stream, {kBusy, &plan, 1}), ACL_SUCCESS);
      const pid_t child = fork();
      if (child == 0) {
        g_forked = true;
        const int code = live_in_child(stream, context, event, memory);
        if (i % 2 == 0) _exit(code);
        std::exit(code);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) CHILD_EXPECT(wait_for(child), 0);
    CHILD_EXPECT(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    CHILD_EXPECT(aclrtFree(memory), ACL_SUCCESS);
    CHILD_EXPECT(aclrtDestroyEvent(event), ACL_SUCCESS);
    CHILD_EXPECT(aclrtDestroyStream(stream), ACL_SUCCESS);
    CHILD_EXPECT(aclrtResetDevice(0), ACL_SUCCESS);
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

TEST(Fork, WhileOtherThreadsAreInTheLibrary) {
  SKIP_WHERE_FORKS_HANG();
  if (kThreadSanitizer) GTEST_SKIP() << "the sanitizer allows no threads after a fork of many";
  if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer's malloc may stay locked in the child";
  const ChildResult result = in_child({}, [] {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        aclrtSetDevice(0);
        while (!stop) {
          void* memory = nullptr;
          aclrtStream stream = nullptr;
          aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST);
          aclrtCreateStream(&stream);
          aclrtMemsetAsync(memory, 100, 1, 100, stream);
          aclrtFree(nullptr);
          aclrtDestroyStream(stream);
          aclrtFree(memory);
        }
        aclrtResetDevice(0);
      });
    }
    int failures = 0;
    int own = 0;
    for (int i = 0; i < 20; ++i) {
      const pid_t child = fork();
      if (child == 0) _exit(live_in_child(&own, &own, &own, &own) == 0 ? 0 : 1);
      failures += wait_for(child) == 0 ? 0 : 1;
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    return failures;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

}  // namespace
}  // namespace cairn::test

// Asked by the leak checker.
// NOLINTNEXTLINE(readability-identifier-naming): the checker's own name for it
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return cairn::test::g_forked ? 1 : 0;
}
