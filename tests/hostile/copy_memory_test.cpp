#include <algorithm>
#include <array>
#include <cstring>

#include "hostile/support.h"

// Copies and fills whose device side is no live block of memory: refused, and nothing is touched.
namespace hostile_test {
namespace {

constexpr std::size_t kBytes = 256;
constexpr std::size_t kBig = std::size_t{4} << 20;
constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr std::array kToDevice = {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE};
constexpr std::array kFromDevice = {ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE};

std::byte* device_memory(std::size_t bytes, int value = 0x55) {
  void* memory = nullptr;
  if (aclrtMalloc(&memory, bytes, kPolicy) != 0 || aclrtMemset(memory, bytes, value, bytes) != 0)
    return nullptr;
  return static_cast<std::byte*>(memory);
}

// Every way to copy `bytes` bytes.
using Copy = aclError (*)(void* to, const void* from, std::size_t bytes, aclrtMemcpyKind kind);
constexpr std::array<Copy, 4> kCopies = {
    [](void* to, const void* from, std::size_t bytes, aclrtMemcpyKind kind) {
      return aclrtMemcpy(to, bytes, from, bytes, kind);
    },
    [](void* to, const void* from, std::size_t bytes, aclrtMemcpyKind kind) {
      return aclrtMemcpyAsync(to, bytes, from, bytes, kind, nullptr);
    },
    [](void* to, const void* from, std::size_t bytes, aclrtMemcpyKind kind) {
      return aclrtMemcpy2d(to, bytes / 4, from, bytes / 4, bytes / 4, 4, kind);
    },
    [](void* to, const void* from, std::size_t bytes, aclrtMemcpyKind kind) {
      return aclrtMemcpy2dAsync(to, bytes / 4, from, bytes / 4, bytes / 4, 4, kind, nullptr);
    },
};
constexpr std::size_t kPlainCopies = 2;  // the others are 2D, which know fewer kinds

using Fill = aclError (*)(void* to, std::size_t bytes);
constexpr std::array<Fill, 4> kFills = {
    [](void* to, std::size_t bytes) { return aclrtMemset(to, bytes, 0x77, bytes); },
    [](void* to, std::size_t bytes) { return aclrtMemsetAsync(to, bytes, 0x77, bytes, nullptr); },
    [](void* to, std::size_t bytes) { return aclrtMemsetD32(to, bytes, 0x77777777, bytes / 4); },
    [](void* to, std::size_t bytes) {
      return aclrtMemsetD32Async(to, bytes, 0x77777777, bytes / 4, nullptr);
    },
};

using Words = std::initializer_list<const char*>;

// Refused as 107000, with a message that names the argument, the address and what is there.
int refused(aclError status, const char* argument, const void* address, Words words) {
  const std::string message = api_test::recent_message();
  CHILD_TRUE(status == kInvalidArgument, std::to_string(status) + " for " + argument + ": " + message);
  CHILD_TRUE(message_names(message, argument, address, words), message);
  return 0;
}

constexpr Words kNothing = {"no memory", "nothing", "not "};

bool is(const void* memory, std::size_t bytes, unsigned char value) {
  const auto* at = static_cast<const unsigned char*>(memory);
  return std::all_of(at, at + bytes, [&](unsigned char byte) { return byte == value; });
}

bool device_is(const void* memory, std::size_t bytes, unsigned char value) {
  std::vector<unsigned char> content(bytes);
  return aclrtMemcpy(content.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0 &&
         is(content.data(), bytes, value);
}

// The other end of copies, which is all right. Made once, and before any block is freed that it might be.
std::byte* other_end() {
  static std::byte* const memory = device_memory(kBytes);
  return memory;
}

// No way to copy or fill takes `address` as its device side.
int nothing_takes(void* address, Words words) {
  std::array<unsigned char, kBytes> host{};
  std::byte* other = other_end();
  for (std::size_t i = 0; i < kCopies.size(); ++i) {
    for (const aclrtMemcpyKind kind : kToDevice) {
      if (i >= kPlainCopies && kind != ACL_MEMCPY_HOST_TO_DEVICE) continue;
      const void* from = kind == ACL_MEMCPY_DEVICE_TO_DEVICE ? static_cast<void*>(other) : host.data();
      if (const int code = refused(kCopies[i](address, from, kBytes, kind), "dst", address, words))
        return code;
    }
    for (const aclrtMemcpyKind kind : kFromDevice) {
      if (i >= kPlainCopies && kind != ACL_MEMCPY_DEVICE_TO_HOST) continue;
      void* to = kind == ACL_MEMCPY_DEVICE_TO_DEVICE ? static_cast<void*>(other) : host.data();
      if (const int code = refused(kCopies[i](to, address, kBytes, kind), "src", address, words)) return code;
    }
  }
  for (const Fill fill : kFills) {
    if (const int code = refused(fill(address, kBytes), "devPtr", address, words)) return code;
  }
  CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
  CHILD_TRUE(is(host.data(), kBytes, 0) && device_is(other, kBytes, 0x55), "something was copied");
  return 0;
}

TEST(CopiesAndFills, ThatStartBeforeABlockAreRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::byte* block = device_memory(kBytes);
    CHILD_EXPECT(nothing_takes(block - 16, {"allocation"}), 0);
    CHILD_TRUE(device_is(block, kBytes, 0x55), "the block was written");
    return 0;
  });
}

TEST(CopiesAndFills, ThatStartBeforeABlockAndEndPastItAreRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::byte* block = device_memory(64);
    CHILD_EXPECT(nothing_takes(block - 64, {"allocation"}), 0);
    CHILD_TRUE(device_is(block, 64, 0x55), "the block was written");
    return 0;
  });
}

