#include <vector>

#include "runtime/fake_kernel.h"
#include "runtime/support.h"

namespace cairn::test {
namespace {

class StreamOrder : public WithStream {};

// What one task of a stream appends to.
struct Note {
  std::vector<int>* list;
  int number;
};

void append(const void* plan) {
  Note note{};
  std::memcpy(&note, plan, sizeof(note));
  note.list->push_back(note.number);
}

const cairn::test::FakeKernel kAppend{"aclnnAppend",
                                      [](const void* plan, Workers&) -> std::optional<IndexFault> {
                                        append(plan);
                                        return std::nullopt;
                                      }};

TEST_F(StreamOrder, KernelsAndHostFunctionsRunInTheOrderTheyWereQueued) {
  NEEDS_CPU_KERNELS();
  std::vector<int> list;
  std::vector<Note> notes(200);
  for (int i = 0; i < 200; ++i) {
    notes[static_cast<std::size_t>(i)] = {&list, i};
    if (i % 3 == 0) {
      ASSERT_EQ(aclrtLaunchHostFunc(
                    stream, [](void* note) { append(note); }, &notes[static_cast<std::size_t>(i)]),
                ACL_SUCCESS);
    } else {
      const Note note{&list, i};
      ASSERT_EQ(cairn_runtime_bridge().launch(stream, {kAppend, &note, sizeof(note)}), ACL_SUCCESS);
    }
  }
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  ASSERT_EQ(list.size(), 200U);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(list[static_cast<std::size_t>(i)], i);
}

TEST_F(StreamOrder, SeveralThreadsThatSynchroniseRunNoTaskTwice) {
  NEEDS_CPU_KERNELS();
  std::vector<int> list;
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  for (int round = 0; round < 50; ++round) {
    list.clear();
    for (int i = 0; i < 20; ++i) {
      const Note note{&list, i};
      ASSERT_EQ(cairn_runtime_bridge().launch(stream, {kAppend, &note, sizeof(note)}), ACL_SUCCESS);
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        aclrtSetCurrentContext(context);
        EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(list.size(), 20U);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(list[static_cast<std::size_t>(i)], i);
  }
}

TEST_F(StreamOrder, WorkIsDoneWithoutASynchronise) {
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::open_it, &gate), ACL_SUCCESS);
  EXPECT_TRUE(gate.wait());
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);  // the gate may be in use a moment longer
}

