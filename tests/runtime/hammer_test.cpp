#include <algorithm>
#include <random>
#include <vector>

#include "runtime/fake_kernel.h"
#include "runtime/support.h"

namespace cairn::test {
namespace {

constexpr int kThreads = 16;
constexpr int kRounds = 40;

struct Increment {
  unsigned char* bytes;
  std::int64_t count;
};

const cairn::test::FakeKernel kIncrement{
    "aclnnIncrement", [](const void* plan, Workers& workers) -> std::optional<IndexFault> {
      Increment increment{};
      std::memcpy(&increment, plan, sizeof(increment));
      workers.run(increment.count, [&](std::int64_t i) { ++increment.bytes[i]; });
      return std::nullopt;
    }};

void live_a_round(std::mt19937& random) {
  const std::size_t size = 1 + random() % 300;
  void* device = nullptr;
  void* host = nullptr;
  aclrtStream stream = nullptr;
  aclrtStream other = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&other), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocHost(&host, size), ACL_SUCCESS);
  aclDataBuffer* buffer = aclCreateDataBuffer(device, size);
  const auto value = static_cast<unsigned char>(random() % 200);
  ASSERT_EQ(aclrtMemsetAsync(device, size, value, size, stream), ACL_SUCCESS);
  if (on_cpu()) {
    const Increment increment{static_cast<unsigned char*>(device), static_cast<std::int64_t>(size)};
    ASSERT_EQ(cairn_runtime_bridge().launch(stream, {kIncrement, &increment, sizeof(increment)}),
              ACL_SUCCESS);
  } else {
    ASSERT_EQ(aclrtMemsetAsync(device, size, value + 1, size, stream), ACL_SUCCESS);
  }
  ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, event), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST, other), ACL_SUCCESS);
  std::atomic<int> called{0};
  const auto count = [](void* counter) { static_cast<std::atomic<int>*>(counter)->fetch_add(1); };
  ASSERT_EQ(aclrtLaunchHostFunc(other, count, &called), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(called, 1);
  const auto* bytes = static_cast<const unsigned char*>(host);
  EXPECT_TRUE(std::all_of(bytes, bytes + size, [&](unsigned char byte) { return byte == value + 1; }));
  EXPECT_EQ(aclDestroyDataBuffer(buffer), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
}

TEST(Hammer, SixteenThreadsLeaveNothingBehind) {
  const std::size_t before = cairn_runtime_bridge().live_objects();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([i] {
      std::mt19937 random(static_cast<unsigned>(i));
      ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      for (int round = 0; round < kRounds; ++round) live_a_round(random);
      EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cairn_runtime_bridge().live_objects(), before);
}

// Sharing one stream and one event, and ending contexts of their own meanwhile.
TEST(Hammer, ThreadsShareAStreamAndAnEvent) {
  const std::size_t before = cairn_runtime_bridge().live_objects();
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext shared = nullptr;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&shared), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  std::atomic<int> called{0};
  const auto count = [](void* counter) { static_cast<std::atomic<int>*>(counter)->fetch_add(1); };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        ASSERT_EQ(aclrtSetCurrentContext(shared), ACL_SUCCESS);
        ASSERT_EQ(aclrtLaunchHostFunc(stream, count, &called), ACL_SUCCESS);
        ASSERT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
        ASSERT_EQ(aclrtStreamWaitEvent(nullptr, event), ACL_SUCCESS);
        ASSERT_EQ(round % 2 == 0 ? aclrtSynchronizeEvent(event) : aclrtSynchronizeDevice(), ACL_SUCCESS);
        aclrtContext own = nullptr;
        ASSERT_EQ(aclrtCreateContext(&own, 0), ACL_SUCCESS);
        ASSERT_EQ(aclrtLaunchHostFunc(nullptr, count, &called), ACL_SUCCESS);
        ASSERT_EQ(aclrtDestroyContext(own), ACL_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(called, 2 * kThreads * kRounds);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(cairn_runtime_bridge().live_objects(), before);
}

// Of many that destroy one object, exactly one does.
TEST(Hammer, RacingDestroysHaveOneWinner) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  for (int round = 0; round < kRounds; ++round) {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void* device = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&device, 8, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    std::atomic<int> winners{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        aclrtSetCurrentContext(context);
        winners += aclrtDestroyStream(stream) == ACL_SUCCESS ? 1 : 0;
        winners += aclrtDestroyEvent(event) == ACL_SUCCESS ? 1 : 0;
        winners += aclrtFree(device) == ACL_SUCCESS ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 3);
  }
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

}  // namespace
}  // namespace cairn::test
