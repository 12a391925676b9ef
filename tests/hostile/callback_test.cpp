#include <pthread.h>

#include <atomic>
#include <stdexcept>

#include "hostile/small_call.h"
#include "hostile/support.h"
#include "runtime/support.h"

// Host functions that do what they must not, and threads that end in the middle of a call.
namespace hostile_test {
namespace {

using cairn::test::Gate;

constexpr std::size_t kBytes = 1 << 16;

struct Refusal {
  aclrtStream stream;
  aclrtContext context;
  void* device;
  std::vector<unsigned char> own = std::vector<unsigned char>(kBytes, 'x');
  aclError to_host = -1;
  aclError to_device = -1;
  aclError fill = -1;
};

void copy_on_the_own_stream(void* argument) {
  auto* at = static_cast<Refusal*>(argument);
  aclrtSetCurrentContext(at->context);
  at->to_host =
      aclrtMemcpyAsync(at->own.data(), kBytes, at->device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, at->stream);
  at->to_device =
      aclrtMemcpyAsync(at->device, kBytes, at->own.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE, at->stream);
  at->fill = aclrtMemsetAsync(at->own.data(), kBytes, 0x41, kBytes, at->stream);
}

// Such a copy would have to wait for the stream that waits for the function.
TEST(AHostFunction, GetsNoCopyOfPageableMemoryOnItsOwnStreamNeitherNowNorLater) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    Refusal refusal;
    CHILD_EXPECT(aclrtCreateStream(&refusal.stream), 0);
    CHILD_EXPECT(aclrtGetCurrentContext(&refusal.context), 0);
    CHILD_EXPECT(aclrtMalloc(&refusal.device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    CHILD_EXPECT(aclrtMemset(refusal.device, kBytes, 0x55, kBytes), 0);
    CHILD_EXPECT(aclrtLaunchHostFunc(refusal.stream, copy_on_the_own_stream, &refusal), 0);
    CHILD_EXPECT(aclrtSynchronizeStream(refusal.stream), 0);
    CHILD_EXPECT(refusal.to_host, kInvalidArgument);
    CHILD_EXPECT(refusal.to_device, kInvalidArgument);
    CHILD_EXPECT(refusal.fill, kInvalidArgument);
    // Whatever was queued all the same has run when this has.
    CHILD_EXPECT(aclrtLaunchHostFunc(
                     refusal.stream, [](void*) {}, nullptr),
                 0);
    CHILD_EXPECT(aclrtSynchronizeStream(refusal.stream), 0);
    CHILD_TRUE(refusal.own == std::vector<unsigned char>(kBytes, 'x'), "the program's memory was written");
    std::vector<unsigned char> device(kBytes);
    CHILD_EXPECT(aclrtMemcpy(device.data(), kBytes, refusal.device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    CHILD_TRUE(device == std::vector<unsigned char>(kBytes, 0x55), "device memory was written");
    return 0;
  });
}

// The stream works, whatever became of the thread that served it; at most one fault is reported.
int works_afterwards(aclrtStream stream) {
  static std::atomic<int> calls{0};
  const aclError first = aclrtSynchronizeStreamWithTimeout(stream, 30000);
  CHILD_TRUE(first == 0 || first / 1000 == 507, std::to_string(first) + api_test::recent_message());
  for (int i = 0; i < 3; ++i) {
    CHILD_EXPECT(aclrtLaunchHostFunc(
                     stream, [](void*) { ++calls; }, nullptr),
                 0);
  }
  CHILD_EXPECT(aclrtSynchronizeStreamWithTimeout(stream, 30000), 0);
  CHILD_EXPECT(calls.load(), 3);
  SmallCall call;
  CHILD_TRUE(call.make(), "no operands");
  CHILD_EXPECT(call.run(stream), 0);
  CHILD_EXPECT(call.right(), true);
  CHILD_EXPECT(aclrtDestroyStream(stream), 0);
  return 0;
}

int survives(void (*function)(void*)) {
  CHILD_TRUE(start(), "no device");
  aclrtStream stream = nullptr;
  SmallCall behind;
  CHILD_TRUE(behind.make(), "no operands");
  CHILD_EXPECT(aclrtCreateStream(&stream), 0);
  CHILD_EXPECT(behind.spoil(), 0);
  CHILD_EXPECT(aclrtLaunchHostFunc(stream, function, nullptr), 0);
  CHILD_EXPECT(behind.queue(stream), 0);
  if (const int code = works_afterwards(stream)) return code;
  CHILD_TRUE(behind.right(), "what was queued behind the function is not done");
  return 0;
}

TEST(AHostFunction, MayThrow) {
  expect_in_child([] { return survives([](void*) { throw std::runtime_error("on purpose"); }); });
  expect_in_child([] { return survives([](void*) { throw 5; }); });
}

TEST(AHostFunction, MayEndItsThread) {
  expect_in_child([] { return survives([](void*) { pthread_exit(nullptr); }); });
}

TEST(AHostFunction, MayCancelItsThread) {
  expect_in_child([] {
    return survives([](void*) {
      pthread_cancel(pthread_self());
      pthread_testcancel();
    });
  });
}

TEST(AHostFunction, MayLeaveItsThreadInAnotherCancelState) {
  expect_in_child([] {
    return survives([](void*) {
      int before = 0;
      pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
      pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    });
  });
}

struct Looping {
  SmallCall call;  // of the thread that stays: the other one ends anywhere
  aclrtStream stream = nullptr;
  std::atomic<int> rounds{0};
};

void* compute_until_cancelled(void* argument) {
  auto* looping = static_cast<Looping*>(argument);
  if (aclrtSetDevice(0) != 0) return nullptr;
  while (true) {
    looping->call.run(looping->stream);
    // A failing call makes a text, and logs it.
    aclrtFree(argument);
    aclGetRecentErrMsg();
    ++looping->rounds;
    pthread_testcancel();
  }
}

int cancel_between_calls() {
  CHILD_TRUE(start(), "no device");
  SmallCall call;
  CHILD_TRUE(call.make(), "no operands");
  for (int i = 0; i < (kSanitized ? 20 : 100); ++i) {
    Looping looping;
    CHILD_TRUE(looping.call.make(), "no operands");
    if (i % 2 == 0) CHILD_EXPECT(aclrtCreateStream(&looping.stream), 0);
    pthread_t thread{};
    CHILD_EXPECT(pthread_create(&thread, nullptr, compute_until_cancelled, &looping), 0);
    CHILD_EXPECT(becomes_true([&] { return looping.rounds > i; }), true);
    CHILD_EXPECT(pthread_cancel(thread), 0);
    void* result = nullptr;
    CHILD_EXPECT(pthread_join(thread, &result), 0);
    CHILD_EXPECT(result == PTHREAD_CANCELED, true);
    // No lock is left held by the thread that is gone.
    CHILD_EXPECT(call.run(looping.stream), 0);
    CHILD_EXPECT(call.right(), true);
    if (looping.stream != nullptr) CHILD_EXPECT(aclrtDestroyStream(looping.stream), 0);
  }
  CHILD_EXPECT(aclrtSynchronizeDevice(), 0);
  return 0;
}

// With a log on stderr the library writes, which is a point of cancellation.
TEST(ACancelledThread, LeavesTheLibraryUsable) {
  expect_in_child({{"CAIRN_THREADS", "1"}}, cancel_between_calls);
  expect_in_child({{"CAIRN_THREADS", "2"}, {"CAIRN_LOG", "error"}}, cancel_between_calls);
}

struct Blocked {
  aclrtStream stream = nullptr;
  std::atomic<bool> waiting{false};
  int way = 0;
};

void* wait_until_cancelled(void* argument) {
  auto* blocked = static_cast<Blocked*>(argument);
  if (aclrtSetDevice(0) != 0) return nullptr;
  blocked->waiting = true;
  if (blocked->way == 0) aclrtSynchronizeStream(blocked->stream);
  if (blocked->way == 1) aclrtSynchronizeStreamWithTimeout(blocked->stream, 60000);
  if (blocked->way == 2) aclrtSynchronizeDevice();
  while (true) {
    pthread_testcancel();
    usleep(1000);
  }
}

int cancel_in_synchronise(int way) {
  CHILD_TRUE(start(), "no device");
  SmallCall call;
  CHILD_TRUE(call.make(), "no operands");
  Blocked blocked;
  blocked.way = way;
  Gate gate;
  CHILD_EXPECT(aclrtCreateStream(&blocked.stream), 0);
  CHILD_EXPECT(aclrtLaunchHostFunc(blocked.stream, Gate::wait_at, &gate), 0);
  CHILD_EXPECT(call.spoil(), 0);
  CHILD_EXPECT(call.queue(blocked.stream), 0);
  pthread_t thread{};
  CHILD_EXPECT(pthread_create(&thread, nullptr, wait_until_cancelled, &blocked), 0);
  CHILD_EXPECT(becomes_true([&] { return blocked.waiting.load(); }), true);
  usleep(50000);  // most likely it waits inside by now; if not, the test only sees less
  CHILD_EXPECT(pthread_cancel(thread), 0);
  gate.open();
  CHILD_EXPECT(pthread_join(thread, nullptr), 0);
  CHILD_EXPECT(aclrtSynchronizeStream(blocked.stream), 0);
  CHILD_EXPECT(call.right(), true);
  CHILD_EXPECT(call.run(blocked.stream), 0);
  CHILD_EXPECT(aclrtSynchronizeDevice(), 0);
  CHILD_EXPECT(aclrtDestroyStream(blocked.stream), 0);
  return 0;
}

TEST(ACancelledThread, ThatWaitsForAStreamLeavesItUsable) {
  for (int way = 0; way < 3; ++way) expect_in_child([&] { return cancel_in_synchronise(way); });
}

}  // namespace
}  // namespace hostile_test