TEST(CopiesAndFills, ThatEndPastABlockAreRefused) {
  for (const std::size_t bytes : {kBytes, kBig}) {
    expect_in_child([&] {
      CHILD_TRUE(start(), "no device");
      std::byte* block = device_memory(bytes);
      CHILD_EXPECT(nothing_takes(block + bytes - 64, {"allocation"}), 0);
      CHILD_TRUE(device_is(block, bytes, 0x55), "the block was written");
      return 0;
    });
  }
}

TEST(CopiesAndFills, OverTwoBlocksAreRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::array<std::byte*, 16> blocks{};
    for (std::byte*& block : blocks) block = device_memory(kBytes);
    std::sort(blocks.begin(), blocks.end());
    for (std::byte* block : blocks) CHILD_EXPECT(nothing_takes(block + kBytes / 2, {"allocation"}), 0);
    for (std::byte* block : blocks) CHILD_TRUE(device_is(block, kBytes, 0x55), "a block was written");
    return 0;
  });
}

TEST(CopiesAndFills, OfFreedMemoryAreRefused) {
  for (const std::size_t bytes : {kBytes, kBig}) {
    expect_in_child([&] {
      CHILD_TRUE(start(), "no device");
      std::byte* block = device_memory(bytes);
      CHILD_TRUE(other_end() != nullptr, "no memory");
      CHILD_EXPECT(aclrtFree(block), 0);
      std::vector<std::vector<unsigned char>> own(64, std::vector<unsigned char>(bytes, 'x'));
      CHILD_EXPECT(nothing_takes(block, {"freed"}), 0);
      CHILD_EXPECT(refused(aclrtMemset(block, kBytes, 1, kBytes), "devPtr", block, {"freed"}), 0);
      for (const auto& object : own) CHILD_TRUE(is(object.data(), bytes, 'x'), "an object was written");
      return 0;
    });
  }
}

// Whatever a program says that freed device memory is.
TEST(Copies, IntoFreedMemoryAreRefusedWithEveryKind) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::array<unsigned char, kBytes> host{};
    std::byte* block = device_memory(kBytes);
    CHILD_EXPECT(aclrtFree(block), 0);
    for (const aclrtMemcpyKind kind :
         {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
          ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE}) {
      const aclError status = aclrtMemcpy(block, kBytes, host.data(), kBytes, kind);
      CHILD_TRUE(status == kInvalidArgument, "kind " + std::to_string(kind) + ": " + std::to_string(status));
    }
    for (const aclrtMemcpyKind kind : {ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEFAULT}) {
      for (const Copy copy : kCopies) {
        CHILD_EXPECT(refused(copy(host.data(), block, kBytes, kind), "src", block, {"freed"}), 0);
        CHILD_EXPECT(copy(block, host.data(), kBytes, kind), kInvalidArgument);
      }
    }
    return 0;
  });
}

