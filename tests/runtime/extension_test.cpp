#include "runtime/fake_kernel.h"
#include "runtime/support.h"

namespace cairn::test {
namespace {

// What cairn/cairn.h promises on every backend.

const cairn::test::FakeKernel kSeven{"aclnnSeven",
                                     [](const void* plan, Workers&) -> std::optional<IndexFault> {
                                       int* to = nullptr;
                                       std::memcpy(&to, plan, sizeof(to));
                                       *to = 7;
                                       return std::nullopt;
                                     }};

aclError write_seven(aclrtStream stream, int& to) {
  int* plan = &to;
  const auto begin = reinterpret_cast<std::uintptr_t>(&to);
  Operand operand{"out", begin, begin + sizeof(to)};
  return cairn_runtime_bridge().launch(stream,
                                       {kSeven, &plan, sizeof(plan), std::span(&operand, 1), "portable"});
}

template <typename Body>
void on_new_thread(Body body) {
  std::thread(body).join();
}

TEST(CpuStream, NeedsNoDeviceAndServesEveryThread) {
  aclrtStream stream = nullptr;
  on_new_thread([&] { ASSERT_EQ(cairnCreateCpuStream(&stream), ACL_SUCCESS); });
  int value = 0;
  on_new_thread([&] {
    EXPECT_EQ(write_seven(stream, value), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  });
  EXPECT_EQ(value, 7);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(cairnCreateCpuStream(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(CpuStream, CopiesAndRunsHostFunctions) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(cairnCreateCpuStream(&stream), ACL_SUCCESS);
  const int from = 5;
  int to = 0;
  Gate gate;
  EXPECT_EQ(aclrtMemcpyAsync(&to, sizeof(to), &from, sizeof(from), ACL_MEMCPY_DEFAULT, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchHostFunc(stream, Gate::open_it, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(to, 5);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
}

TEST(InlineStream, ComputesOnTheCallingThread) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(cairnCreateInlineCpuStream(&stream), ACL_SUCCESS);
  int value = 0;
  EXPECT_EQ(write_seven(stream, value), ACL_SUCCESS);
  EXPECT_EQ(value, 7);
  std::thread::id where;
  const auto note_thread = [](void* id) { *static_cast<std::thread::id*>(id) = std::this_thread::get_id(); };
  EXPECT_EQ(aclrtLaunchHostFunc(stream, note_thread, &where), ACL_SUCCESS);
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(cairnCreateInlineCpuStream(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(WithDevice, AnInlineStreamWaitsForAnotherInOrder) {
  if (!on_cpu()) GTEST_SKIP() << "the device is another one";
  aclrtStream other = nullptr;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(cairnCreateCpuStream(&other), ACL_SUCCESS);
  ASSERT_EQ(cairnCreateInlineCpuStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  Gate gate;
  EXPECT_EQ(aclrtLaunchHostFunc(other, Gate::wait_at, &gate), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(event, other), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);
  int value = 0;
  EXPECT_EQ(write_seven(stream, value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(WithDevice, ACpuStreamIsCoveredByItsDevice) {
  if (!on_cpu()) GTEST_SKIP() << "the device is another one";
  aclrtStream cpu = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(cairnCreateCpuStream(&cpu), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  int value = 0;
  EXPECT_EQ(write_seven(cpu, value), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordEvent(event, cpu), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(cpu), ACL_SUCCESS);
}

TEST(WrappedStream, NeedsCuda) {
  if (!on_cpu()) GTEST_SKIP() << "there is CUDA";
  aclrtStream stream = nullptr;
  EXPECT_EQ(cairnWrapCudaStream(nullptr, 0, &stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_NE(pending_text().find("has no CUDA streams"), std::string::npos);
  EXPECT_EQ(cairnWrapCudaStream(nullptr, 99, &stream), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(cairnWrapCudaStream(nullptr, 0, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(stream, nullptr);
}

TEST(Description, IsCutToTheRoomThereIs) {
  char text[256];
  ASSERT_EQ(cairnGetDeviceDescription(0, text, sizeof(text)), ACL_SUCCESS);
  const std::string whole = text;
  EXPECT_NE(whole, "");
  ASSERT_EQ(cairnGetDeviceDescription(0, text, 4), ACL_SUCCESS);
  EXPECT_EQ(std::string(text), whole.substr(0, 3));
  ASSERT_EQ(cairnGetDeviceDescription(0, text, 1), ACL_SUCCESS);
  EXPECT_EQ(std::string(text), "");
  EXPECT_EQ(cairnGetDeviceDescription(0, text, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(cairnGetDeviceDescription(0, nullptr, 4), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(cairnGetDeviceDescription(-1, text, 4), ACL_ERROR_RT_INVALID_DEVICEID);
}

TEST(LastCall, IsTheThreadsOwn) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(cairnCreateCpuStream(&stream), ACL_SUCCESS);
  on_new_thread([&] {
    cairnCallInfo info{};
    EXPECT_EQ(cairnGetLastCall(&info), ACL_ERROR_RT_PARAM_INVALID);
    int value = 0;
    ASSERT_EQ(write_seven(stream, value), ACL_SUCCESS);
    ASSERT_EQ(cairnGetLastCall(&info), ACL_SUCCESS);
    EXPECT_STREQ(info.operatorName, "aclnnSeven");
    EXPECT_STREQ(info.product, "portable");
    EXPECT_STREQ(info.backend, "cpu");
    EXPECT_EQ(info.deviceId, 0);
    EXPECT_STREQ(info.kernel, "only, no instruction set");
    EXPECT_EQ(cairnGetLastCall(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  });
  on_new_thread([] {
    cairnCallInfo info{};
    EXPECT_EQ(cairnGetLastCall(&info), ACL_ERROR_RT_PARAM_INVALID);
  });
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

}  // namespace
}  // namespace cairn::test
