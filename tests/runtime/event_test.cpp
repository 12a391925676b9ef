#include <vector>

#include "runtime/support.h"

namespace cairn::test {
namespace {

class EventOf : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
    WithStream::TearDown();
  }
  static aclrtEventRecordedStatus status_of(aclrtEvent which) {
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT_EQ(aclrtQueryEventStatus(which, &status), ACL_SUCCESS);
    return status;
  }

  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
};

TEST_F(EventOf, AStreamWaitsForAnother) {
  Gate gate;
  std::atomic<bool> passed{false};
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(
                other, [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &passed),
            ACL_SUCCESS);
  aclrtEventWaitStatus waiting = ACL_EVENT_WAIT_STATUS_COMPLETE;
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, &waiting), ACL_SUCCESS);
  EXPECT_EQ(waiting, ACL_EVENT_WAIT_STATUS_NOT_READY);
  EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_FALSE(passed);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_TRUE(passed);
  EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, &waiting), ACL_SUCCESS);
  EXPECT_EQ(waiting, ACL_EVENT_WAIT_STATUS_COMPLETE);
}

TEST_F(EventOf, AWaitTakesTheLatestRecordBeforeIt) {
  Gate gate;
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);  // the second record is still behind the gate
  EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(EventOf, SynchroniseCoversOnlyWhatWasQueuedBefore) {
  Gate gate;
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 1000), ACL_SUCCESS);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

TEST_F(EventOf, TimeoutExpires) {
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 10), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 0), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, -2), ACL_ERROR_RT_PARAM_INVALID);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, -1), ACL_SUCCESS);
}

TEST_F(EventOf, AWaitInAStreamGivesUpAndTheNextSynchroniseSaysSo) {
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEventWithTimeout(other, event, 10), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_ERROR_RT_WAIT_TIMEOUT);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEventWithTimeout(other, event, -2), ACL_ERROR_RT_PARAM_INVALID);
  gate.open();
  EXPECT_EQ(aclrtStreamWaitEventWithTimeout(other, event, 30000), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
}

TEST_F(EventOf, NeverRecorded) {
  EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  aclrtEvent plain = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&plain), ACL_SUCCESS);
  EXPECT_EQ(status_of(plain), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtSynchronizeEvent(plain), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(plain), ACL_SUCCESS);
}

TEST_F(EventOf, ResetMakesItUnrecordedInStreamOrder) {
  aclrtEvent plain = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&plain, ACL_EVENT_SYNC), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(plain, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(status_of(plain), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  ASSERT_EQ(aclrtResetEvent(plain, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(status_of(plain), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtResetEvent(event, stream), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDestroyEvent(plain), ACL_SUCCESS);
}

TEST_F(EventOf, OldQueryHasTheOppositeValues) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  Gate gate;
  aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtQueryEvent(event, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_STATUS_NOT_READY);
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtQueryEvent(event, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(aclrtQueryEvent(event, nullptr), ACL_ERROR_INVALID_PARAM);
#pragma GCC diagnostic pop
}

TEST_F(EventOf, ElapsedTimeIsThatOfTheWorkBetween) {
  aclrtEvent end = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&end), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  const auto nap = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  ASSERT_EQ(aclrtLaunchHostFunc(stream, nap, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(end, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  float ms = -1;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event, end), ACL_SUCCESS);
  EXPECT_GE(ms, 20.0F);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, end, event), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event, event), ACL_SUCCESS);
  EXPECT_EQ(ms, 0.0F);
  uint64_t first = 0;
  uint64_t last = 0;
  EXPECT_EQ(aclrtEventGetTimestamp(event, &first), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventGetTimestamp(end, &last), ACL_SUCCESS);
  EXPECT_GE(last - first, 20000U);
  EXPECT_EQ(aclrtDestroyEvent(end), ACL_SUCCESS);
}

TEST_F(EventOf, TimeNeedsATimeLineAndACompleteRecord) {
  float ms = 0;
  uint64_t stamp = 0;
  aclrtEvent untimed = nullptr;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&untimed, ACL_EVENT_SYNC), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(untimed, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventGetTimestamp(untimed, &stamp), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  EXPECT_EQ(aclrtEventGetTimestamp(event, &stamp), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, event, event), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(untimed), ACL_SUCCESS);
}

