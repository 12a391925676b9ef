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
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      SmallCall call;
      if (aclrtSetDevice(0) != 0 || !call.make()) return;
      for (++begun; !stop;) busy(call);
    });
  }
  int failures = 0;
  const bool all_begun = becomes_true([&] { return begun == 3; });
  for (int i = 0; i < forks && failures < 3; ++i) {
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

// Handles of the parent in a child: none is known there, and no new one is equal to a live one.
int meets_no_handle_of(const std::vector<aclrtEvent>& parents, std::size_t how_many) {
  for (aclrtEvent event : {parents.front(), parents.back()}) CHILD_EXPECT(aclrtDestroyEvent(event) != 0, true);
  CHILD_TRUE(start(), "no device");
  std::vector<aclrtEvent> own(how_many);
  for (aclrtEvent& event : own) {
    CHILD_EXPECT(aclrtCreateEvent(&event), 0);
    CHILD_TRUE(!std::binary_search(parents.begin(), parents.end(), event), "a handle exists twice");
  }
  for (aclrtEvent event : parents) CHILD_EXPECT(aclrtSynchronizeEvent(event) != 0, true);
  for (aclrtEvent event : own) CHILD_EXPECT(aclrtDestroyEvent(event), 0);
  return 0;
}

// So many objects that any counter of theirs in a handle has come a long way.
int create_many(std::size_t how_many, std::vector<aclrtEvent>& live) {
  aclrtEvent event = nullptr;
  for (std::size_t i = 0; i < how_many; ++i) {
    CHILD_EXPECT(aclrtCreateEvent(&event), 0);
    CHILD_EXPECT(aclrtDestroyEvent(event), 0);
    // Live ones from all along the way, and a good many that are not destroyed in order.
    if (i % (how_many / 2000) != 0) continue;
    CHILD_EXPECT(aclrtCreateEvent(&event), 0);
    live.push_back(event);
  }
  std::sort(live.begin(), live.end());
  return 0;
}

TEST(HandlesAfterAFork, AreNeverThoseOfTheParent) {
  if (kThreadSanitizer) GTEST_SKIP() << "the sanitizer allows no threads after a fork of many";
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    constexpr std::size_t kMany = kSanitized ? 700000 : 1500000;
    std::vector<aclrtEvent> live;
    if (const int code = create_many(kMany, live)) return code;
    const pid_t child = fork();
    if (child == 0) {
      g_forked = true;
      alarm(3 * kPatience);
      int code = meets_no_handle_of(live, 70000);
      // And a child of the child, after as much again.
      std::vector<aclrtEvent> of_child;
      if (code == 0) code = create_many(kMany / 2, of_child);
      if (code != 0) _exit(code);
      const pid_t grandchild = fork();
      live.insert(live.end(), of_child.begin(), of_child.end());
      std::sort(live.begin(), live.end());
      if (grandchild == 0) _exit(meets_no_handle_of(live, 70000));
      _exit(wait_for(grandchild));
    }
    CHILD_EXPECT(wait_for(child), 0);
    for (aclrtEvent event : live) CHILD_EXPECT(aclrtDestroyEvent(event), 0);
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test

// Asked by the leak checker.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return hostile_test::g_forked ? 1 : 0;
}
