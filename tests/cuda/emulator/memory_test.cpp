#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "emulator/sanitizer.h"
#include "kernel.h"
#include "ops/kit/cuda/ptx.cuh"
#include "ops/kit/cuda/shared_memory.cuh"

// What lies in which memory, and what kernels must not touch.
namespace cuda_emulator {
namespace {

using testing::HasSubstr;

constexpr std::size_t kBytes = 40;

struct Reach {
  std::size_t at;
};

__global__ void write_shared(const __grid_constant__ Reach plan) {
  CAIRN_SHARED_MEMORY(unsigned char, bytes);
  bytes[plan.at] = 1;
}

TEST(MemoryDeathTest, shared_memory_ends_where_the_launch_said) {
  EXPECT_EQ(run(write_shared, {kBytes - 1}, 1, 32, kBytes), "");
#if defined(CUDA_EMULATOR_ASAN)
  EXPECT_DEATH(run(write_shared, {kBytes}, 1, 32, kBytes), "heap-buffer-overflow");
#else
  EXPECT_THAT(run(write_shared, {kBytes}, 1, 32, kBytes), HasSubstr("beside the shared memory"));
#endif
}

struct Look {
  unsigned* found;
};

// What nobody has written, in each block anew.
__global__ void read_shared(const __grid_constant__ Look plan) {
  CAIRN_SHARED_MEMORY(unsigned, places);
  unsigned* const place = places + threadIdx.x;
  plan.found[blockIdx.x * blockDim.x + threadIdx.x] = *place;
  *place = 7;
}

constexpr unsigned kNan = ~0U;
constexpr unsigned kLarge = 0x7B7B7B7B;

TEST(Memory, what_is_not_written_is_no_number_or_a_large_one) {
  std::vector<unsigned> found(640);
  EXPECT_EQ(run(read_shared, {found.data()}, 10, 64, 64 * sizeof(unsigned)), "");
  EXPECT_THAT(found, testing::Each(testing::AnyOf(kNan, kLarge)));
  EXPECT_THAT(found, testing::Contains(kNan));
  EXPECT_THAT(found, testing::Contains(kLarge));
}

#if defined(CUDA_EMULATOR_ASAN)
__global__ void read_global(const __grid_constant__ Look plan) {
  plan.found[0] = plan.found[1 + threadIdx.x];
}

TEST(MemoryDeathTest, memory_ends_where_the_program_said) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 5 * sizeof(unsigned)), cudaSuccess);
  EXPECT_EQ(run(read_global, {static_cast<unsigned*>(memory)}, 1, 4), "");
  EXPECT_DEATH(run(read_global, {static_cast<unsigned*>(memory)}, 1, 5), "heap-buffer-overflow");
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}
#endif

struct Turns {
  const uint4* from;
  unsigned* found;
};

// Looks at each copy before and after it waits.
__global__ void copy_in_turns(const __grid_constant__ Turns plan) {
  CAIRN_SHARED_MEMORY(uint4, places);
  const auto look = [&](int at) { plan.found[at] = places[0].x, plan.found[at + 1] = places[1].x; };
  cairn::cuda::copy_async(places, plan.from);
  cairn::cuda::end_turn_of_copies();
  look(0);
  cairn::cuda::copy_async(places + 1, plan.from + 1);
  cairn::cuda::end_turn_of_copies();
  cairn::cuda::wait_for_turns_before();
  look(2);
  cairn::cuda::wait_for_copies();
  look(4);
  cairn::cuda::start_copy<8>(cairn::cuda::shared_address(places), plan.from + 1);
  look(6);
  cairn::cuda::wait_for_started_copies();
  look(8);
}

TEST(Memory, copies_arrive_when_they_are_waited_for) {
  const std::array<uint4, 2> from = {{{5, 5, 5, 5}, {6, 6, 6, 6}}};
  std::array<unsigned, 10> found{};
  EXPECT_EQ(run(copy_in_turns, {from.data(), found.data()}, 1, 1, sizeof(from)), "");
  const unsigned nothing = found[0];
  EXPECT_THAT(nothing, testing::AnyOf(kNan, kLarge));
  EXPECT_THAT(found, testing::ElementsAre(nothing, nothing, 5, nothing, 5, 6, nothing, 6, 6, 6));
}

struct Badly {
  const unsigned char* from;
  int kind;
};

__global__ void copy_badly(const __grid_constant__ Badly plan) {
  CAIRN_SHARED_MEMORY(unsigned char, bytes);
  if (plan.kind == 0) cairn::cuda::copy_async(bytes, plan.from + 4);
  if (plan.kind == 1) cairn::cuda::copy_async(bytes + 8, plan.from);
  if (plan.kind == 2) cairn::cuda::copy_async(bytes + 32, plan.from);
  if (plan.kind == 3) cairn::cuda::set_shared_bits(cairn::cuda::shared_address(bytes + 30), 1);
  if (plan.kind == 4) cairn::cuda::set_shared_bits(cairn::cuda::shared_address(bytes) - 4, 1);
}

TEST(Memory, what_is_copied_has_a_place) {
  alignas(16) const std::array<unsigned char, 32> from{};
  for (const int kind : {0, 1})
    EXPECT_THAT(run(copy_badly, {from.data(), kind}, 1, 1, 40), HasSubstr("do not begin at a multiple"))
        << kind;
  EXPECT_THAT(run(copy_badly, {from.data(), 2}, 1, 1, 40), HasSubstr("byte 32 of 40 bytes"));
  EXPECT_THAT(run(copy_badly, {from.data(), 3}, 1, 1, 40), HasSubstr("is no place for 4"));
  EXPECT_THAT(run(copy_badly, {from.data(), 4}, 1, 1, 40), HasSubstr("byte -4 of 40 bytes"));
}

TEST(Memory, launches_have_limits) {
  const Reach plan{0};
  EXPECT_EQ(run(write_shared, plan, 1, 1024, 48 << 10), "");
  EXPECT_THAT(run(write_shared, plan, 1, 1025, 16), HasSubstr("cudaErrorInvalidConfiguration"));
  EXPECT_THAT(run(write_shared, plan, 0, 32, 16), HasSubstr("cudaErrorInvalidConfiguration"));
  EXPECT_THAT(run(write_shared, plan, 1, 32, (48 << 10) + 1), HasSubstr("49153 bytes of shared memory"));
  const auto* kernel = reinterpret_cast<const void*>(&write_shared);
  constexpr auto kAttribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
  EXPECT_EQ(cudaFuncSetAttribute(kernel, kAttribute, (227 << 10) + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, kAttribute, 227 << 10), cudaSuccess);
  EXPECT_EQ(run(write_shared, plan, 1, 32, 227 << 10), "");
}

}  // namespace
}  // namespace cuda_emulator
