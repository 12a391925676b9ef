#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/support.h"

namespace cairn::test {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes counting(std::size_t size) {
  Bytes bytes(size);
  unsigned state = 1;
  for (unsigned char& byte : bytes)
    byte = static_cast<unsigned char>((state = state * 1664525U + 1013904223U) >> 24);
  return bytes;
}

class Copy : public WithStream {
 protected:
  void SetUp() override {
    WithStream::SetUp();
    ASSERT_EQ(aclrtMalloc(&device, kSize, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMallocHost(&pinned, kSize), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
    WithStream::TearDown();
  }

  static constexpr std::size_t kSize = (std::size_t{5} << 20) + 4097;
  void* device = nullptr;
  void* pinned = nullptr;
};

TEST_F(Copy, EveryByteArrivesAtEverySize) {
  const Bytes from = counting(kSize);
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{4096}, (std::size_t{2} << 20) + 1, std::size_t{4} << 20, kSize}) {
    ASSERT_EQ(aclrtMemset(device, kSize, 0, kSize), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpy(device, kSize, from.data(), size, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    Bytes to(kSize, 0x5A);
    ASSERT_EQ(aclrtMemcpy(to.data(), kSize, device, kSize, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    EXPECT_TRUE(std::equal(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(size), from.begin())) << size;
    EXPECT_TRUE(
        std::all_of(to.begin() + static_cast<std::ptrdiff_t>(size), to.end(), [](auto b) { return b == 0; }));
  }
}

TEST_F(Copy, AWrongKindIsCorrected) {
  const Bytes from = counting(16);
  Bytes to(16);
  ASSERT_EQ(aclrtMemcpy(device, 16, from.data(), 16, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpy(to.data(), 16, device, 16, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(to, from);
  Bytes third(16);
  ASSERT_EQ(aclrtMemcpy(third.data(), 16, to.data(), 16, ACL_MEMCPY_HOST_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(third, from);
}

TEST_F(Copy, ArgumentsInOrder) {
  char own[16] = {};
  const auto kind = ACL_MEMCPY_HOST_TO_DEVICE;
  EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, static_cast<aclrtMemcpyKind>(99)), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, static_cast<aclrtMemcpyKind>(99), made_up()),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(nullptr, 8, own, 8, kind), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy(device, 8, nullptr, 8, kind), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsync(nullptr, 8, own, 8, kind, stream), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsync(device, 8, nullptr, 8, kind, stream), ACL_ERROR_INVALID_PARAM);
  for (const int bad : {-1, 6, 7, 8}) {
    EXPECT_EQ(aclrtMemcpy(device, 8, own, 8, static_cast<aclrtMemcpyKind>(bad)), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtMemcpyAsync(device, 8, own, 8, static_cast<aclrtMemcpyKind>(bad), stream),
              ACL_ERROR_INVALID_PARAM);
  }
  EXPECT_EQ(aclrtMemcpy(device, 7, own, 8, kind), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyAsync(device, 7, own, 8, kind, stream), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpy(own, 16, own, 16, ACL_MEMCPY_HOST_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(device, 8, own, 8, ACL_MEMCPY_HOST_TO_HOST, stream),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtMemcpyAsync(device, 8, own, 8, kind, made_up()), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(Copy, PastTheEndOfAnAllocationIsRefusedByHowMuch) {
  void* small = nullptr;
  ASSERT_EQ(aclrtMalloc(&small, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  const std::size_t usable = cairn_runtime_bridge().find_allocation(small, 1)->usable;
  Bytes own(usable + 5);
  EXPECT_EQ(aclrtMemcpy(small, usable, own.data(), usable, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(small, usable + 5, own.data(), usable + 5, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(pending_text().find("run 5 bytes past the end"), std::string::npos);
  EXPECT_EQ(aclrtMemcpy(own.data(), own.size(), small, usable + 5, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyAsync(static_cast<char*>(small) + 1, usable, own.data(), usable,
                             ACL_MEMCPY_HOST_TO_DEVICE, stream),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemset(small, usable + 1, 0, usable + 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(small, usable + 1, 0, usable + 1, stream), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetD32(small, usable + 4, 0, usable / 4 + 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpy2d(small, usable, own.data(), 1, 1, 2, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(small), ACL_SUCCESS);
}

TEST_F(Copy, PageableMemoryIsCopiedOnReturn) {
  Gate gate;
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  {
    Bytes from = counting(1000);
    ASSERT_EQ(aclrtMemcpyAsync(device, 1000, from.data(), 1000, ACL_MEMCPY_HOST_TO_DEVICE, stream),
              ACL_SUCCESS);
    std::ranges::fill(from, 0);
  }
  Bytes to(1000);
  ASSERT_EQ(aclrtMemcpyAsync(to.data(), 1000, device, 1000, ACL_MEMCPY_DEVICE_TO_HOST, stream), ACL_SUCCESS);
  EXPECT_EQ(to, counting(1000));
  opener.join();
}

TEST_F(Copy, PinnedMemoryIsCopiedInStreamOrder) {
  Gate gate;
  auto* host = static_cast<unsigned char*>(pinned);
  host[0] = 1;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(device, 1, pinned, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream), ACL_SUCCESS);
  host[0] = 2;  // the copy is still behind the gate, so it takes this
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  unsigned char answer = 0;
  ASSERT_EQ(aclrtMemcpy(&answer, 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(answer, 2);
}

TEST_F(Copy, RegisteredMemoryCountsAsPinned) {
  Gate gate;
  unsigned char own = 1;
  void* mapped = nullptr;
  ASSERT_EQ(aclrtHostRegister(&own, 1, ACL_HOST_REGISTER_MAPPED, &mapped), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(device, 1, &own, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream), ACL_SUCCESS);
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(bytes_at(device, 1), Bytes{1});
  EXPECT_EQ(aclrtHostUnregister(&own), ACL_SUCCESS);
}

TEST_F(Copy, SynchronousCopyDoesNotWaitForStreams) {
  Gate gate;
  ASSERT_EQ(aclrtLaunchHostFunc(nullptr, Gate::wait_at, &gate), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), ACL_SUCCESS);
  char own = 0;
  EXPECT_EQ(aclrtMemcpy(&own, 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  gate.open();
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
}

TEST_F(Copy, RowsKeepWhatLiesBetweenThem) {
  const Bytes from = counting(50);
  for (const bool in_stream : {false, true}) {
    ASSERT_EQ(aclrtMemset(device, 100, 0xEE, 100), ACL_SUCCESS);
    const aclError status =
        in_stream ? aclrtMemcpy2dAsync(device, 20, from.data(), 10, 7, 5, ACL_MEMCPY_HOST_TO_DEVICE, stream)
                  : aclrtMemcpy2d(device, 20, from.data(), 10, 7, 5, ACL_MEMCPY_DEFAULT);
    ASSERT_EQ(status, ACL_SUCCESS);
    const Bytes to = bytes_at(device, 100);
    for (std::size_t row = 0; row < 5; ++row) {
      for (std::size_t column = 0; column < 20; ++column) {
        EXPECT_EQ(to[row * 20 + column], column < 7 ? from[row * 10 + column] : 0xEE);
      }
    }
  }
}

TEST_F(Copy, RowArguments) {
  char own[64] = {};
  const auto kind = ACL_MEMCPY_HOST_TO_DEVICE;
  EXPECT_EQ(aclrtMemcpy2d(nullptr, 0, nullptr, 0, 0, 5, kind), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy2dAsync(nullptr, 0, nullptr, 0, 5, 0, kind, stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy2d(nullptr, 8, own, 8, 8, 2, kind), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy2d(device, 8, nullptr, 8, 8, 2, kind), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy2d(device, 7, own, 8, 8, 2, kind), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy2dAsync(device, 8, own, 7, 8, 2, kind, stream), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy2d(device, 8, own, 8, 8, 2, ACL_MEMCPY_DEVICE_TO_DEVICE),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtMemcpy2d(device, 8, own, 8, 8, 2, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy2d(device, SIZE_MAX, own, 8, 8, 3, kind), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(Copy, SetFillsBytesAndWords) {
  ASSERT_EQ(aclrtMemset(device, kSize, 0x1AB, kSize), ACL_SUCCESS);
  EXPECT_EQ(bytes_at(device, kSize), Bytes(kSize, 0xAB));
  ASSERT_EQ(aclrtMemsetAsync(device, kSize, -1, 5, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(bytes_at(device, 6), (Bytes{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xAB}));
  ASSERT_EQ(aclrtMemsetD32(device, kSize, 0x01020304, kSize / 4), ACL_SUCCESS);
  const auto words = [&](std::size_t count) {
    std::vector<std::uint32_t> result(count);
    std::memcpy(result.data(), bytes_at(device, count * 4).data(), count * 4);
    return result;
  };
  EXPECT_EQ(words(kSize / 4), std::vector<std::uint32_t>(kSize / 4, 0x01020304));
  ASSERT_EQ(aclrtMemsetD32Async(device, 8, 7, 2, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(words(3), (std::vector<std::uint32_t>{7, 7, 0x01020304}));
}

TEST_F(Copy, SetArguments) {
  EXPECT_EQ(aclrtMemset(nullptr, 0, 0, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 0, 0, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(nullptr, 8, 0, 8), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 8, 0, 8, stream), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemset(device, 7, 0, 8), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(device, 7, 0, 8, stream), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(device, 8, 0, 8, made_up()), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtMemsetD32(device, 8, 0, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetD32(nullptr, 8, 0, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetD32(static_cast<char*>(device) + 2, 8, 0, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetD32(device, 7, 0, 2), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetD32Async(device, 8, 0, SIZE_MAX, stream), ACL_ERROR_INVALID_PARAM);
  alignas(4) char own[8];
  EXPECT_EQ(aclrtMemsetD32(own, 8, 0, 2), ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace
}  // namespace cairn::test
