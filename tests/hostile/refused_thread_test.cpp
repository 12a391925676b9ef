#include <atomic>
#include <chrono>
#include <thread>

#include "hostile/shortage.h"
#include "hostile/support.h"

// A stream that got no thread when it asked for one: its tasks run on the program's threads, in order, and on
// its own once there is one.
namespace hostile_test {
namespace {

void pause(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

struct Shared {
  aclrtContext context = nullptr;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  std::atomic<bool> inside{false};
  std::atomic<bool> leave{false};
  std::atomic<bool> second_ran{false};
};
Shared g_shared;

int begin_without_threads() {
  CHILD_TRUE(start(), "no device");
  CHILD_EXPECT(aclrtGetCurrentContext(&g_shared.context), 0);
  CHILD_EXPECT(aclrtCreateStream(&g_shared.stream), 0);
  thread_shortage().begin(0, kForGood);
  return 0;
}

void stay(void*) {
  g_shared.inside = true;
  while (!g_shared.leave) pause(std::chrono::milliseconds(1));
}

TEST(AThreadThatComesLater, RunsWhatWasQueuedMeanwhile) {
  expect_in_child([] {
    std::atomic<bool> go{false};
    std::thread first([&] {
      while (!go) pause(std::chrono::milliseconds(1));
      aclrtSetCurrentContext(g_shared.context);
      aclrtLaunchHostFunc(g_shared.stream, stay, nullptr);
    });
    const int code = begin_without_threads();
    go = true;
    if (code != 0) std::_Exit(code);
    while (!g_shared.inside) pause(std::chrono::milliseconds(1));
    thread_shortage().end();
    CHILD_EXPECT(aclrtLaunchHostFunc(
                     g_shared.stream, [](void*) { g_shared.second_ran = true; }, nullptr),
                 0);
    g_shared.leave = true;
    first.join();
    for (int i = 0; i < 20000 && !g_shared.second_ran; ++i) pause(std::chrono::milliseconds(1));
    CHILD_EXPECT(g_shared.second_ran.load(), true);
    CHILD_EXPECT(aclrtSynchronizeStreamWithTimeout(g_shared.stream, 20000), 0);
    return 0;
  });
}

// The record runs the tasks before it, and one of them asks after the same event.
TEST(AStreamWithoutAThread, RecordsAnEventBehindAFunctionThatAsksForIt) {
  expect_in_child([] {
    if (const int code = begin_without_threads()) return code;
    CHILD_EXPECT(aclrtCreateEvent(&g_shared.event), 0);
    aclrtEvent never = nullptr;
    aclrtStream other = nullptr;
    CHILD_EXPECT(aclrtCreateEvent(&never), 0);
    CHILD_EXPECT(aclrtCreateStream(&other), 0);
    thread_shortage().end();
    CHILD_EXPECT(aclrtLaunchHostFunc(other, stay, nullptr), 0);
    CHILD_EXPECT(aclrtRecordEvent(never, other), 0);
    thread_shortage().begin(0, kForGood);
    CHILD_EXPECT(aclrtStreamWaitEventWithTimeout(g_shared.stream, never, 20), 0);
    const auto ask = [](void*) {
      aclrtEventRecordedStatus status{};
      aclrtQueryEventStatus(g_shared.event, &status);
      g_shared.second_ran = true;
    };
    CHILD_EXPECT(aclrtLaunchHostFunc(g_shared.stream, ask, nullptr), 0);
    pause(std::chrono::milliseconds(50));
    CHILD_EXPECT(aclrtRecordEvent(g_shared.event, g_shared.stream), 0);
    CHILD_EXPECT(aclrtSynchronizeStream(g_shared.stream), ACL_ERROR_RT_WAIT_TIMEOUT);
    CHILD_EXPECT(g_shared.second_ran.load(), true);
    g_shared.leave = true;
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test
