#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tensor/fake_operator.h"

namespace cairn::test {
namespace {

constexpr int kThreads = 8;

void on_threads(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, CreateAndDestroySideBySideAndLeaveNothing) {
  const std::size_t before = cairn_tensor_bridge().live_objects();
  on_threads([](int seed) {
    for (int i = 0; i < 2000; ++i) {
      const Sizes dims = {seed, i};
      aclTensor* tensor = make_tensor(dims);
      aclIntArray* array = aclCreateIntArray(dims.data(), 2);
      const auto desc = cairn_tensor_bridge().find_tensor(tensor);
      ASSERT_TRUE(desc != nullptr && desc->dims == dims);
      ASSERT_EQ(*cairn_tensor_bridge().find_int_array(array), dims);
      ASSERT_EQ(aclDestroyTensor(tensor), OK);
      ASSERT_EQ(aclDestroyIntArray(array), OK);
      ASSERT_EQ(cairn_tensor_bridge().find_tensor(tensor), nullptr);
    }
  });
  EXPECT_EQ(cairn_tensor_bridge().live_objects(), before);
}

TEST(Threads, OfManyThatDestroyOneTensorExactlyOneSucceeds) {
  for (int round = 0; round < 100; ++round) {
    aclTensor* tensor = make_tensor({2});
    std::atomic<int> successes{0};
    on_threads([&](int) { successes += aclDestroyTensor(tensor) == OK ? 1 : 0; });
    ASSERT_EQ(successes, 1);
  }
}

TEST(Threads, ATensorMayBeReadWhileItsAddressChanges) {
  aclTensor* tensor = make_tensor({2, 3}, address(64));
  on_threads([&](int thread) {
    for (int i = 0; i < 1000; ++i) {
      if (thread % 2 == 0) {
        ASSERT_EQ(aclSetRawTensorAddr(tensor, address(64 + 64 * static_cast<std::uintptr_t>(i % 7))), OK);
        continue;
      }
      const auto desc = cairn_tensor_bridge().find_tensor(tensor);
      ASSERT_EQ(desc->dims, (Sizes{2, 3}));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(desc->address) % 64, 0U);
    }
  });
  EXPECT_EQ(aclDestroyTensor(tensor), OK);
}

using ThreadsOnADevice = AddOneTest;

TEST_F(ThreadsOnADevice, OfManyThatRunOneExecutorExactlyOneSucceeds) {
  for (int round = 0; round < 50; ++round) {
    aclOpExecutor* executor = plan();
    std::atomic<int> successes{0};
    std::atomic<int> refusals{0};
    on_threads([&](int) {
      ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      const aclnnStatus status = run(executor);
      successes += status == OK ? 1 : 0;
      refusals += status == 561103 ? 1 : 0;
      ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    });
    ASSERT_EQ(successes, 1);
    ASSERT_EQ(refusals, kThreads - 1);
  }
  EXPECT_EQ(result(), (std::vector<float>{2, 3, 4, 5}));
}

TEST_F(ThreadsOnADevice, RunOneRepeatableExecutorSideBySide) {
  aclOpExecutor* executor = plan();
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), OK);
  std::atomic<int> successes{0};
  on_threads([&](int) {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    for (int i = 0; i < 50; ++i) successes += run(executor) == OK ? 1 : 0;
    ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  });
  EXPECT_EQ(successes, kThreads * 50);
  EXPECT_EQ(result(), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(ThreadsOnADevice, PlanAndRunCallsOfTheirOwn) {
  on_threads([&](int thread) {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    {
      const Buffer from(16);
      const Buffer to(16);
      const auto value = static_cast<float>(thread);
      from.set({value, value, value, value});
      for (int i = 0; i < 100; ++i) {
        aclTensor* self_tensor = make_tensor({4}, from.data());
        aclTensor* out_tensor = make_tensor({4}, to.data());
        aclOpExecutor* executor =
            cairn_tensor_bridge().create_executor(add_one_call(self_tensor, self_tensor, out_tensor));
        ASSERT_EQ(run(executor, nullptr, 0, stream), OK);
        ASSERT_EQ(aclDestroyTensor(self_tensor), OK);
        ASSERT_EQ(aclDestroyTensor(out_tensor), OK);
      }
      ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
      EXPECT_EQ(to.get(4), std::vector<float>(4, value + 1));
    }
    ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace cairn::test