TEST_F(StreamOrder, HostFunctionsRunOnAThreadOfTheLibrary) {
  std::thread::id id;
  const auto note = [](void* where) { *static_cast<std::thread::id*>(where) = std::this_thread::get_id(); };
  ASSERT_EQ(aclrtLaunchHostFunc(stream, note, &id), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_NE(id, std::thread::id{});
  EXPECT_NE(id, std::this_thread::get_id());
}

const FakeKernel kWhere{"aclnnWhere", [](const void* plan, Workers&) -> std::optional<IndexFault> {
                          std::thread::id* where = nullptr;
                          std::memcpy(&where, plan, sizeof(where));
                          *where = std::this_thread::get_id();
                          return std::nullopt;
                        }};

TEST_F(StreamOrder, ABriefKernelStaysOnItsCallerWhereTheStreamIsIdle) {
  NEEDS_CPU_KERNELS();
  std::thread::id where;
  const std::thread::id* plan = &where;
  ASSERT_EQ(cairn_runtime_bridge().launch(
                stream, {.kernel = kWhere, .plan = &plan, .plan_size = sizeof(plan), .bytes = 8}),
            ACL_SUCCESS);
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(StreamOrder, ABriefKernelWaitsForWhatIsUnderWay) {
  NEEDS_CPU_KERNELS();
  Gate gate;
  std::vector<int> list;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    const Note note{&list, i};
    ASSERT_EQ(cairn_runtime_bridge().launch(
                  stream, {.kernel = kAppend, .plan = &note, .plan_size = sizeof(note), .bytes = 8}),
              ACL_SUCCESS);
  }
  EXPECT_TRUE(list.empty());
  Gate::open_it(&gate);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(list, (std::vector{0, 1, 2}));
}

// Each of the two waits for the other: it ends only when both run at once.
TEST_F(StreamOrder, TwoStreamsRunSideBySide) {
  struct Meeting {
    Gate mine;
    Gate theirs;
    bool met = false;
  } meeting;
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  const auto first = [](void* where) {
    auto* meet = static_cast<Meeting*>(where);
    meet->mine.open();
    meet->met = meet->theirs.wait();
  };
  const auto second = [](void* where) {
    auto* meet = static_cast<Meeting*>(where);
    meet->theirs.open();
    meet->mine.wait();
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream, first, &meeting), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(other, second, &meeting), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_TRUE(meeting.met);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(StreamOrder, TheDefaultStreamDoesNotWaitForOthers) {
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(nullptr, Gate::open_it, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST_F(StreamOrder, NullMeansTheDefaultStream) {
  aclrtStream named = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&named), ACL_SUCCESS);
  int32_t by_name = -1;
  int32_t by_null = -2;
  EXPECT_EQ(aclrtStreamGetId(named, &by_name), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetId(nullptr, &by_null), ACL_SUCCESS);
  EXPECT_EQ(by_name, by_null);
  EXPECT_EQ(aclrtDestroyStream(named), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(StreamOrder, QueryTellsWhetherWorkIsLeft) {
  Gate gate;
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

TEST_F(StreamOrder, TimeoutsExpireAndTheStreamGoesOn) {
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(0), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 30000), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, -1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(30000), ACL_SUCCESS);
}

TEST_F(StreamOrder, TimeoutsOutOfRange) {
  for (const int32_t bad : {0, -2, INT32_MIN}) {
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, bad), ACL_ERROR_RT_PARAM_INVALID);
  }
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(StreamOrder, DestroyWaitsForTheWork) {
  std::atomic<int> done{0};
  const auto slow = [](void* count) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    static_cast<std::atomic<int>*>(count)->fetch_add(1);
  };
  for (int i = 0; i < 4; ++i) ASSERT_EQ(aclrtLaunchHostFunc(stream, slow, &done), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(done, 4);
  stream = nullptr;
}

TEST_F(StreamOrder, ForceDestroyDropsWhatHasNotBegun) {
  static Gate begun;
  static Gate gate;
  static std::atomic<bool> ran{false};
  const auto first = [](void*) {
    begun.open();
    gate.wait();
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream, first, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(
                stream, [](void*) { ran = true; }, nullptr),
            ACL_SUCCESS);
  ASSERT_TRUE(begun.wait());
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_FALSE(ran);
  stream = nullptr;
}

// The memory a kernel works on is often freed right after.
TEST_F(StreamOrder, ForceDestroyWaitsForTheKernelUnderWay) {
  NEEDS_CPU_KERNELS();
  struct Slow {
    std::atomic<bool>* begun;
    std::atomic<bool>* done;
  };
  std::atomic<bool> begun{false};
  std::atomic<bool> done{false};
  const cairn::test::FakeKernel kernel{"aclnnSlow",
                                       [](const void* plan, Workers&) -> std::optional<IndexFault> {
                                         Slow slow{};
                                         std::memcpy(&slow, plan, sizeof(slow));
                                         slow.begun->store(true);
                                         std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                         slow.done->store(true);
                                         return std::nullopt;
                                       }};
  const Slow slow{&begun, &done};
  ASSERT_EQ(cairn_runtime_bridge().launch(stream, {kernel, &slow, sizeof(slow)}), ACL_SUCCESS);
  while (!begun) std::this_thread::yield();
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  EXPECT_TRUE(done);
  stream = nullptr;
}

TEST_F(StreamOrder, DoubleDestroyAndForeignHandles) {
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  char own = 0;
  for (void* bad : {other, made_up(), event}) {
    aclrtStreamStatus status{};
    int32_t id = 0;
    uint32_t word = 0;
    aclrtStreamAttrValue value{};
    EXPECT_EQ(aclrtDestroyStream(bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtDestroyStreamForce(bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSynchronizeStream(bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(bad, 1), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamQuery(bad, &status), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamGetId(bad, &id), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamGetPriority(bad, &word), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamGetFlags(bad, &word), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSetStreamFailureMode(bad, 0), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtGetStreamAttribute(bad, ACL_STREAM_ATTR_PRIORITY, &value), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtLaunchHostFunc(bad, Gate::open_it, nullptr), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtRecordEvent(event, bad), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamWaitEvent(bad, event), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(cairn_runtime_bridge().launch(bad, {kAppend, &own, 1}), ACL_ERROR_RT_INVALID_HANDLE);
  }
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST_F(StreamOrder, NullArguments) {
  EXPECT_EQ(aclrtCreateStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateStreamWithConfig(nullptr, 0, 0), ACL_ERROR_INVALID_PARAM);
  aclrtStream other = nullptr;
  EXPECT_EQ(aclrtCreateStreamV2(&other, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyStreamForce(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamQuery(stream, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamGetId(stream, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamGetPriority(stream, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamGetFlags(stream, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(StreamOrder, HintsAreStoredAndUnsupportedModesRefused) {
  aclrtStream other = nullptr;
  const uint32_t hints = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
  ASSERT_EQ(aclrtCreateStreamWithConfig(&other, 99, hints), ACL_SUCCESS);
  uint32_t flags = 0;
  uint32_t priority = 0;
  EXPECT_EQ(aclrtStreamGetFlags(other, &flags), ACL_SUCCESS);
  EXPECT_EQ(flags, hints);
  EXPECT_EQ(aclrtStreamGetPriority(other, &priority), ACL_SUCCESS);
  EXPECT_EQ(priority, 7U);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  const aclrtStreamConfigHandle config{nullptr, 0, ACL_STREAM_HUGE, 3};
  ASSERT_EQ(aclrtCreateStreamV2(&other, &config), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamGetPriority(other, &priority), ACL_SUCCESS);
  EXPECT_EQ(priority, 3U);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  for (const uint32_t mode : {ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY}) {
    EXPECT_EQ(aclrtCreateStreamWithConfig(&other, 0, mode), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EXPECT_NE(pending_text().find("not supported"), std::string::npos);
  }
  EXPECT_EQ(aclrtCreateStreamWithConfig(&other, 0, 0x40), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(StreamOrder, AttributesAreStored) {
  aclrtStreamAttrValue value{};
  value.userCustomTag = 77;
  EXPECT_EQ(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  value = {};
  EXPECT_EQ(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value), ACL_SUCCESS);
  EXPECT_EQ(value.userCustomTag, 77U);
  value.priority = 50;
  EXPECT_EQ(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value), ACL_SUCCESS);
  uint32_t priority = 0;
  EXPECT_EQ(aclrtStreamGetPriority(stream, &priority), ACL_SUCCESS);
  EXPECT_EQ(priority, 7U);
  EXPECT_EQ(aclrtSetStreamAttribute(stream, static_cast<aclrtStreamAttr>(6), &value),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetStreamAttribute(stream, static_cast<aclrtStreamAttr>(0), &value),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, 2), ACL_ERROR_RT_PARAM_INVALID);
  value.failureMode = ACL_STOP_ON_FAILURE;
  EXPECT_EQ(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

TEST_F(StreamOrder, AHostFunctionCannotWaitForItsOwnStream) {
  struct Answer {
    aclrtStream stream;
    aclrtContext context;
    aclError synchronised = ACL_SUCCESS;
    aclError destroyed = ACL_SUCCESS;
  } answer;
  answer.stream = stream;
  ASSERT_EQ(aclrtGetCurrentContext(&answer.context), ACL_SUCCESS);
  const auto ask = [](void* where) {
    auto* asked = static_cast<Answer*>(where);
    aclrtSetCurrentContext(asked->context);
    asked->synchronised = aclrtSynchronizeStream(asked->stream);
    asked->destroyed = aclrtDestroyStream(asked->stream);
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream, ask, &answer), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(answer.synchronised, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(answer.destroyed, ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
}  // namespace cairn::test
