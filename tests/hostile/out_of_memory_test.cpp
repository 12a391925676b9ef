#include <memory>

#include "hostile/calls.h"
#include "hostile/shortage.h"
#include "hostile/small_call.h"
#include "hostile/support.h"

// Each allocation fails once, and then every one from there on: a status or the right result, and afterwards
// everything works as ever.
namespace hostile_test {
namespace {

constexpr long kMostPoints = 3000;

// What a program does while memory runs out. Returns 0 or the first status that is not 0; -2 when every
// status was 0 and the result is wrong.
using Act = std::function<int()>;
constexpr int kLie = -2;

// The tests' own descriptors and buffers, made while there is memory.
struct Prepared {
  SmallCall small;
  SmallCall broken;
  std::unique_ptr<Call> large;
  Bytes expected;
  void* block = nullptr;
};
Prepared* g_prepared = nullptr;

int prepare() {
  g_prepared = new Prepared;
  CHILD_TRUE(start(), "no device");
  CHILD_TRUE(g_prepared->small.make() && g_prepared->broken.make(), "no operands");
  CHILD_EXPECT(g_prepared->broken.break_index(true), 0);
  g_prepared->large = std::make_unique<Call>(plain_recipe("aclnnMaxPool3dWithArgmaxBackward"));
  CHILD_EXPECT(g_prepared->large->queue(nullptr), 0);
  CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
  g_prepared->expected = g_prepared->large->result();
  CHILD_EXPECT(aclrtMalloc(&g_prepared->block, 1000, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  return 0;
}

// Everything works: the default stream, a new one, the pool.
int works() {
  aclrtStream stream = nullptr;
  // What was broken off may have left a fault to report.
  aclrtSynchronizeDevice();
  aclrtSynchronizeDevice();
  aclGetRecentErrMsg();
  CHILD_EXPECT(g_prepared->small.run(nullptr), 0);
  CHILD_EXPECT(g_prepared->small.right(), true);
  CHILD_EXPECT(aclrtCreateStream(&stream), 0);
  g_prepared->large->spoil();
  CHILD_EXPECT(g_prepared->large->queue(stream), 0);
  CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
  CHILD_TRUE(g_prepared->large->result() == g_prepared->expected, "another result");
  CHILD_EXPECT(aclrtDestroyStream(stream), 0);
  return 0;
}

// Around the act, while there is memory.
struct Around {
  std::function<void()> before = [] {};
  std::function<bool()> right = [] { return true; };  // asked where the act returned 0
};

// One act with `failures` requests failing from the point on; `struck` tells whether any did.
int act_once(const Act& act, const Around& around, long point, long failures, bool& struck) {
  around.before();
  memory_shortage().begin(point, failures);
  const int status = act();
  struck = memory_shortage().end() > 0;
  CHILD_TRUE(status != kLie && (status != 0 || around.right()), "status 0, and a wrong result");
  if (!struck) CHILD_TRUE(status == 0, "status " + std::to_string(status) + " though nothing failed");
  return 0;
}

int fail_everywhere(const Act& act, const Around& around, long failures, long& point) {
  if (const int code = prepare()) return code;
  bool struck = true;
  for (point = 0; struck; ++point) {
    CHILD_EXPECT(point < kMostPoints, true);
    if (const int code = act_once(act, around, point, failures, struck)) return code;
    if (const int code = works()) return code;
  }
  CHILD_TRUE(point > 1, "nothing was allocated: the test tests nothing");
  return 0;
}

void expect_survival(const Act& act, std::initializer_list<const char*> thread_counts = {"1"},
                     const Around& around = {}) {
  // Shared, so that a child that ends by a signal has said where.
  const SharedBytes shared(sizeof(long));
  long& point = *reinterpret_cast<long*>(shared.get().data());
  for (const char* threads : thread_counts) {
    for (const long failures : {1L, kForGood}) {
      const ChildResult result = in_child({{"CAIRN_THREADS", threads}},
                                          [&] { return fail_everywhere(act, around, failures, point); });
      EXPECT_EQ(result.code, 0) << threads << " threads, point " << point
                                << (failures == 1 ? ", one failure: " : ", all failing: ")
                                << result.stderr_text;
    }
  }
}

#define TRY(call)                                         \
  do {                                                    \
    if (const int try_status = (call)) return try_status; \
  } while (false)

TEST(OutOfMemory, InDescriptorsIsSaid) {
  expect_survival([] {
    SmallCall call;
    if (!call.make_descriptors()) return 1;
    const float one = 1;
    aclScalar* scalar = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
    if (scalar == nullptr) return 1;
    const aclScalar* const scalars[] = {scalar};
    aclScalarList* list = aclCreateScalarList(scalars, 1);
    if (list == nullptr) {
      aclDestroyScalar(scalar);
      return 1;
    }
    return static_cast<int>(aclDestroyScalarList(list));
  });
}

TEST(OutOfMemory, InPhase1IsSaid) {
  expect_survival([] {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    TRY(g_prepared->small.phase1(&size, &executor));
    return static_cast<int>(aclDestroyAclOpExecutor(executor));
  });
}

// The message needs memory too; the status must come without.
TEST(OutOfMemory, InPhase1OfWrongArgumentsStillGivesTheStatus) {
  expect_survival([] {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = g_prepared->small.phase1(nullptr, &size, &executor);
    aclGetRecentErrMsg();
    return status == 0 ? kLie : 0;
  });
}

TEST(OutOfMemory, InAnOperatorGivesAStatusOrTheResult) {
  expect_survival(
      [] {
        TRY(g_prepared->small.spoil());
        TRY(g_prepared->small.queue(nullptr));
        TRY(aclrtSynchronizeStream(nullptr));
        return g_prepared->small.right() ? 0 : kLie;
      },
      {"1", "2"});
}

TEST(OutOfMemory, InAnOperatorOfThePoolGivesAStatusOrTheResult) {
  expect_survival(
      [] {
        std::uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        TRY(g_prepared->large->phase1(&size, &executor));
        TRY(g_prepared->large->phase2(nullptr, size, executor, nullptr));
        return static_cast<int>(aclrtSynchronizeStream(nullptr));
      },
      {"2", "3"},
      {.before = [] { g_prepared->large->spoil(); },
       .right = [] { return g_prepared->large->result() == g_prepared->expected; }});
}

// The fault's text may be lost, but not the fault.
TEST(OutOfMemory, InAFaultyOperatorStillGivesAStatus) {
  expect_survival([] {
    TRY(g_prepared->broken.queue(nullptr));
    const aclError status = aclrtSynchronizeStream(nullptr);
    aclGetRecentErrMsg();
    return status == 0 ? kLie : 0;
  });
}

TEST(OutOfMemory, InStreamsAndEventsIsSaid) {
  expect_survival([] {
    static std::atomic<int> calls{0};
    calls = 0;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    int status = aclrtCreateStream(&stream);
    if (status == 0) status = aclrtCreateEvent(&event);
    if (status == 0) status = aclrtRecordEvent(event, stream);
    if (status == 0) status = aclrtStreamWaitEvent(nullptr, event);
    if (status == 0) {
      status = aclrtLaunchHostFunc(
          stream, [](void*) { ++calls; }, nullptr);
    }
    if (status == 0) status = aclrtSynchronizeStream(stream);
    if (status == 0) status = calls == 1 ? 0 : kLie;
    if (status == 0) status = aclrtSynchronizeEvent(event);
    if (status == 0) status = aclrtResetEvent(event, stream);
    if (event != nullptr) aclrtDestroyEvent(event);
    if (stream != nullptr) aclrtDestroyStream(stream);
    return status;
  });
}

TEST(OutOfMemory, InContextsIsSaid) {
  expect_survival([] {
    aclrtContext before = nullptr;
    aclrtContext context = nullptr;
    aclrtGetCurrentContext(&before);
    int status = aclrtCreateContext(&context, 0);
    if (status == 0) status = aclrtSynchronizeDevice();
    if (context != nullptr) aclrtDestroyContext(context);
    aclrtSetCurrentContext(before);
    return status;
  });
}

TEST(OutOfMemory, InMemoryCallsIsSaid) {
  expect_survival([] {
    void* memory = nullptr;
    void* pinned = nullptr;
    char byte = 0;
    int status = aclrtMalloc(&memory, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == 0) status = aclrtMallocHost(&pinned, 1000);
    if (status == 0) status = aclrtMemset(memory, 1000, 1, 1000);
    if (status == 0) status = aclrtMemsetAsync(memory, 1000, 2, 1000, nullptr);
    if (status == 0)
      status = aclrtMemcpyAsync(pinned, 1000, memory, 1000, ACL_MEMCPY_DEVICE_TO_HOST, nullptr);
    if (status == 0) status = aclrtSynchronizeStream(nullptr);
    if (status == 0) status = aclrtMemcpy(&byte, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST);
    if (status == 0) status = byte == 2 && *static_cast<char*>(pinned) == 2 ? 0 : kLie;
    // Giving back must work when there is nothing left.
    if (memory != nullptr && aclrtFree(memory) != 0) return kLie;
    if (pinned != nullptr && aclrtFreeHost(pinned) != 0) return kLie;
    return status;
  });
}

TEST(OutOfMemory, InMessagesLosesNothingButTheText) {
  expect_survival([] {
    int own = 0;
    const aclError status = aclrtFree(&own);
    aclGetRecentErrMsg();
    return status == 0 ? kLie : 0;
  });
}

// In a process each, for there is one first time only.
int fail_at_init(long point, long failures, bool& struck) {
  memory_shortage().begin(point, failures);
  const aclError init = aclInit(nullptr);
  const aclError set = aclrtSetDevice(0);
  aclGetRecentErrMsg();
  struck = memory_shortage().end() > 0;
  if (init != 0) aclInit(nullptr);
  if (set != 0) CHILD_EXPECT(aclrtSetDevice(0), 0);
  aclGetRecentErrMsg();
  SmallCall call;
  CHILD_TRUE(call.make(), api_test::recent_message());
  CHILD_EXPECT(call.run(nullptr), 0);
  CHILD_EXPECT(call.right(), true);
  return 0;
}

void expect_init_to_survive(const Environment& environment) {
  constexpr int kStruck = 3;
  for (const long failures : {1L, kForGood}) {
    bool more = true;
    long point = 0;
    for (; more && point < kMostPoints; ++point) {
      const ChildResult result = in_child(environment, [&] {
        bool struck = false;
        if (const int code = fail_at_init(point, failures, struck)) return code;
        return struck ? kStruck : 0;
      });
      more = result.code == kStruck;
      ASSERT_TRUE(result.code == 0 || result.code == kStruck)
          << "point " << point << ", code " << result.code << ": " << result.stderr_text;
    }
    EXPECT_GT(point, 1);
  }
}

TEST(OutOfMemory, InAclInitIsSaidAndTheNextOneWorks) {
  for (const char* threads : {"1", "2"}) expect_init_to_survive({{"CAIRN_THREADS", threads}});
}

// Where it was built, libcairn_cuda.so is opened to see whether there is a GPU.
TEST(OutOfMemory, WhileTheCudaLibraryIsLoadedIsSaid) {
  CPU_ONLY("loading it is what every other test does");
  expect_init_to_survive({{"CAIRN_DEVICE", "auto"}, {"CAIRN_THREADS", "1"}});
}

}  // namespace
}  // namespace hostile_test
