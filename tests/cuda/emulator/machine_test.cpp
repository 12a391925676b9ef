#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernel.h"

// Barriers, and what lanes tell each other.
namespace cuda_emulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr unsigned kAll = ~0U;
constexpr unsigned kThreads = 96;
constexpr unsigned kBlocks = 12;  // enough for every order of threads

struct Shift {
  int* to;
  unsigned by;
  bool has_barrier;
};

// Every thread writes a place, and reads that of another one.
__global__ void shift(const __grid_constant__ Shift plan) {
  int* const places = static_cast<int*>(shared_memory());
  places[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (plan.has_barrier) __syncthreads();
  plan.to[blockIdx.x * blockDim.x + threadIdx.x] = places[(threadIdx.x + plan.by) % blockDim.x];
}

// How many blocks are right.
unsigned right_shifts(unsigned by, bool has_barrier) {
  std::vector<int> to(std::size_t{kBlocks} * kThreads);
  EXPECT_EQ(run(shift, {to.data(), by, has_barrier}, kBlocks, kThreads, kThreads * sizeof(int)), "");
  unsigned right = 0;
  for (unsigned block = 0; block < kBlocks; ++block) {
    bool all = true;
    for (unsigned i = 0; i < kThreads; ++i)
      all &= to[block * kThreads + i] == static_cast<int>((i + by) % kThreads);
    right += all ? 1 : 0;
  }
  return right;
}

TEST(Machine, a_missing_barrier_shows) {
  for (const unsigned by : {1U, 5U, 40U, kThreads - 1}) {
    EXPECT_EQ(right_shifts(by, true), kBlocks) << by;
    EXPECT_LT(right_shifts(by, false), kBlocks) << by;
  }
}

struct Rounds {
  int* sums;
  bool has_both_barriers;
};

// The first thread tells the others a number, several times in the same place.
__global__ void tell(const __grid_constant__ Rounds plan) {
  int* const place = static_cast<int*>(shared_memory());
  int sum = 0;
  for (int round = 1; round <= 3; ++round) {
    if (threadIdx.x == 0) *place = round;
    __syncthreads();
    sum += *place;
    if (plan.has_both_barriers) __syncthreads();
  }
  plan.sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

TEST(Machine, a_missing_barrier_before_the_next_round_shows) {
  const std::vector<int> right(std::size_t{kBlocks} * kThreads, 6);
  std::vector<int> sums(right.size());
  EXPECT_EQ(run(tell, {sums.data(), true}, kBlocks, kThreads, sizeof(int)), "");
  EXPECT_EQ(sums, right);
  EXPECT_EQ(run(tell, {sums.data(), false}, kBlocks, kThreads, sizeof(int)), "");
  EXPECT_NE(sums, right);
}

struct Waits {
  int kind;
};

__global__ void wait_badly(const __grid_constant__ Waits plan) {
  switch (plan.kind) {
    case 0:  // threads that have ended are not waited for
      if (threadIdx.x >= 40) return;
      __syncthreads();
      break;
    case 1:  // half of a warp waits for the other half, which waits for the block
      if (threadIdx.x < 16) __syncwarp();
      __syncthreads();
      break;
    case 2:
      if (threadIdx.x < 32) {
        __syncthreads();
      } else {
        __syncthreads_or(1);
      }
      break;
    case 3:
      __syncwarp(2);
      break;
    default:  // different questions
      if (threadIdx.x % 2 == 0) {
        __ballot_sync(kAll, 1);
      } else {
        __any_sync(kAll, 1);
      }
  }
}

TEST(Machine, what_can_never_come_is_reported) {
  EXPECT_EQ(run(wait_badly, {0}, 1, 64), "");
  EXPECT_THAT(run(wait_badly, {1}, 1, 32),
              AllOf(HasSubstr("cudaErrorLaunchFailure"), HasSubstr("Waits, block 0: deadlock"),
                    HasSubstr("threads 0-15 wait at __syncwarp of 0xffffffff"),
                    HasSubstr("threads 16-31 wait at __syncthreads (machine_test.cpp:")));
  EXPECT_THAT(run(wait_badly, {2}, 1, 64), HasSubstr("while others wait at __syncthreads"));
  EXPECT_THAT(run(wait_badly, {3}, 1, 32), HasSubstr("is not in its own mask 0x2 of __syncwarp"));
  EXPECT_THAT(run(wait_badly, {4}, 1, 32), AllOf(HasSubstr("__ballot_sync"), HasSubstr("__any_sync")));
  EXPECT_EQ(run(wait_badly, {0}, 3, 64), "");  // all is well again
}

struct Lock {
  unsigned* lock;
  unsigned* count;
};

// One thread after the other, and each waits while it has the lock.
__global__ void take_turns(const __grid_constant__ Lock plan) {
  bool done = false;
  while (!done) {
    if (atomicCAS(plan.lock, 0U, 1U) != 0) continue;
    ++*plan.count;
    if (threadIdx.x % 32 < 2) __syncwarp(1U << threadIdx.x % 32);
    atomicExch(plan.lock, 0U);
    done = true;
  }
}

TEST(Machine, a_lock_that_stays_locked_is_reported) {
  unsigned lock = 0;
  unsigned count = 0;
  EXPECT_EQ(run(take_turns, {&lock, &count}, 2, 64), "");
  EXPECT_EQ(count, 128U);
  lock = 1;
  EXPECT_THAT(run(take_turns, {&lock, &count}, 1, 2), HasSubstr("tries again for ever"));
}

struct Lanes {
  int* to;
  int kind;
  unsigned mask;
};

__global__ void ask(const __grid_constant__ Lanes plan) {
  const int lane = static_cast<int>(threadIdx.x);
  if ((plan.mask >> lane & 1U) == 0) return;
  const unsigned mask = plan.mask;
  int& answer = plan.to[lane];
  switch (plan.kind) {
    case 0:
      answer = __shfl_sync(mask, lane * 10, 3);
      break;
    case 1:
      answer = __shfl_sync(mask, lane * 10, 2, 8);
      break;
    case 2:
      answer = __shfl_up_sync(mask, lane * 10, 2, 16);
      break;
    case 3:
      answer = __shfl_down_sync(mask, lane * 10, 3, 16);
      break;
    case 4:
      answer = __shfl_xor_sync(mask, lane * 10, 5);
      break;
    case 5:
      answer = static_cast<int>(__ballot_sync(mask, lane % 3 == 0));
      break;
    case 6:
      answer = __any_sync(mask, lane == 4);
      break;
    case 7:
      answer = __all_sync(mask, lane != 4);
      break;
    case 8:
      answer = static_cast<int>(__match_any_sync(mask, lane % 4));
      break;
    case 9:
      answer = __reduce_max_sync(mask, -5 - lane);
      break;
    case 10:
      answer = static_cast<int>(__reduce_max_sync(mask, static_cast<unsigned>(-5 - lane)));
      break;
    default:
      answer = static_cast<int>(__shfl_down_sync(mask, 1.5 * lane, 1) * 2);
      break;
  }
}

std::array<int, 32> answers(int kind, unsigned mask) {
  std::array<int, 32> to{};
  EXPECT_EQ(run(ask, {to.data(), kind, mask}, 1, 32), "");
  return to;
}

template <typename Expected>
void expect_answers(int kind, unsigned mask, const Expected& expected) {
  const std::array<int, 32> found = answers(kind, mask);
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    EXPECT_EQ(found[lane], expected(lane)) << "kind " << kind << ", lane " << lane;
  }
}

TEST(Machine, lanes_shuffle) {
  expect_answers(0, kAll, [](int) { return 30; });
  expect_answers(1, kAll, [](int lane) { return (lane / 8 * 8 + 2) * 10; });
  expect_answers(2, kAll, [](int lane) { return (lane % 16 < 2 ? lane : lane - 2) * 10; });
  expect_answers(3, kAll, [](int lane) { return (lane % 16 > 12 ? lane : lane + 3) * 10; });
  expect_answers(4, kAll, [](int lane) { return (lane ^ 5) * 10; });
  expect_answers(11, kAll, [](int lane) { return (lane == 31 ? lane : lane + 1) * 3; });
  expect_answers(0, 0x1F, [](int) { return 30; });
  expect_answers(0, 0x7, [](int) { return -1; });  // lane 3 has ended
}

TEST(Machine, lanes_vote) {
  for (const unsigned mask : {kAll, 0xFFU, 0xF0F0U, 0x80000001U}) {
    unsigned thirds = 0;
    unsigned largest = 0;
    int highest = -100;
    for (int lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1U) == 0) continue;
      if (lane % 3 == 0) thirds |= 1U << lane;
      highest = std::max(highest, -5 - lane);
      largest = std::max(largest, static_cast<unsigned>(-5 - lane));
    }
    const bool has_four = (mask >> 4 & 1U) != 0;
    expect_answers(5, mask, [&](int) { return static_cast<int>(thirds); });
    expect_answers(6, mask, [&](int) { return has_four ? 1 : 0; });
    expect_answers(7, mask, [&](int) { return has_four ? 0 : 1; });
    expect_answers(8, mask, [&](int lane) { return static_cast<int>(mask & 0x11111111U << lane % 4); });
    expect_answers(9, mask, [&](int) { return highest; });
    expect_answers(10, mask, [&](int) { return static_cast<int>(largest); });
  }
}

