#include <atomic>
#include <chrono>
#include <thread>

#include "cuda/program.h"
#include "runtime/support.h"

// Streams of the program's own, CPU streams beside the GPU's, and what streams tell.
namespace cuda_test {
namespace {

using cairn::test::Gate;

constexpr aclError kIndexFault = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;

// A CUDA stream that the test owns, and its wrapper.
class WrappedStream : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cairnWrapCudaStream(raw, 0, &wrapped), 0) << recent_message();
  }
  void TearDown() override {
    if (raw != nullptr) {
      if (wrapped != nullptr) {
        EXPECT_EQ(aclrtDestroyStream(wrapped), 0);
      }
      EXPECT_EQ(cudaStreamDestroy(raw), cudaSuccess);
    }
    OnGpu::TearDown();
  }

  cudaStream_t raw = nullptr;
  aclrtStream wrapped = nullptr;
};

TEST_F(WrappedStream, KeepsTheOrderOfBothSides) {
  const Operands device;
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, Gather::kCells * sizeof(float)), cudaSuccess);
  const std::vector<float> doubled{0, 20, 40, 60, 80, 100, 120, 140};
  ASSERT_EQ(cudaMemcpyAsync(device.values.address(), doubled.data(), doubled.size() * sizeof(float),
                            cudaMemcpyHostToDevice, raw),
            cudaSuccess);
  EXPECT_EQ(device.call.run(wrapped), 0) << recent_message();
  ASSERT_EQ(cudaMemcpyAsync(pinned, device.out.address(), Gather::kCells * sizeof(float),
                            cudaMemcpyDeviceToHost, raw),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(raw), cudaSuccess);
  const auto* cells = static_cast<const float*>(pinned);
  EXPECT_EQ(std::vector<float>(cells, cells + Gather::kCells), (std::vector<float>{140, 0, 60, 20}));
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(WrappedStream, IsLeftAloneByDestroy) {
  EXPECT_EQ(aclrtDestroyStream(wrapped), 0);
  wrapped = nullptr;
  EXPECT_EQ(cudaStreamSynchronize(raw), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(raw), cudaSuccess);
}

TEST_F(WrappedStream, NeedsNoCurrentContext) {
  const Operands device;
  std::thread([&] {
    EXPECT_EQ(device.call.run(wrapped), 0) << recent_message();
    EXPECT_EQ(aclrtSynchronizeStream(wrapped), 0);
  }).join();
  EXPECT_EQ(device.result(), kGathered);
}

TEST_F(WrappedStream, MayBeTheLegacyDefaultStream) {
  aclrtStream legacy = nullptr;
  ASSERT_EQ(cairnWrapCudaStream(nullptr, 0, &legacy), 0) << recent_message();
  const Operands device;
  EXPECT_EQ(device.call.run(legacy), 0) << recent_message();
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(device.result(), kGathered);
  EXPECT_EQ(aclrtDestroyStream(legacy), 0);
}

TEST_F(WrappedStream, TellsOfAFaultAtTheNextCall) {
  const Operands wrong(kWrongIndices);
  const Operands right;
  ASSERT_EQ(wrong.call.run(wrapped), 0) << recent_message();
  ASSERT_EQ(cudaStreamSynchronize(raw), cudaSuccess);
  EXPECT_NE(right.call.run(wrapped), 0);
  const std::string message = recent_message();
  EXPECT_NE(message.find("indices[2] is 9, expected 0 to 7"), std::string::npos) << message;
  EXPECT_EQ(right.call.run(wrapped), 0) << recent_message();
  EXPECT_EQ(aclrtSynchronizeStream(wrapped), 0);
  EXPECT_EQ(right.result(), kGathered);
}

TEST_F(WrappedStream, TellsOfAFaultAtASynchronise) {
  const Operands wrong(kWrongIndices);
  ASSERT_EQ(wrong.call.run(wrapped), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), kIndexFault);
  EXPECT_EQ(aclrtSynchronizeStream(wrapped), 0);
}

