#include <sys/mman.h>

#include <cstring>

#include "hostile/support.h"

// Registrations of memory that is not there, is no more there, or never could be.
namespace hostile_test {
namespace {

constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr std::size_t kRange = std::size_t{64} << 20;

void* map(std::size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int refused(void* memory, std::uint64_t size) {
  void* device = memory;
  aclGetRecentErrMsg();
  const aclError status = aclrtHostRegister(memory, size, ACL_HOST_REGISTER_MAPPED, &device);
  const std::string message = api_test::recent_message();
  CHILD_TRUE(status == kInvalidArgument,
             std::to_string(size) + " bytes: " + std::to_string(status) + message);
  CHILD_TRUE(contains(message, address_text(memory)), message);
  CHILD_EXPECT(device == memory, true);
  CHILD_EXPECT(aclrtHostUnregister(memory) != 0, true);
  return 0;
}

TEST(ARegistration, OfFreedDeviceMemoryIsRefused) {
  CPU_ONLY("its addresses are the driver's");
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{4} << 20}) {
      void* memory = nullptr;
      CHILD_EXPECT(aclrtMalloc(&memory, bytes, kPolicy), 0);
      CHILD_EXPECT(aclrtFree(memory), 0);
      CHILD_EXPECT(refused(memory, bytes), 0);
    }
    return 0;
  });
}

TEST(ARegistration, OfMoreThanThereIsIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::vector<char> own(10000);
    for (const std::uint64_t size :
         {std::uint64_t{1} << 62, UINT64_MAX, UINT64_MAX - reinterpret_cast<std::uintptr_t>(own.data()),
          std::uint64_t{1} << 46}) {
      CHILD_EXPECT(refused(own.data(), size), 0);
    }
    void* memory = nullptr;
    CHILD_EXPECT(aclrtMalloc(&memory, 1000, kPolicy), 0);
    CHILD_EXPECT(aclrtFree(memory), 0);
    return 0;
  });
}

TEST(ARegistration, OfAnUnmappedRangeIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    auto* memory = static_cast<std::byte*>(map(kRange));
    munmap(memory, kRange);
    CHILD_EXPECT(refused(memory, kRange), 0);
    CHILD_EXPECT(refused(memory, 1), 0);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a made-up address is the point
    CHILD_EXPECT(refused(reinterpret_cast<void*>(std::uintptr_t{0x1000}), 100), 0);
    return 0;
  });
}

TEST(ARegistration, OfARangeWithAHoleIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    auto* memory = static_cast<std::byte*>(map(kRange));
    munmap(memory + kRange / 2, kRange / 4);
    CHILD_EXPECT(refused(memory, kRange), 0);
    void* device = nullptr;
    CHILD_EXPECT(aclrtHostRegister(memory, kRange / 2, ACL_HOST_REGISTER_MAPPED, &device), 0);
    CHILD_EXPECT(aclrtHostUnregister(memory), 0);
    return 0;
  });
}

// The program unmaps what it has registered: its fault, but no reason for later calls to fail.
TEST(ARegistration, ThatIsStaleStopsNoAllocation) {
  CPU_ONLY("CUDA itself fails where pinned memory was unmapped");
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    void* stale = map(kRange);
    void* device = nullptr;
    CHILD_EXPECT(aclrtHostRegister(stale, kRange, ACL_HOST_REGISTER_MAPPED, &device), 0);
    munmap(stale, kRange);
    std::vector<void*> blocks(64);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::size_t bytes = i % 2 == 0 ? std::size_t{4} << 20 : 1000;
      CHILD_EXPECT(i % 4 < 2 ? aclrtMalloc(&blocks[i], bytes, kPolicy) : aclrtMallocHost(&blocks[i], bytes),
                   0);
      CHILD_EXPECT(aclrtMemset(blocks[i], bytes, 1, bytes), 0);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      CHILD_EXPECT(i % 4 < 2 ? aclrtFree(blocks[i]) : aclrtFreeHost(blocks[i]), 0);
    }
    return 0;
  });
}

// The place may be mapped again, and registered again.
TEST(ARegistration, ThatIsStaleMayBeMadeAgain) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    void* stale = map(kRange);
    void* device = nullptr;
    CHILD_EXPECT(aclrtHostRegister(stale, kRange, ACL_HOST_REGISTER_MAPPED, &device), 0);
    munmap(stale, kRange);
    void* again = mmap(stale, kRange, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    CHILD_EXPECT(again == stale, true);
    CHILD_EXPECT(aclrtHostUnregister(stale), 0);
    CHILD_EXPECT(aclrtHostRegister(again, kRange, ACL_HOST_REGISTER_MAPPED, &device), 0);
    CHILD_EXPECT(aclrtMemset(device, kRange, 7, kRange), 0);
    CHILD_EXPECT(static_cast<unsigned char*>(again)[kRange - 1], 7);
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test