TEST(CopiesAndFills, OfMadeUpAddressesAreRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    // NOLINTBEGIN(performance-no-int-to-ptr): made-up addresses are the point
    CHILD_EXPECT(nothing_takes(reinterpret_cast<void*>(std::uintptr_t{0x1000}), kNothing), 0);
    CHILD_EXPECT(nothing_takes(reinterpret_cast<void*>(~std::uintptr_t{0xFFF}), kNothing), 0);
    // NOLINTEND(performance-no-int-to-ptr)
    return nothing_takes(aclCreateDataBuffer(nullptr, 0), kNothing);
  });
}

TEST(CopiesAndFills, WithHostMemoryForTheDeviceSideAreRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::vector<unsigned char> heap(kBytes, 'x');
    alignas(16) unsigned char stack[kBytes];
    std::memset(stack, 'x', kBytes);
    CHILD_EXPECT(nothing_takes(heap.data(), {"host memory"}), 0);
    CHILD_EXPECT(nothing_takes(stack, {"host memory"}), 0);
    CHILD_TRUE(is(heap.data(), kBytes, 'x') && is(stack, kBytes, 'x'), "it was written");
    return 0;
  });
}

alignas(16) const std::array<unsigned char, kBytes> kReadOnly = {1};

TEST(Fills, OfConstMemoryAreRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    auto* memory = const_cast<unsigned char*>(kReadOnly.data());
    for (const Fill fill : kFills)
      CHILD_EXPECT(refused(fill(memory, kBytes), "devPtr", memory, {"host memory"}), 0);
    return 0;
  });
}

// CANN corrects a kind whose sides are swapped.
TEST(Copies, WithHostAndDeviceSwappedAreCorrected) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    for (const Copy copy : kCopies) {
      std::byte* block = device_memory(kBytes);
      std::vector<unsigned char> host(kBytes, 0);
      CHILD_EXPECT(copy(host.data(), block, kBytes, ACL_MEMCPY_HOST_TO_DEVICE), 0);
      CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
      CHILD_TRUE(is(host.data(), kBytes, 0x55), "not copied from the device");
      std::fill(host.begin(), host.end(), 0x66);
      CHILD_EXPECT(copy(block, host.data(), kBytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
      CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
      CHILD_TRUE(device_is(block, kBytes, 0x66), "not copied to the device");
    }
    return 0;
  });
}

TEST(Copies, OfTheDefaultKindGoByTheAddresses) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    for (const Copy copy : kCopies) {
      std::byte* block = device_memory(kBytes);
      std::vector<unsigned char> host(kBytes, 0x66);
      CHILD_EXPECT(copy(block, host.data(), kBytes, ACL_MEMCPY_DEFAULT), 0);
      CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
      CHILD_TRUE(device_is(block, kBytes, 0x66), "not copied to the device");
      std::fill(host.begin(), host.end(), 0);
      CHILD_EXPECT(copy(host.data(), block, kBytes, ACL_MEMCPY_DEFAULT), 0);
      CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
      CHILD_TRUE(is(host.data(), kBytes, 0x66), "not copied from the device");
    }
    return 0;
  });
}

// Pinned and registered memory may stand on either side.
TEST(CopiesAndFills, TakePinnedAndRegisteredMemory) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    void* pinned = nullptr;
    void* registered = nullptr;
    std::vector<unsigned char> own(kBytes, 0);
    std::vector<unsigned char> host(kBytes, 0x66);
    CHILD_EXPECT(aclrtMallocHost(&pinned, kBytes), 0);
    CHILD_EXPECT(aclrtHostRegister(own.data(), kBytes, ACL_HOST_REGISTER_MAPPED, &registered), 0);
    for (void* memory : {pinned, registered}) {
      for (const Copy copy : kCopies) {
        CHILD_EXPECT(copy(memory, host.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), 0);
        CHILD_EXPECT(copy(host.data(), memory, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
        CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
        CHILD_TRUE(is(memory, kBytes, 0x66), "not copied");
      }
      for (const Fill fill : kFills) {
        std::memset(memory, 0, kBytes);
        CHILD_EXPECT(fill(memory, kBytes), 0);
        CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
        CHILD_TRUE(is(memory, kBytes, 0x77), "not filled");
      }
    }
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test
