#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>

#include "kernels/harness.h"

// Tensors past 2^31 elements. The oracle would take minutes here, so the cells that matter are worked out one
// by one and all others are known to be the same value.
namespace kernel_test {

using conformance::to_kernel;
using reference::GuardedMemory;

inline constexpr std::int64_t kTwoTo31 = std::int64_t{1} << 31;

inline std::int64_t available_gib() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    if (word != "MemAvailable:") continue;
    std::int64_t kib = 0;
    file >> kib;
    return kib >> 20;
  }
  return 0;
}

class TwoThreads final : public cairn::Workers {
 public:
  int count() const override { return 2; }
  int worth(std::int64_t) const override { return 2; }
  void run(std::int64_t tasks, int, cairn::FunctionRef<void(std::int64_t)> body) override {
    const auto every_second = [&](std::int64_t first) {
      for (std::int64_t task = first; task < tasks; task += 2) body(task);
    };
    std::thread other(every_second, 1);
    every_second(0);
    other.join();
  }
};

class Past2To31 : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "too slow under a sanitizer";
#endif
    if (available_gib() < 12) GTEST_SKIP() << "needs 12 GiB of free memory, there are " << available_gib();
  }
  TwoThreads workers_;
};

// Every byte other than 0, so that a cell left unwritten is seen. Large pages, or faults would take most of
// the time.
inline GuardedMemory soiled(std::int64_t bytes) {
  constexpr std::uintptr_t kPage = 1 << 21;
  GuardedMemory memory(static_cast<std::size_t>(bytes), true);
  const std::uintptr_t skipped = kPage - reinterpret_cast<std::uintptr_t>(memory.data()) % kPage;
  madvise(memory.data() + skipped, memory.size() - skipped, MADV_HUGEPAGE);
  std::memset(memory.data(), 0xa5, memory.size());
  return memory;
}

template <typename T>
T* as(const GuardedMemory& memory) {
  return reinterpret_cast<T*>(memory.data());
}

// How many elements are not `usual`.
template <typename T>
std::int64_t count_other(const GuardedMemory& memory, T usual) {
  const T* begin = as<T>(memory);
  const T* end = begin + memory.size() / sizeof(T);
  return std::accumulate(begin, end, std::int64_t{0},
                         [usual](std::int64_t sum, T value) { return sum + (value != usual ? 1 : 0); });
}

}  // namespace kernel_test