TEST_F(EventOf, WaitNeedsSync) {
  aclrtEvent timer = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&timer, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(stream, timer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtResetEvent(timer, stream), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDestroyEvent(timer), ACL_SUCCESS);
}

TEST_F(EventOf, Flags) {
  aclrtEvent made = nullptr;
  for (const uint32_t bad :
       {0U, 4U, 0x80U, ACL_EVENT_IPC | ACL_EVENT_SYNC, ACL_EVENT_EXTERNAL | ACL_EVENT_IPC}) {
    EXPECT_EQ(aclrtCreateEventWithFlag(&made, bad), ACL_ERROR_RT_PARAM_INVALID) << bad;
    EXPECT_EQ(aclrtCreateEventExWithFlag(&made, bad), ACL_ERROR_RT_PARAM_INVALID) << bad;
  }
  for (const uint32_t mode : {ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL, ACL_EVENT_IPC}) {
    EXPECT_EQ(aclrtCreateEventWithFlag(&made, mode), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EXPECT_EQ(aclrtCreateEventExWithFlag(&made, mode), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    EXPECT_NE(pending_text().find("not supported"), std::string::npos);
  }
  ASSERT_EQ(aclrtCreateEventExWithFlag(&made, ACL_EVENT_CAPTURE_STREAM_PROGRESS), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(made), ACL_SUCCESS);
}

TEST_F(EventOf, DestroyNeverBlocksAndTheWaitsGoOn) {
  Gate gate;
  aclrtEvent brief = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&brief), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(brief, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, brief), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(brief), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other, 20), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
}

TEST_F(EventOf, ARecordOutlivesItsStream) {
  aclrtStream brief = nullptr;
  ASSERT_EQ(aclrtCreateStream(&brief), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, brief), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(brief), ACL_SUCCESS);
  EXPECT_EQ(status_of(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
}

TEST_F(EventOf, ARecordThatForceDestroyDropsHoldsNobody) {
  static Gate begun;
  static Gate gate;
  aclrtStream brief = nullptr;
  ASSERT_EQ(aclrtCreateStream(&brief), ACL_SUCCESS);
  const auto hold = [](void*) {
    begun.open();
    gate.wait();
  };
  ASSERT_EQ(aclrtLaunchHostFunc(brief, hold, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, brief), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
  ASSERT_TRUE(begun.wait());
  EXPECT_EQ(aclrtDestroyStreamForce(brief), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  gate.open();
}

TEST_F(EventOf, NullAndStaleHandles) {
  aclrtEvent gone = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&gone), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(gone), ACL_SUCCESS);
  aclrtEventRecordedStatus status{};
  aclrtEventWaitStatus waiting{};
  float ms = 0;
  uint64_t stamp = 0;
  const struct {
    aclrtEvent handle;
    aclError answer;
  } cases[] = {{nullptr, ACL_ERROR_INVALID_PARAM},
               {gone, ACL_ERROR_RT_INVALID_HANDLE},
               {made_up(), ACL_ERROR_RT_INVALID_HANDLE},
               {stream, ACL_ERROR_RT_INVALID_HANDLE}};
  for (const auto& [handle, answer] : cases) {
    EXPECT_EQ(aclrtDestroyEvent(handle), answer);
    EXPECT_EQ(aclrtRecordEvent(handle, stream), answer);
    EXPECT_EQ(aclrtResetEvent(handle, stream), answer);
    EXPECT_EQ(aclrtStreamWaitEvent(stream, handle), answer);
    EXPECT_EQ(aclrtStreamWaitEventWithTimeout(stream, handle, 5), answer);
    EXPECT_EQ(aclrtQueryEventStatus(handle, &status), answer);
    EXPECT_EQ(aclrtQueryEventWaitStatus(handle, &waiting), answer);
    EXPECT_EQ(aclrtSynchronizeEvent(handle), answer);
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(handle, 5), answer);
    EXPECT_EQ(aclrtEventElapsedTime(&ms, handle, event), answer);
    EXPECT_EQ(aclrtEventGetTimestamp(handle, &stamp), answer);
  }
  EXPECT_EQ(aclrtCreateEvent(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateEventWithFlag(nullptr, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateEventExWithFlag(nullptr, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEventStatus(event, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtEventElapsedTime(nullptr, event, event), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtEventGetTimestamp(event, nullptr), ACL_ERROR_INVALID_PARAM);
}

}  // namespace
}  // namespace cairn::test
