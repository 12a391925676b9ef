#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "hostile/calls.h"
#include "hostile/support.h"
#include "runtime/support.h"

// Memory that is freed while queued work still uses it lives until that work is done, and no longer.
namespace hostile_test {
namespace {

using cairn::test::Gate;

constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr std::size_t kSmall = 64 << 10;
constexpr std::size_t kBig = std::size_t{4} << 20;

void* device_memory(std::size_t bytes) {
  void* memory = nullptr;
  return aclrtMalloc(&memory, bytes, kPolicy) == 0 ? memory : nullptr;
}

// Takes whatever memory has been given back, and writes over it.
class Churn {
 public:
  explicit Churn(std::size_t bytes) {
    for (int i = 0; i < 16; ++i) {
      own_.emplace_back(bytes, 0xAA);
      void* memory = device_memory(bytes);
      if (memory != nullptr) aclrtMemset(memory, bytes, 0xAA, bytes);
      device_.push_back(memory);
    }
  }
  Churn(const Churn&) = delete;
  Churn& operator=(const Churn&) = delete;
  ~Churn() {
    for (void* memory : device_) aclrtFree(memory);
  }

 private:
  std::vector<Bytes> own_;
  std::vector<void*> device_;
};

int free_under_an_operator(const char* name) {
  CHILD_TRUE(start(), "no device");
  const Recipe recipe = plain_recipe(name);
  aclrtStream stream = nullptr;
  CHILD_EXPECT(aclrtCreateStream(&stream), 0);
  Bytes expected;
  {
    Call first(recipe);
    CHILD_EXPECT(first.queue(stream), 0);
    CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
    expected = first.result();
  }
  void* kept = device_memory(expected.size());
  Gate gate;
  CHILD_EXPECT(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), 0);
  {
    Call call(recipe);
    call.spoil();
    CHILD_EXPECT(call.queue(stream), 0);
    const void* result = call.buffers().back().address();
    CHILD_EXPECT(
        aclrtMemcpyAsync(kept, expected.size(), result, expected.size(), ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
        0);
    // Here the call's operands are freed, while it stands behind the gate.
  }
  const Churn churn(expected.size());
  gate.open();
  CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
  Bytes result(expected.size());
  CHILD_EXPECT(aclrtMemcpy(result.data(), result.size(), kept, result.size(), ACL_MEMCPY_DEVICE_TO_HOST), 0);
  CHILD_TRUE(result == expected, recipe.name);
  return 0;
}

TEST(FreedMemory, OfAQueuedOperatorIsThereWhenItRuns) {
  for (const char* threads : {"1", "2"}) {
    for (const char* name : {"aclnnMaxPool3dWithArgmaxBackward", "aclnnMaxPool2dWithIndicesBackward",
                             "aclnnMaxUnpool3d", "aclnnUpsampleNearest3dBackward"}) {
      SCOPED_TRACE(name);
      expect_in_child({{"CAIRN_THREADS", threads}}, [&] { return free_under_an_operator(name); });
    }
  }
}

// fill(a), b = a, and both are freed; only what was copied on to `kept` can be looked at.
int free_under_copies(std::size_t bytes) {
  CHILD_TRUE(start(), "no device");
  aclrtStream stream = nullptr;
  CHILD_EXPECT(aclrtCreateStream(&stream), 0);
  void* a = device_memory(bytes);
  void* b = device_memory(bytes);
  void* kept = device_memory(bytes);
  Gate gate;
  CHILD_EXPECT(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), 0);
  CHILD_EXPECT(aclrtMemsetAsync(a, bytes, 0x31, bytes, stream), 0);
  CHILD_EXPECT(aclrtMemcpyAsync(b, bytes, a, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 0);
  CHILD_EXPECT(aclrtMemsetD32Async(a, bytes, 0x32323232, bytes / 4, stream), 0);
  CHILD_EXPECT(aclrtMemcpyAsync(kept, bytes, b, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 0);
  CHILD_EXPECT(aclrtFree(a), 0);
  CHILD_EXPECT(aclrtFree(b), 0);
  CHILD_EXPECT(aclrtFree(a) != 0, true);
  const Churn churn(bytes);
  gate.open();
  CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
  Bytes result(bytes);
  CHILD_EXPECT(aclrtMemcpy(result.data(), bytes, kept, bytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  CHILD_TRUE(result == Bytes(bytes, 0x31), "other bytes");
  return 0;
}

TEST(FreedMemory, OfQueuedCopiesAndFillsIsThereWhenTheyRun) {
  for (const std::size_t bytes : {kSmall, kBig}) {
    expect_in_child([&] { return free_under_copies(bytes); });
  }
}

int free_pinned_under_copies(std::size_t bytes) {
  CHILD_TRUE(start(), "no device");
  aclrtStream stream = nullptr;
  CHILD_EXPECT(aclrtCreateStream(&stream), 0);
  void* device = device_memory(bytes);
  void* from = nullptr;
  void* to = nullptr;
  CHILD_EXPECT(aclrtMallocHost(&from, bytes), 0);
  CHILD_EXPECT(aclrtMallocHost(&to, bytes), 0);
  std::memset(from, 0x41, bytes);
  Gate gate;
  CHILD_EXPECT(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), 0);
  CHILD_EXPECT(aclrtMemcpyAsync(device, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
  CHILD_EXPECT(aclrtMemcpyAsync(to, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
  CHILD_EXPECT(aclrtFreeHost(from), 0);
  CHILD_EXPECT(aclrtFreeHost(to), 0);
  const Churn churn(bytes);
  gate.open();
  CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
  Bytes result(bytes);
  CHILD_EXPECT(aclrtMemcpy(result.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  CHILD_TRUE(result == Bytes(bytes, 0x41), "other bytes");
  return 0;
}

TEST(FreedMemory, OfPinnedHostCopiesIsThereWhenTheyRun) {
  for (const std::size_t bytes : {kSmall, kBig}) {
    expect_in_child([&] { return free_pinned_under_copies(bytes); });
  }
}

// A stream that is destroyed, or made to end at once, drops what it kept.
TEST(FreedMemory, IsGivenBackByAStreamThatEnds) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    const std::size_t before = resident_bytes();
    for (int i = 0; i < 100; ++i) {
      aclrtStream stream = nullptr;
      CHILD_EXPECT(aclrtCreateStream(&stream), 0);
      void* memory = device_memory(kBig);
      for (int j = 0; j < 4; ++j) CHILD_EXPECT(aclrtMemsetAsync(memory, kBig, j, kBig, stream), 0);
      CHILD_EXPECT(aclrtFree(memory), 0);
      CHILD_EXPECT(i % 2 == 0 ? aclrtDestroyStream(stream) : aclrtDestroyStreamForce(stream), 0);
    }
    const std::size_t after = resident_bytes();
    CHILD_TRUE(after < before + 25 * kBig, std::to_string(before) + " to " + std::to_string(after));
    return 0;
  });
}

// `rounds` blocks, each freed while a fill of it stands behind a gate; almost none of them may stay.
int free_many(std::size_t bytes, int rounds) {
  CHILD_TRUE(start(), "no device");
  aclrtStream stream = nullptr;
  CHILD_EXPECT(aclrtCreateStream(&stream), 0);
  std::size_t before = 0;
  for (int i = 0; i < rounds; ++i) {
    Gate gate;
    CHILD_EXPECT(aclrtLaunchHostFunc(stream, Gate::wait_at, &gate), 0);
    void* memory = device_memory(bytes);
    CHILD_EXPECT(aclrtMemsetAsync(memory, bytes, 1, bytes, stream), 0);
    CHILD_EXPECT(aclrtFree(memory), 0);
    gate.open();
    CHILD_EXPECT(aclrtSynchronizeStream(stream), 0);
    if (i == rounds / 10) before = resident_bytes();
  }
  const std::size_t growth = resident_bytes() - std::min(before, resident_bytes());
  CHILD_TRUE(growth < bytes * static_cast<std::size_t>(rounds) / 4, std::to_string(growth));
  return 0;
}

TEST(FreedMemory, IsGivenBackOnceTheWorkIsDone) {
  expect_in_child([] { return free_many(kBig, 200); });
  expect_in_child([] { return free_many(kSmall, kSanitized ? 2000 : 10000); });
}

TEST(FreedMemory, LeavesNothingForAFreeThatComesTwice) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    Gate gate;
    void* memory = device_memory(kSmall);
    CHILD_EXPECT(aclrtLaunchHostFunc(nullptr, Gate::wait_at, &gate), 0);
    CHILD_EXPECT(aclrtMemsetAsync(memory, kSmall, 1, kSmall, nullptr), 0);
    CHILD_EXPECT(aclrtFree(memory), 0);
    CHILD_EXPECT(aclrtFree(memory), kInvalidArgument);
    // Queued work keeps the memory for itself: new work may not have it.
    CHILD_EXPECT(aclrtMemsetAsync(memory, kSmall, 1, kSmall, nullptr), kInvalidArgument);
    gate.open();
    CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
    CHILD_EXPECT(aclrtFree(memory), kInvalidArgument);
    return 0;
  });
}

// In megabytes.
long resident() {
  long total = 0;
  long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &pages) != 2) pages = 0;
  if (file != nullptr) std::fclose(file);
  return pages * 4 / 1024;
}

int allocate_and_free(std::size_t bytes, int count) {
  std::vector<void*> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back(device_memory(bytes));
    CHILD_TRUE(blocks.back() != nullptr, "no memory");
    CHILD_EXPECT(aclrtMemset(blocks.back(), bytes, 1, bytes), 0);
  }
  for (void* block : blocks) CHILD_EXPECT(aclrtFree(block), 0);
  return 0;
}

TEST(FreedMemory, GoesBackToTheSystemWhateverTheSizeOfItsBlocks) {
  CPU_ONLY("it has its own memory");
  if (kSanitized) GTEST_SKIP() << "the sanitizer keeps memory of its own";
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    const long before = resident();
    for (const auto& [bytes, count] :
         {std::pair<std::size_t, int>{1000, 100000}, {100000, 1000}, {1000000, 100}, {3000000, 40}}) {
      if (const int code = allocate_and_free(bytes, count)) return code;
      CHILD_TRUE(resident() < before + 60, std::to_string(bytes) + ": " + std::to_string(resident()));
    }
    return 0;
  });
}

TEST(FreedMemory, LeavesItsAddressesWhereTheyAreScarce) {
  CPU_ONLY("it has its own addresses");
  if (kSanitized) GTEST_SKIP() << "the sanitizer needs more addresses than any limit leaves";
  expect_in_child([] {
    rlimit limit{std::size_t{2} << 30, std::size_t{2} << 30};
    CHILD_TRUE(start(), "no device");
    CHILD_EXPECT(setrlimit(RLIMIT_AS, &limit), 0);
    for (const std::size_t megabytes : {500, 600, 700, 800, 900, 1000, 1100}) {
      void* block = device_memory(megabytes << 20);
      CHILD_TRUE(block != nullptr, std::to_string(megabytes) + " MB");
      CHILD_EXPECT(aclrtFree(block), 0);
    }
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test
