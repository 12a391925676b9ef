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

TEST_F(MemoryOnGpu, OfTheHostIsFilledToo) {
  std::vector<unsigned char> own(100, 1);
  EXPECT_EQ(aclrtMemset(own.data(), own.size(), 7, own.size()), 0) << recent_message();
  EXPECT_EQ(own, std::vector<unsigned char>(100, 7));
  EXPECT_EQ(aclrtMemsetAsync(own.data(), own.size(), 8, own.size(), stream), 0) << recent_message();
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(own, std::vector<unsigned char>(100, 8));
  void* pinned = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, 64), 0);
  EXPECT_EQ(aclrtMemsetD32Async(pinned, 64, 0x01020304, 16, stream), 0) << recent_message();
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(static_cast<std::uint32_t*>(pinned)[15], 0x01020304U);
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
