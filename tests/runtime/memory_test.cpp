#include <cstdint>
#include <vector>

#include "runtime/support.h"

namespace cairn::test {
namespace {

using Bytes = std::vector<unsigned char>;

class Memory : public WithDevice {
 protected:
  static void* allocate(std::size_t size) {
    void* pointer = nullptr;
    EXPECT_EQ(aclrtMalloc(&pointer, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return pointer;
  }
};

TEST_F(Memory, IsZeroedAlignedAndRoundedUp) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33}, std::size_t{4096},
        (std::size_t{2} << 20) - 63, (std::size_t{2} << 20) + 1, std::size_t{5} << 20}) {
    void* pointer = allocate(size);
    ASSERT_NE(pointer, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % 64, 0U) << size;
    const auto found = cairn_runtime_bridge().find_allocation(pointer, 1);
    ASSERT_TRUE(found);
    EXPECT_GE(found->usable, (size + 63) / 32 * 32);
    EXPECT_EQ(bytes_at(pointer, found->usable), Bytes(found->usable, 0)) << size;
    EXPECT_EQ(aclrtMemset(pointer, found->usable, 0xFF, found->usable), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  }
}

TEST_F(Memory, IsZeroedWhenItIsUsedAgain) {
  for (int round = 0; round < 64; ++round) {
    void* pointer = allocate(100);
    ASSERT_EQ(bytes_at(pointer, 128), Bytes(128, 0));
    EXPECT_EQ(aclrtMemset(pointer, 128, 0xAB, 128), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  }
}

TEST_F(Memory, EveryPolicyAndFormOfMallocWorks) {
  for (const int policy : {0, 1, 2, 3, 4, 5, 6, 7, 0x100, 0x1000, 0x100000, 12345}) {
    void* pointer = nullptr;
    EXPECT_EQ(aclrtMalloc(&pointer, 8, static_cast<aclrtMemMallocPolicy>(policy)), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  }
  void* pointer = nullptr;
  EXPECT_EQ(aclrtMallocAlign32(&pointer, 33, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_GE(cairn_runtime_bridge().find_allocation(pointer, 1)->usable, 64U);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtMallocCached(&pointer, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  aclrtMallocConfig config{nullptr, 0};
  EXPECT_EQ(aclrtMallocWithCfg(&pointer, 8, ACL_MEM_MALLOC_HUGE_FIRST, &config), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtMallocWithCfg(&pointer, 8, ACL_MEM_MALLOC_HUGE_FIRST, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeWithDevSync(pointer), ACL_SUCCESS);
  config.numAttrs = 1;
  EXPECT_EQ(aclrtMallocWithCfg(&pointer, 8, ACL_MEM_MALLOC_HUGE_FIRST, &config), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Memory, NullAndZeroAreRefused) {
  void* pointer = nullptr;
  EXPECT_EQ(aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMalloc(&pointer, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocHost(nullptr, 8), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocHost(&pointer, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeWithDevSync(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeHost(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Memory, MoreThanThereIsIsRefused) {
  for (const std::size_t size : {std::size_t{1} << 60, SIZE_MAX, SIZE_MAX - 64, SIZE_MAX / 2}) {
    void* pointer = nullptr;
    EXPECT_EQ(aclrtMalloc(&pointer, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EXPECT_EQ(aclrtMallocHost(&pointer, size), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EXPECT_EQ(pointer, nullptr);
  }
}

TEST_F(Memory, ForeignAndFreedPointersAreRefused) {
  char own = 0;
  EXPECT_EQ(aclrtFree(&own), ACL_ERROR_RT_PARAM_INVALID);
  auto* pointer = static_cast<char*>(allocate(64));
  EXPECT_EQ(aclrtFree(pointer + 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFreeHost(pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(pointer), ACL_ERROR_RT_PARAM_INVALID);
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 64), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(host), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(host), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(Memory, IsFreedWithoutAContext) {
  void* pointer = allocate(64);
  std::thread([&] { EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS); }).join();
}

TEST_F(Memory, OutlivesTheDevice) {
  void* pointer = allocate(64);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(pointer, 64, 1, 64), ACL_SUCCESS);
  EXPECT_EQ(bytes_at(pointer, 64), Bytes(64, 1));
  EXPECT_EQ(aclrtFree(pointer), ACL_SUCCESS);
}

TEST_F(Memory, PointerAttributesSayWhereItLies) {
  void* device = allocate(64);
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 64), ACL_SUCCESS);
  char own[64];
  const auto type_of = [](const void* pointer) {
    aclrtPtrAttributes attributes{};
    EXPECT_EQ(aclrtPointerGetAttributes(pointer, &attributes), ACL_SUCCESS);
    return attributes.location.type;
  };
  EXPECT_EQ(type_of(static_cast<char*>(device) + 63), ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(type_of(host), ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(type_of(own), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  void* mapped = nullptr;
  ASSERT_EQ(aclrtHostRegister(own, sizeof(own), ACL_HOST_REGISTER_MAPPED, &mapped), ACL_SUCCESS);
  EXPECT_EQ(mapped, own);
  EXPECT_EQ(type_of(own + 1), ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(cairn_runtime_bridge().find_allocation(own, 1)->kind, MemoryKind::kRegistered);
  EXPECT_EQ(aclrtHostRegister(own + 8, 8, ACL_HOST_REGISTER_MAPPED, &mapped), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostUnregister(own + 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostUnregister(own), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(own), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(type_of(own), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(nullptr, &attributes), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPointerGetAttributes(own, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
}

TEST_F(Memory, HostRegisterArguments) {
  char own[8];
  void* mapped = nullptr;
  EXPECT_EQ(aclrtHostRegister(nullptr, 8, ACL_HOST_REGISTER_MAPPED, &mapped), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostRegister(own, 0, ACL_HOST_REGISTER_MAPPED, &mapped), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostRegister(own, 8, ACL_HOST_REGISTER_MAPPED, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostRegister(own, 8, static_cast<aclrtHostRegisterType>(1), &mapped),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtHostRegister(own, UINT64_MAX, ACL_HOST_REGISTER_MAPPED, &mapped),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtHostUnregister(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(Memory, InfoIsPlausible) {
  std::size_t free = 0;
  std::size_t total = 0;
  for (const aclrtMemAttr attribute : {ACL_DDR_MEM, ACL_HBM_MEM}) {
    ASSERT_EQ(aclrtGetMemInfo(attribute, &free, &total), ACL_SUCCESS);
    EXPECT_GT(free, 0U);
    EXPECT_GE(total, free);
  }
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM_P2P_HUGE1G, &free, &total), ACL_SUCCESS);
  EXPECT_EQ(free + total, 0U);
  for (const int bad : {-1, 18}) {
    EXPECT_EQ(aclrtGetMemInfo(static_cast<aclrtMemAttr>(bad), &free, &total),
              ACL_ERROR_RT_INVALID_MEMORY_TYPE);
  }
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &total), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, nullptr), ACL_ERROR_INVALID_PARAM);
}

}  // namespace
}  // namespace cairn::test
