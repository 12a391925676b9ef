#include <atomic>
#include <thread>

#include "api/run_trial.h"
#include "conformance/subjects.h"
#include "cuda/program.h"
#include "runtime/bridge.h"
#include "tensor/bridge.h"

namespace cuda_test {
namespace {

using reference::Random;

constexpr int kStreams = 8;
constexpr std::uint64_t kCalls = 1000;

std::string check_any(Random& random, aclrtStream stream) {
  static const std::vector<const conformance::Subject*> all = conformance::subjects();
  const auto which = static_cast<std::size_t>(random.between(0, std::ssize(all) - 1));
  return api_test::check_random_call(*all[which], random, stream);
}

void call_on_own_stream(std::uint64_t first_seed, std::uint64_t calls, std::atomic<bool>& failed) {
  ASSERT_EQ(aclrtSetDevice(0), 0);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), 0);
  for (std::uint64_t i = 0; i < calls && !failed; ++i) {
    Random random(first_seed + i);
    const std::string wrong = check_any(random, stream);
    EXPECT_EQ(wrong, "") << "seed " << first_seed + i;
    if (!wrong.empty()) failed = true;
  }
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtResetDevice(0), 0);
}

void call_on_all_streams(std::uint64_t calls) {
  std::atomic<bool> failed{false};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kStreams; ++i) {
    threads.emplace_back([&, i] { call_on_own_stream(reference::first_seed() + i * calls, calls, failed); });
  }
  for (std::thread& thread : threads) thread.join();
}

class ManyStreams : public OnGpu {};

TEST_F(ManyStreams, GiveTheRightResultsAndLeaveNothingBehind) {
  // What is set up once: CUDA loads kernels when they are first needed, all of ours before a host function.
  ASSERT_EQ(aclrtLaunchHostFunc(
                stream, [](void*) {}, nullptr),
            0);
  call_on_all_streams(4);
  std::size_t free_before = 0;
  std::size_t free_after = 0;
  std::size_t total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_before, &total), 0);
  const std::size_t objects = cairn_runtime_bridge().live_objects() + cairn_tensor_bridge().live_objects();
  call_on_all_streams(reference::case_count(kCalls));
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free_after, &total), 0);
  EXPECT_EQ(free_after, free_before);
  EXPECT_EQ(cairn_runtime_bridge().live_objects() + cairn_tensor_bridge().live_objects(), objects);
}

}  // namespace
}  // namespace cuda_test
