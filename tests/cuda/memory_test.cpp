#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "cuda/program.h"

// Which memory the GPU's operators, copies and fills take.
namespace cuda_test {
namespace {

class MemoryOnGpu : public OnGpu {};

TEST_F(MemoryOnGpu, OfTheHostIsRefusedBeforeAnythingIsQueued) {
  const Operands device;
  std::vector<float> values = kInput;
  std::vector<std::int32_t> indices = kIndices;
  std::vector<float> out(Gather::kCells, -1);
  const struct {
    Gather call;
    const char* argument;
  } cases[] = {
      {{values.data(), device.indices.address(), device.out.address()}, "gradOutput"},
      {{device.values.address(), indices.data(), device.out.address()}, "indices"},
      {{device.values.address(), device.indices.address(), out.data()}, "out"},
  };
  for (const auto& [call, argument] : cases) {
    EXPECT_EQ(call.run(stream), 161002);
    const std::string message = recent_message();
    EXPECT_NE(message.find(std::string(argument) + "'s data address"), std::string::npos) << message;
    EXPECT_NE(message.find("is host memory"), std::string::npos) << message;
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(out, std::vector<float>(Gather::kCells, -1));
  EXPECT_EQ(device.result(), std::vector<float>(Gather::kCells, 0));
}

TEST_F(MemoryOnGpu, ThatWasFreedIsRefused) {
  const Operands device;
  void* gone = nullptr;
  ASSERT_EQ(cudaMalloc(&gone, 1 << 20), cudaSuccess);
  ASSERT_EQ(cudaFree(gone), cudaSuccess);
  EXPECT_EQ(Gather(gone, device.indices.address(), device.out.address()).run(stream), 161002);
}

TEST_F(MemoryOnGpu, ThatIsPinnedMappedOrManagedServes) {
  void* pinned = nullptr;
  void* managed = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, kInput.size() * sizeof(float)), 0);
  ASSERT_EQ(cudaMallocManaged(&managed, kIndices.size() * sizeof(std::int32_t), cudaMemAttachGlobal),
            cudaSuccess);
  alignas(64) static float registered[Gather::kCells];
  void* mapped = nullptr;
  ASSERT_EQ(aclrtHostRegister(registered, sizeof(registered), ACL_HOST_REGISTER_MAPPED, &mapped), 0);
  std::memcpy(pinned, kInput.data(), kInput.size() * sizeof(float));
  std::memcpy(managed, kIndices.data(), kIndices.size() * sizeof(std::int32_t));
  EXPECT_EQ(Gather(pinned, managed, mapped).run(stream), 0) << recent_message();
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(std::vector<float>(registered, registered + Gather::kCells), kGathered);
  EXPECT_EQ(aclrtHostUnregister(registered), 0);
  EXPECT_EQ(aclrtFreeHost(pinned), 0);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(MemoryOnGpu, OfAnotherAllocatorServes) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, kInput.size() * sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory, kInput.data(), kInput.size() * sizeof(float), cudaMemcpyDefault), cudaSuccess);
  const Operands device;
  EXPECT_EQ(Gather(memory, device.indices.address(), device.out.address()).run(stream), 0)
      << recent_message();
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(device.result(), kGathered);
  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(memory, &attributes), 0);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(MemoryOnGpu, IsFilledWhereTheDeviceKnowsIt) {
  std::vector<unsigned char> own(100, 1);
  EXPECT_EQ(aclrtMemset(own.data(), own.size(), 7, own.size()), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(recent_message().find("is host memory, expected memory of aclrtMalloc"), std::string::npos);
  EXPECT_EQ(aclrtMemsetAsync(own.data(), own.size(), 8, own.size(), stream), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(own, std::vector<unsigned char>(100, 1));
  void* pinned = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, 64), 0);
  EXPECT_EQ(aclrtMemsetD32Async(pinned, 64, 0x01020304, 16, stream), 0) << recent_message();
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(static_cast<std::uint32_t*>(pinned)[15], 0x01020304U);
  EXPECT_EQ(aclrtFreeHost(pinned), 0);
}