struct Halfway {
  int* to;
};

// Both halves of a warp shuffle on their own, one of them more often.
__global__ void shuffle_in_halves(const __grid_constant__ Halfway plan) {
  const bool low = threadIdx.x < 16;
  const unsigned mask = low ? 0xFFFFU : 0xFFFF0000U;
  int value = static_cast<int>(threadIdx.x);
  for (int round = 0; round < (low ? 5 : 2); ++round) value = __shfl_sync(mask, value, value + 1, 16);
  __syncwarp();
  plan.to[threadIdx.x] = value;
}

TEST(Machine, parts_of_a_warp_shuffle_on_their_own) {
  std::array<int, 32> to{};
  EXPECT_EQ(run(shuffle_in_halves, {to.data()}, 1, 32), "");
  // A value is where the lane got it from, which moves on by one and then by the value there.
  std::array<int, 16> low{};
  for (int i = 0; i < 16; ++i) low[i] = i;
  for (int round = 0; round < 5; ++round) {
    const std::array<int, 16> before = low;
    for (int i = 0; i < 16; ++i) low[i] = before[(before[i] + 1) % 16];
  }
  for (int i = 0; i < 16; ++i) EXPECT_EQ(to[i], low[i]);
  for (int i = 16; i < 32; ++i) EXPECT_EQ(to[i], 16 + (i + 3) % 16);
}

struct Votes {
  int* to;
};

__global__ void vote(const __grid_constant__ Votes plan) {
  const int none = __syncthreads_or(0);
  const int one = __syncthreads_or(threadIdx.x == 7 ? 2 : 0);
  const int again = __syncthreads_or(0);
  plan.to[threadIdx.x] = none * 4 + one * 2 + again;
}

TEST(Machine, a_block_votes) {
  std::array<int, 50> to{};
  EXPECT_EQ(run(vote, {to.data()}, 1, 50), "");
  EXPECT_THAT(to, testing::Each(2));
}

}  // namespace
}  // namespace cuda_emulator
