#include <pthread.h>

#include <atomic>

#include "hostile/calls.h"
#include "hostile/small_call.h"
#include "hostile/support.h"
#include "runtime/support.h"

// A process that may make no more threads: everything still computes, on the threads there are.
namespace hostile_test {
namespace {

constexpr int kNoLimit = 77;

bool thread_can_be_made() {
  pthread_t thread{};
  if (pthread_create(
          &thread, nullptr, [](void* argument) { return argument; }, nullptr) != 0)
    return false;
  pthread_join(thread, nullptr);
  return true;
}

// The limit counts all processes of a user, so 0 is always passed; it does not hold for root.
bool forbid_threads() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && setuid(kNobody) != 0) return false;
  const rlimit none{0, 0};
  return setrlimit(RLIMIT_NPROC, &none) == 0 && !thread_can_be_made();
}

int all_works() {
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  CHILD_EXPECT(aclrtCreateStream(&stream), 0);
  CHILD_EXPECT(aclrtCreateEvent(&event), 0);
  for (const char* name : {"aclnnMaxPool3dWithArgmaxBackward", "aclnnUpsampleNearest3d"}) {
    Call call(plain_recipe(name));
    Call again(plain_recipe(name));
    CHILD_EXPECT(call.queue(stream), 0);
    CHILD_EXPECT(again.queue(nullptr), 0);
    CHILD_EXPECT(aclrtSynchronizeDevice(), 0);
    CHILD_TRUE(call.result() == again.result(), "two results");
  }
  static std::atomic<int> calls{0};
  const auto count = [](void*) { ++calls; };
  CHILD_EXPECT(aclrtLaunchHostFunc(stream, count, nullptr), 0);
  CHILD_EXPECT(aclrtRecordEvent(event, stream), 0);
  CHILD_EXPECT(aclrtStreamWaitEvent(nullptr, event), 0);
  CHILD_EXPECT(aclrtLaunchHostFunc(nullptr, count, nullptr), 0);
  CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
  CHILD_EXPECT(calls.load(), 2);
  const api_test::Buffer from(8 << 20);
  const api_test::Buffer to(8 << 20);
  CHILD_EXPECT(aclrtMemsetAsync(from.address(), 8 << 20, 0x21, 8 << 20, stream), 0);
  CHILD_EXPECT(
      aclrtMemcpyAsync(to.address(), 8 << 20, from.address(), 8 << 20, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
      0);
  CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
  Bytes copied(8 << 20);
  to.download(copied.data());
  CHILD_TRUE(copied == Bytes(8 << 20, 0x21), "copied something else");
  SmallCall small;
  CHILD_TRUE(small.make(), "no operands");
  CHILD_EXPECT(small.run(stream), 0);
  CHILD_EXPECT(small.right(), true);
  CHILD_EXPECT(aclrtDestroyStream(stream), 0);
  return 0;
}

// Work that nobody waits for: it is done by the time the program looks at it.
int nobody_waits() {
  SmallCall call;
  CHILD_TRUE(call.make(), "no operands");
  CHILD_EXPECT(call.spoil(), 0);
  CHILD_EXPECT(call.queue(nullptr), 0);
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  CHILD_EXPECT(becomes_true([&] {
                 return aclrtStreamQuery(nullptr, &status) == 0 && status == ACL_STREAM_STATUS_COMPLETE;
               }),
               true);
  CHILD_EXPECT(call.right(), true);
  return 0;
}

void expect_with_limit(const std::function<int()>& before, const std::function<int()>& after) {
  for (const char* threads : {"1", "2", "7"}) {
    SCOPED_TRACE(threads);
    const auto body = [&] {
      if (const int code = before()) return code;
      if (!forbid_threads()) return kNoLimit;
      return after();
    };
    // The leak checker needs a thread of its own.
    const ChildResult result =
        in_child({{"CAIRN_THREADS", threads}}, body, kAddressSanitizer ? Ending::kQuickExit : Ending::kExit);
    if (result.code == kNoLimit) GTEST_SKIP() << "threads cannot be forbidden here";
    EXPECT_EQ(result.code, 0) << result.stderr_text;
  }
}

TEST(WithoutNewThreads, EverythingComputesFromTheStart) {
  CPU_ONLY("CUDA needs threads of its own");
  expect_with_limit([] { return 0; }, [] { return start() ? all_works() : 1; });
}

TEST(WithoutNewThreads, EverythingComputesAfterAclInit) {
  CPU_ONLY("CUDA needs threads of its own");
  expect_with_limit([] { return start() ? 0 : 1; }, all_works);
}

// The default stream has its thread; other streams and the pool do not.
TEST(WithoutNewThreads, EverythingComputesAfterTheFirstStreamRan) {
  CPU_ONLY("CUDA needs threads of its own");
  expect_with_limit(
      [] {
        CHILD_TRUE(start(), "no device");
        CHILD_EXPECT(aclrtLaunchHostFunc(
                         nullptr, [](void*) {}, nullptr),
                     0);
        CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
        return 0;
      },
      all_works);
}

TEST(WithoutNewThreads, WorkIsDoneThoughNobodySynchronises) {
  CPU_ONLY("CUDA needs threads of its own");
  expect_with_limit([] { return start() ? 0 : 1; }, nobody_waits);
}

// The pool has its threads already.
TEST(WithoutNewThreads, EverythingComputesAfterThePoolRan) {
  CPU_ONLY("CUDA needs threads of its own");
  expect_with_limit(
      [] {
        CHILD_TRUE(start(), "no device");
        Call call(plain_recipe("aclnnMaxPool3dWithArgmaxBackward"));
        CHILD_EXPECT(call.queue(nullptr), 0);
        CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
        return 0;
      },
      all_works);
}

}  // namespace
}  // namespace hostile_test
