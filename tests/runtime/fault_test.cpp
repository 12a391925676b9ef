#include <stdexcept>

#include "runtime/fake_kernel.h"
#include "runtime/support.h"

namespace cairn::test {
namespace {

std::optional<IndexFault> answer_with_plan(const void* plan, Workers&) {
  IndexFault fault{};
  std::memcpy(&fault, plan, sizeof(fault));
  if (fault.plane_size == 0) return std::nullopt;
  return fault;
}

const cairn::test::FakeKernel kFaulty{"aclnnFaulty", answer_with_plan};
const IndexFault kFirst{5, 12, 8};
const IndexFault kSecond{6, -3, 9};
const IndexFault kNone{0, 0, 0};

class FaultOf : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    NEEDS_CPU_KERNELS();
  }
  static aclError launch(aclrtStream where, const IndexFault& fault) {
    return cairn_runtime_bridge().launch(where, {kFaulty, &fault, sizeof(fault)});
  }
};

TEST_F(FaultOf, IsAnsweredOnceWithTheMessage) {
  ASSERT_EQ(launch(stream, kFirst), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  const std::string text = pending_text();
  EXPECT_NE(text.find("aclnnFaulty: indices[5] is 12, expected 0 to 7"), std::string::npos) << text;
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}

TEST_F(FaultOf, ABriefKernelIsAnsweredByTheNextSynchronise) {
  ASSERT_EQ(cairn_runtime_bridge().launch(
                stream, {.kernel = kFaulty, .plan = &kFirst, .plan_size = sizeof(kFirst), .bytes = 8}),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(FaultOf, LeavesTheStreamUsable) {
  ASSERT_EQ(launch(stream, kFirst), ACL_SUCCESS);
  ASSERT_EQ(launch(stream, kNone), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::open_it, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_TRUE(gate.wait());
}

TEST_F(FaultOf, TheFirstInStreamOrderSpeaksForAll) {
  ASSERT_EQ(launch(stream, kFirst), ACL_SUCCESS);
  ASSERT_EQ(launch(stream, kSecond), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_NE(pending_text().find("indices[5]"), std::string::npos);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(FaultOf, AnEventCoversWhatLiesBeforeItsRecord) {
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_EQ(launch(stream, kFirst), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(launch(stream, kSecond), ACL_SUCCESS);
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  while (status != ACL_STREAM_STATUS_COMPLETE) ASSERT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_NE(pending_text().find("indices[5]"), std::string::npos);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 1000), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_NE(pending_text().find("indices[6] is -3, expected 0 to 8"), std::string::npos);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST_F(FaultOf, AnEventRecordedBeforeItDoesNotCoverIt) {
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(launch(stream, kFirst), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 100), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST_F(FaultOf, ADeviceSynchroniseCoversEveryStream) {
  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  ASSERT_EQ(launch(other, kSecond), ACL_SUCCESS);
  ASSERT_EQ(launch(nullptr, kFirst), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(FaultOf, IsNotTakenByWhatOnlyWaits) {
  void* device = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(launch(stream, kFirst), ACL_SUCCESS);
  char own = 1;
  EXPECT_EQ(aclrtMemcpyAsync(device, 1, &own, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeWithDevSync(device), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}

TEST_F(FaultOf, IsNotLostToATimeout) {
  Gate gate;
  ASSERT_EQ(launch(stream, kFirst), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}

TEST_F(FaultOf, AnExceptionOfAKernelIsAFault) {
  const cairn::test::FakeKernel thrower{
      "aclnnThrower",
      [](const void*, Workers&) -> std::optional<IndexFault> { throw std::runtime_error("no such luck"); }};
  const cairn::test::FakeKernel odd{"aclnnOdd",
                                    [](const void*, Workers&) -> std::optional<IndexFault> { throw 42; }};
  const char plan = 0;
  ASSERT_EQ(cairn_runtime_bridge().launch(stream, {thrower, &plan, 1}), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INTERNAL_ERROR);
  const std::string text = pending_text();
  EXPECT_NE(text.find("aclnnThrower"), std::string::npos);
  EXPECT_NE(text.find("no such luck"), std::string::npos);
  ASSERT_EQ(cairn_runtime_bridge().launch(stream, {odd, &plan, 1}), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INTERNAL_ERROR);
}

TEST_F(FaultOf, AnExceptionFromAPoolThreadIsAFault) {
  const cairn::test::FakeKernel thrower{"aclnnThrower",
                                        [](const void*, Workers& workers) -> std::optional<IndexFault> {
                                          workers.run(64, [](std::int64_t i) {
                                            if (i == 40) throw std::runtime_error("task 40");
                                          });
                                          return std::nullopt;
                                        }};
  const char plan = 0;
  ASSERT_EQ(cairn_runtime_bridge().launch(stream, {thrower, &plan, 1}), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_NE(pending_text().find("task 40"), std::string::npos);
}

TEST_F(FaultOf, ThePlanIsCopiedAtLaunch) {
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  IndexFault plan = kFirst;
  ASSERT_EQ(launch(stream, plan), ACL_SUCCESS);
  plan = kNone;
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
}

TEST_F(FaultOf, WorkersCallEveryTaskOnce) {
  static std::atomic<int> calls[1000];
  const cairn::test::FakeKernel counter{
      "aclnnCounter", [](const void*, Workers& workers) -> std::optional<IndexFault> {
        workers.run(1000, [](std::int64_t i) { calls[i].fetch_add(1); });
        workers.run(0, [](std::int64_t) { throw std::runtime_error("no task was asked for"); });
        return std::nullopt;
      }};
  const char plan = 0;
  ASSERT_EQ(cairn_runtime_bridge().launch(stream, {counter, &plan, 1}), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace cairn::test