// From the first byte to the last in one allocation, also of another allocator.
TEST_F(MemoryOnGpu, PastTheEndOfAForeignAllocationIsRefused) {
  const Operands device;
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 4096), cudaSuccess);
  auto* last = static_cast<std::byte*>(memory) + 4096 - sizeof(float);
  EXPECT_EQ(Gather(last, device.indices.address(), device.out.address()).run(stream), 161002);
  EXPECT_NE(recent_message().find("past its end"), std::string::npos);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(MemoryOnGpu, OfOursThatWasFreedIsRefusedByEveryFunction) {
  const Operands device;
  void* gone = nullptr;
  ASSERT_EQ(aclrtMalloc(&gone, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  ASSERT_EQ(aclrtFree(gone), 0);
  EXPECT_EQ(Gather(gone, device.indices.address(), device.out.address()).run(stream), 161002);
  EXPECT_NE(recent_message().find("has been freed"), std::string::npos);
  char own[64] = {};
  for (const aclrtMemcpyKind kind :
       {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEFAULT}) {
    EXPECT_EQ(aclrtMemcpy(gone, 64, own, 64, kind), ACL_ERROR_RT_PARAM_INVALID) << kind;
    EXPECT_EQ(aclrtMemcpyAsync(own, 64, gone, 64, kind, stream), ACL_ERROR_RT_PARAM_INVALID) << kind;
  }
  EXPECT_EQ(aclrtMemset(gone, 64, 1, 64), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
}

// The stream is held by a host function while all that its work needs is freed and allocated again.
TEST_F(MemoryOnGpu, FreedWithWorkQueuedLivesUntilThatIsDone) {
  std::atomic<bool> go{false};
  const auto hold = [](void* flag) {
    while (!static_cast<std::atomic<bool>*>(flag)->load()) std::this_thread::yield();
  };
  constexpr std::size_t kSize = std::size_t{64} << 20;
  void* from = nullptr;
  void* between = nullptr;
  void* pinned = nullptr;
  ASSERT_EQ(aclrtMalloc(&from, kSize, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  ASSERT_EQ(aclrtMalloc(&between, kSize, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  ASSERT_EQ(aclrtMallocHost(&pinned, kSize), 0);
  ASSERT_EQ(aclrtMemset(from, kSize, 5, kSize), 0);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, hold, &go), 0);
  ASSERT_EQ(aclrtMemcpyAsync(between, kSize, from, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 0);
  ASSERT_EQ(aclrtMemcpyAsync(pinned, kSize, between, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
  EXPECT_EQ(aclrtFree(from), 0) << recent_message();
  EXPECT_EQ(aclrtFree(between), 0) << recent_message();
  for (int i = 0; i < 4; ++i) {
    void* other = nullptr;
    ASSERT_EQ(aclrtMalloc(&other, kSize, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    ASSERT_EQ(aclrtMemset(other, kSize, 9, kSize), 0);
    ASSERT_EQ(aclrtFree(other), 0);
  }
  go = true;
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  const auto* bytes = static_cast<const unsigned char*>(pinned);
  EXPECT_TRUE(std::all_of(bytes, bytes + kSize, [](unsigned char byte) { return byte == 5; }));
  EXPECT_EQ(aclrtFreeHost(pinned), 0);
}

TEST_F(MemoryOnGpu, IsGivenBackWhenFreed) {
  std::size_t free_before = 0;
  std::size_t free_between = 0;
  std::size_t free_after = 0;
  std::size_t total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_before, &total), 0);
  constexpr std::size_t kSize = std::size_t{1} << 30;
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_between, &total), 0);
  EXPECT_LE(free_between, free_before - kSize);
  ASSERT_EQ(aclrtFree(memory), 0);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_after, &total), 0);
  EXPECT_EQ(free_after, free_before);
}

}  // namespace
}  // namespace cuda_test
