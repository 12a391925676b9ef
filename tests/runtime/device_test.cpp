#include "runtime/fake_kernel.h"
#include "runtime/support.h"

namespace cairn::test {
namespace {

// Threads start without a device; a thread of its own keeps the tests apart.
template <typename Body>
void on_new_thread(Body body) {
  std::thread(body).join();
}

TEST(Device, CountIsOneWithoutSettingAnything) {
  uint32_t count = 99;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(aclrtGetDeviceCount(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(Device, BadIdIsRefused) {
  for (const int32_t id : {-1, 1, 4096}) {
    EXPECT_EQ(aclrtSetDevice(id), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtResetDevice(id), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtResetDeviceForce(id), ACL_ERROR_RT_INVALID_DEVICEID);
    aclrtContext context = nullptr;
    EXPECT_EQ(aclrtCreateContext(&context, id), ACL_ERROR_RT_INVALID_DEVICEID);
  }
  EXPECT_NE(pending_text().find("deviceId is 4096, expected 0 to 0"), std::string::npos);
}

TEST(Device, CallsThatNeedOneSayNoContext) {
  on_new_thread([] {
    int32_t device = 0;
    void* pointer = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    aclrtContext context = nullptr;
    int64_t value = 0;
    std::size_t free = 0;
    std::size_t total = 0;
    char from = 1;
    char to = 0;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMalloc(&pointer, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMallocHost(&pointer, 1), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemcpy(&to, 1, &from, 1, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemset(&to, 1, 0, 1), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), ACL_ERROR_RT_CONTEXT_NULL);
    const cairn::test::FakeKernel kernel{
        "aclnnNothing", [](const void*, Workers&) -> std::optional<IndexFault> { return {}; }};
    EXPECT_EQ(cairn_runtime_bridge().launch(nullptr, {kernel, &to, 1}), ACL_ERROR_RT_CONTEXT_NULL);
  });
}

TEST(Device, ReferencesAreCounted) {
  on_new_thread([] {
    int32_t device = -1;
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
    EXPECT_EQ(aclrtGetDevice(nullptr), ACL_ERROR_INVALID_PARAM);
  });
}

TEST(Device, ForceResetEndsAllReferences) {
  on_new_thread([] {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDeviceForce(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  });
}

TEST(Device, ResetWaitsForWorkAndEndsItsStreams) {
  on_new_thread([] {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    std::atomic<bool> done{false};
    const auto late = [](void* flag) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      static_cast<std::atomic<bool>*>(flag)->store(true);
    };
    ASSERT_EQ(aclrtLaunchHostFunc(stream, late, &done), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_TRUE(done);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  });
}

TEST(Device, ContextThatAnotherThreadEndedIsNoContext) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  on_new_thread([] { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); });
  void* pointer = nullptr;
  EXPECT_EQ(aclrtMalloc(&pointer, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST_F(WithDevice, InfoAndStatus) {
  int64_t value = 0;
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value), ACL_SUCCESS);
  EXPECT_GT(value, int64_t{1} << 20);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value), ACL_SUCCESS);
  EXPECT_GE(value, 1);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_IS_VIRTUAL, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_L2_CACHE_SIZE, &value), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &value), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(103), &value), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_IS_VIRTUAL, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetDeviceInfo(7, ACL_DEV_ATTR_IS_VIRTUAL, &value), ACL_ERROR_RT_INVALID_DEVICEID);
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_ABNORMAL;
  EXPECT_EQ(aclrtQueryDeviceStatus(0, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
  EXPECT_EQ(aclrtQueryDeviceStatus(0, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryDeviceStatus(1, &status), ACL_ERROR_RT_INVALID_DEVICEID);
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_HOST);
  EXPECT_EQ(aclrtGetRunMode(nullptr), ACL_ERROR_INVALID_PARAM);
  int32_t least = -1;
  int32_t greatest = -1;
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(&least, &greatest), ACL_SUCCESS);
  EXPECT_EQ(least, 7);
  EXPECT_EQ(greatest, 0);
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(nullptr, &greatest), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(&least, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(WithDevice, TheDevicesOwnContextCannotBeDestroyed) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(Context, WorksWithoutSetDeviceAndIsCurrent) {
  on_new_thread([] {
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    aclrtContext current = nullptr;
    EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    EXPECT_EQ(current, context);
    int32_t device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
    EXPECT_EQ(device, 0);
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  });
}

TEST(Context, NullAndStaleHandles) {
  on_new_thread([] {
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(context), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtSetCurrentContext(made_up()), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtDestroyContext(made_up()), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtCreateContext(nullptr, 0), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtDestroyContext(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtSetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtGetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(nullptr), ACL_ERROR_INVALID_PARAM);
  });
}

TEST(Context, IsSharedBetweenThreads) {
  on_new_thread([] {
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    on_new_thread([&] {
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_CONTEXT_NULL);
      EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    });
    EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  });
}

TEST(Context, StreamOfAnotherContextIsRefused) {
  on_new_thread([] {
    aclrtContext first = nullptr;
    aclrtContext second = nullptr;
    ASSERT_EQ(aclrtCreateContext(&first, 0), ACL_SUCCESS);
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateContext(&second, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT_EQ(aclrtSetCurrentContext(first), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(first), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(second), ACL_SUCCESS);
  });
}

TEST(SysParam, ContextValueIsUnsetAtFirstAndOverwritesTheProcess) {
  on_new_thread([] {
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    int64_t value = -1;
    EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
    ASSERT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 3), ACL_SUCCESS);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 3);
    EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 3);
    ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 3);
    EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  });
}

TEST_F(WithDevice, SysParamRanges) {
  int64_t value = -1;
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 0), ACL_SUCCESS);
  const auto unknown = static_cast<aclSysParamOpt>(4);
  EXPECT_EQ(aclrtSetSysParamOpt(unknown, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetSysParamOpt(unknown, &value), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), ACL_ERROR_INVALID_PARAM);
  for (const int64_t bad : {-1, 4}) {
    EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, bad), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, bad), ACL_ERROR_RT_PARAM_INVALID);
  }
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, 2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, 2), ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
}  // namespace cairn::test