TEST_F(WrappedStream, NeedsADeviceAndAPlaceForTheHandle) {
  aclrtStream none = nullptr;
  EXPECT_EQ(cairnWrapCudaStream(raw, 99, &none), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(cairnWrapCudaStream(raw, 0, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(none, nullptr);
}

class CpuStreamBesideCuda : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(cairnCreateCpuStream(&cpu), 0) << recent_message();
  }
  void TearDown() override {
    if (cpu != nullptr) {
      EXPECT_EQ(aclrtDestroyStream(cpu), 0);
    }
    OnGpu::TearDown();
  }

  aclrtStream cpu = nullptr;
};

TEST_F(CpuStreamBesideCuda, RunsOperatorsOnHostMemory) {
  std::vector<float> out(Gather::kCells);
  const Gather call(kInput.data(), kIndices.data(), out.data());
  EXPECT_EQ(call.run(cpu), 0) << recent_message();
  cairnCallInfo info{};
  EXPECT_EQ(cairnGetLastCall(&info), 0);
  EXPECT_STREQ(info.backend, "cpu");
  EXPECT_EQ(aclrtSynchronizeStream(cpu), 0);
  EXPECT_EQ(out, kGathered);
}

TEST_F(CpuStreamBesideCuda, RefusesMemoryOfTheGpu) {
  const Operands device;
  EXPECT_EQ(device.call.run(cpu), 161002);
  std::string message = recent_message();
  EXPECT_NE(message.find("gradOutput's data address"), std::string::npos) << message;
  EXPECT_NE(message.find("memory of device 0, which the CPU cannot reach"), std::string::npos) << message;
  void* foreign = nullptr;
  ASSERT_EQ(cudaMalloc(&foreign, 64), cudaSuccess);
  char own[64] = {};
  EXPECT_EQ(aclrtMemcpyAsync(own, 64, foreign, 64, ACL_MEMCPY_DEFAULT, cpu), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyAsync(foreign, 64, own, 64, ACL_MEMCPY_DEFAULT, cpu), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(device.out.address(), 4, 0, 4, cpu), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(cudaFree(foreign), cudaSuccess);
  EXPECT_EQ(aclrtSynchronizeStream(cpu), 0);
}

TEST_F(CpuStreamBesideCuda, HasNoEventsOfTheGpu) {
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  EXPECT_EQ(aclrtRecordEvent(event, cpu), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_NE(recent_message().find("is one of the cuda backend"), std::string::npos);
  ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
  EXPECT_EQ(aclrtStreamWaitEvent(cpu, event), ACL_ERROR_RT_STREAM_CONTEXT);
  EXPECT_EQ(aclrtSynchronizeEvent(event), 0);
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
}

class StreamOnGpu : public OnGpu {};

TEST_F(StreamOnGpu, SaysWhatACallGot) {
  const Operands device;
  ASSERT_EQ(device.call.run(stream), 0);
  cairnCallInfo info{};
  ASSERT_EQ(cairnGetLastCall(&info), 0);
  EXPECT_STREQ(info.operatorName, "aclnnMaxUnpool3dBackward");
  EXPECT_STREQ(info.product, "portable");
  EXPECT_STREQ(info.backend, "cuda");
  EXPECT_EQ(info.deviceId, 0);
  EXPECT_STREQ(info.kernel, "dense");
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
}

TEST_F(StreamOnGpu, AnEventCoversTheFaultsBeforeIt) {
  const Operands wrong(kWrongIndices);
  const Operands worse({0, -7, 0, 0});
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), 0);
  ASSERT_EQ(wrong.call.run(stream), 0);
  ASSERT_EQ(aclrtRecordEvent(event, stream), 0);
  ASSERT_EQ(worse.call.run(stream), 0);
  EXPECT_EQ(aclrtSynchronizeEvent(event), kIndexFault);
  EXPECT_NE(recent_message().find("aclnnMaxUnpool3dBackward: indices[2] is 9"), std::string::npos);
  EXPECT_EQ(aclrtSynchronizeEvent(event), 0);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 30000), kIndexFault);
  EXPECT_NE(recent_message().find("indices[1] is -7"), std::string::npos);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(aclrtDestroyEvent(event), 0);
}

TEST_F(StreamOnGpu, FaultsBeyondTheLogAreForgottenNotWritten) {
  const Operands wrong(kWrongIndices);
  for (int i = 0; i < 500; ++i) ASSERT_EQ(wrong.call.run(stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kIndexFault);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  ASSERT_EQ(wrong.call.run(stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kIndexFault);
}

TEST_F(StreamOnGpu, PinnedCopiesReturnBeforeTheyAreDone) {
  constexpr std::size_t kSize = std::size_t{64} << 20;
  void* pinned = nullptr;
  void* device = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, kSize), 0);
  ASSERT_EQ(aclrtMalloc(&device, kSize, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), 0);
  ASSERT_EQ(aclrtMemsetAsync(device, kSize, 0x5A, kSize, stream), 0);
  ASSERT_EQ(aclrtMemcpyAsync(pinned, kSize, device, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
  aclrtStreamStatus status{};
  ASSERT_EQ(aclrtStreamQuery(stream, &status), 0);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  EXPECT_EQ(static_cast<unsigned char*>(pinned)[kSize - 1], 0);
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(static_cast<unsigned char*>(pinned)[kSize - 1], 0x5A);
  EXPECT_EQ(aclrtFree(device), 0);
  EXPECT_EQ(aclrtFreeHost(pinned), 0);
}

TEST_F(StreamOnGpu, EventsTellTheGpusTime) {
  constexpr std::size_t kSize = std::size_t{1} << 30;
  void* device = nullptr;
  aclrtEvent begin = nullptr;
  aclrtEvent end = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, kSize, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  ASSERT_EQ(aclrtCreateEvent(&begin), 0);
  ASSERT_EQ(aclrtCreateEvent(&end), 0);
  ASSERT_EQ(aclrtRecordEvent(begin, stream), 0);
  ASSERT_EQ(aclrtMemsetAsync(device, kSize, 1, kSize, stream), 0);
  ASSERT_EQ(aclrtRecordEvent(end, stream), 0);
  ASSERT_EQ(aclrtSynchronizeEvent(end), 0);
  float ms = 0;
  ASSERT_EQ(aclrtEventElapsedTime(&ms, begin, end), 0);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  ASSERT_EQ(aclrtEventGetTimestamp(begin, &first), 0);
  ASSERT_EQ(aclrtEventGetTimestamp(end, &last), 0);
  EXPECT_GT(ms, 0.0F);  // a GiB is not written in no time
  EXPECT_NEAR(static_cast<double>(last - first), static_cast<double>(ms) * 1000, 10);
  EXPECT_EQ(aclrtDestroyEvent(begin), 0);
  EXPECT_EQ(aclrtDestroyEvent(end), 0);
  EXPECT_EQ(aclrtFree(device), 0);
}

}  // namespace
}  // namespace cuda_test
