#include "runtime/fork.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "hostile/small_call.h"
#include "hostile/support.h"

// Forks in the middle of everything: each child starts afresh and computes.
namespace hostile_test {
namespace {

// What the threads of a forked process held is lost in its child, through nobody's fault.
bool g_forked = false;

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

// A hung child ends by SIGALRM.
constexpr unsigned kPatience = 20;

int compute_in_child() {
  const char* name = aclrtGetSocName();
  CHILD_TRUE(name != nullptr && std::string(name) == "Ascend910B2", "the product");
  CHILD_TRUE(start(), api_test::recent_message());
  SmallCall call;
  CHILD_TRUE(call.make(), api_test::recent_message());
  CHILD_EXPECT(call.run(nullptr), 0);
  CHILD_EXPECT(call.right(), true);
  void* big = nullptr;
  CHILD_EXPECT(aclrtMalloc(&big, 4 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  CHILD_EXPECT(aclrtFree(big), 0);
  return 0;
}

// Forks again and again while three threads call `busy` in a loop; every child must compute.
int storm(int forks, const std::function<void(SmallCall&)>& busy) {
  CHILD_TRUE(start(), "no device");
  std::atomic<bool> stop{false};
  std::atomic<int> begun{0};
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      SmallCall call;
      if (aclrtSetDevice(0) != 0 || !call.make()) return;
      for (++begun; !stop;) busy(call);
    });
  }
  int failures = 0;
  const bool all_begun = becomes_true([&] { return begun == 3; });
  for (int i = 0; i < forks && failures == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      g_forked = true;
      alarm(kPatience);
      _exit(compute_in_child());
    }
    const int code = wait_for(child);
    if (code != 0) std::fprintf(stderr, "child %d: %d\n", i, code);
    failures += code == 0 ? 0 : 1;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  CHILD_EXPECT(all_begun, true);
  CHILD_EXPECT(failures, 0);
  // The parent goes on as if nothing had been.
  SmallCall call;
  CHILD_TRUE(call.make(), "no operands");
  CHILD_EXPECT(call.run(nullptr), 0);
  CHILD_EXPECT(call.right(), true);
  return 0;
}

class ForkStorm : public testing::Test {
 protected:
  void SetUp() override {
    CPU_ONLY("CUDA does not survive a fork");
    SKIP_WHERE_FORKS_HANG();
    if (kThreadSanitizer) GTEST_SKIP() << "the sanitizer allows no threads after a fork of many";
    if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer's malloc may stay locked in the child";
  }
  static void expect_sound(int forks, const std::function<void(SmallCall&)>& busy) {
    for (const char* threads : {"1", "3"}) {
      expect_in_child({{"CAIRN_PRODUCT", "Ascend910B2"}, {"CAIRN_THREADS", threads}},
                      [&] { return storm(forks, busy); });
    }
  }
};

TEST_F(ForkStorm, WhileThreadsAskForTheProduct) {
  expect_sound(150, [](SmallCall&) { aclrtGetSocName(); });
}

TEST_F(ForkStorm, WhileThreadsAllocate) {
  expect_sound(100, [](SmallCall&) {
    void* small = nullptr;
    void* big = nullptr;
    aclrtMalloc(&small, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&big, 4 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtFree(small);
    aclrtFree(big);
  });
}

TEST_F(ForkStorm, WhileThreadsLaunch) {
  expect_sound(100, [](SmallCall& call) { call.run(nullptr); });
}

TEST_F(ForkStorm, WhileThreadsAreInPhase1) {
  expect_sound(100, [](SmallCall& call) {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    if (call.phase1(&size, &executor) == 0) aclDestroyAclOpExecutor(executor);
  });
}

TEST_F(ForkStorm, WhileThreadsMakeStreamsAndMessages) {
  expect_sound(100, [](SmallCall& call) {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    aclrtCreateStream(&stream);
    aclrtCreateEvent(&event);
    aclrtRecordEvent(event, stream);
    call.queue(stream);
    aclrtFree(&stream);
    aclGetRecentErrMsg();
    aclrtDestroyEvent(event);
    aclrtDestroyStream(stream);
  });
}

constexpr std::size_t kMany = 800000;

// So many objects that whatever a handle counts has come a long way; the last ones stay, in `live`.
int create_many(std::vector<aclrtEvent>& live) {
  live.clear();
  for (std::size_t i = 0; i < kMany; ++i) {
    aclrtEvent event = nullptr;
    CHILD_EXPECT(aclrtCreateEvent(&event), 0);
    if (i + 64 < kMany) {
      CHILD_EXPECT(aclrtDestroyEvent(event), 0);
    } else {
      live.push_back(event);
    }
  }
  return 0;
}

// In a child: none of the handles that live in its ancestors is known, and no new one is equal to one of
// them.
int meets_none_of(std::vector<aclrtEvent> ancestors) {
  for (aclrtEvent event : ancestors) CHILD_EXPECT(aclrtDestroyEvent(event) != 0, true);
  CHILD_TRUE(start(), "no device");
  std::sort(ancestors.begin(), ancestors.end());
  for (std::size_t i = 0; i < kMany; ++i) {
    aclrtEvent event = nullptr;
    CHILD_EXPECT(aclrtCreateEvent(&event), 0);
    CHILD_TRUE(!std::binary_search(ancestors.begin(), ancestors.end(), event), "a handle exists twice");
    CHILD_EXPECT(aclrtDestroyEvent(event), 0);
  }
  for (aclrtEvent event : ancestors) CHILD_EXPECT(aclrtSynchronizeEvent(event) != 0, true);
  return 0;
}

int fork_with(const std::vector<aclrtEvent>& live, int generations) {
  const pid_t child = fork();
  if (child != 0) return wait_for(child);
  g_forked = true;
  alarm(5 * kPatience);
  std::vector<aclrtEvent> own;
  int code = meets_none_of(live);
  if (code == 0) code = create_many(own);
  own.insert(own.end(), live.begin(), live.end());
  if (code == 0 && generations > 1) code = fork_with(own, generations - 1);
  _exit(code);
}

TEST(HandlesAfterAFork, AreNeverThoseOfAnAncestor) {
  CPU_ONLY("CUDA does not survive a fork");
  if (kThreadSanitizer) GTEST_SKIP() << "the sanitizer allows no threads after a fork of many";
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::vector<aclrtEvent> live;
    if (const int code = create_many(live)) return code;
    CHILD_EXPECT(fork_with(live, 2), 0);
    for (aclrtEvent event : live) CHILD_EXPECT(aclrtDestroyEvent(event), 0);
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test

// Asked by the leak checker.
// NOLINTNEXTLINE(readability-identifier-naming): the checker's own name for it
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return hostile_test::g_forked ? 1 : 0;
}
