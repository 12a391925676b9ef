#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "cairn/cairn.h"
#include "hostile/small_call.h"
#include "hostile/support.h"

// Tensors over memory that is not one live block of the device: phase 2 says so, and nothing is touched.
namespace hostile_test {
namespace {

constexpr std::size_t kBytes = SmallCall::kResultBytes;
constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr std::size_t kBig = std::size_t{4} << 20;

std::byte* device_memory(std::size_t bytes) {
  void* memory = nullptr;
  return aclrtMalloc(&memory, bytes, kPolicy) == 0 ? static_cast<std::byte*>(memory) : nullptr;
}

// Both phases with gradInput at `address`, on the default stream.
struct Answer {
  aclnnStatus phase1, phase2;
  std::string message;
};

Answer call_at(const SmallCall& call, void* address, aclrtStream stream = nullptr) {
  const api_test::Tensor tensor({{1, 1, 4, 4, 4}}, address);
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  aclGetRecentErrMsg();
  Answer answer{call.phase1(tensor, &size, &executor), -1, ""};
  if (answer.phase1 == 0) answer.phase2 = aclnnMaxPool3dWithArgmaxBackward(nullptr, size, executor, stream);
  answer.message = api_test::recent_message();
  return answer;
}

// A call whose gradInput lies at `address` is refused in so many words, and a sound one runs afterwards.
int refused_at(const SmallCall& call, void* address, std::initializer_list<const char*> words) {
  const Answer answer = call_at(call, address);
  CHILD_EXPECT(answer.phase1, 0);
  CHILD_TRUE(answer.phase2 == kInvalidParameter, std::to_string(answer.phase2) + " " + answer.message);
  CHILD_TRUE(message_names(answer.message, "gradInput", address, words), answer.message);
  CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
  CHILD_EXPECT(call.run(nullptr), 0);
  CHILD_EXPECT(call.right(), true);
  return 0;
}

int refused_at(void* address, std::initializer_list<const char*> words) {
  SmallCall call;
  CHILD_TRUE(call.make(), "no operands");
  return refused_at(call, address, words);
}

bool all_are(const void* memory, std::size_t bytes, unsigned char value) {
  const auto* at = static_cast<const unsigned char*>(memory);
  return std::all_of(at, at + bytes, [&](unsigned char byte) { return byte == value; });
}

// The content of device memory, byte by byte.
bool device_is(const void* memory, std::size_t bytes, unsigned char value) {
  std::vector<unsigned char> content(bytes);
  return aclrtMemcpy(content.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0 &&
         all_are(content.data(), bytes, value);
}

TEST(ATensor, ThatStartsBeforeItsBlockIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::byte* block = device_memory(2 * kBytes);
    CHILD_EXPECT(aclrtMemset(block, 2 * kBytes, 0x55, 2 * kBytes), 0);
    const int code = refused_at(block - 16, {address_text(block).c_str()});
    CHILD_TRUE(device_is(block, 2 * kBytes, 0x55), "the block was written");
    return code;
  });
}

TEST(ATensor, ThatStartsBeforeItsBlockAndEndsPastItIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::byte* block = device_memory(64);
    CHILD_EXPECT(aclrtMemset(block, 64, 0x55, 64), 0);
    const int code = refused_at(block - 64, {address_text(block).c_str()});
    CHILD_TRUE(device_is(block, 64, 0x55), "the block was written");
    return code;
  });
}

TEST(ATensor, ThatEndsPastItsBlockIsRefused) {
  for (const std::size_t bytes : {std::size_t{100}, kBig}) {
    expect_in_child([&] {
      CHILD_TRUE(start(), "no device");
      std::byte* block = device_memory(bytes);
      std::byte* last = block + bytes - 64;
      CHILD_EXPECT(aclrtMemset(block, bytes, 0x55, bytes), 0);
      const int code = refused_at(last, {address_text(block).c_str()});
      CHILD_TRUE(device_is(block, bytes, 0x55), "the block was written");
      return code;
    });
  }
}

TEST(ATensor, OverTwoBlocksIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::array<std::byte*, 32> blocks{};
    for (std::byte*& block : blocks) {
      block = device_memory(kBytes);
      CHILD_EXPECT(aclrtMemset(block, kBytes, 0x55, kBytes), 0);
    }
    std::sort(blocks.begin(), blocks.end());
    // From the middle of each block on, which for neighbours is nothing but the two blocks.
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
      if (const int code = refused_at(blocks[i] + kBytes / 2, {address_text(blocks[i]).c_str()})) return code;
    }
    for (std::byte* block : blocks) CHILD_TRUE(device_is(block, kBytes, 0x55), "written");
    return 0;
  });
}

TEST(ATensor, OverFreedMemoryIsRefused) {
  for (const std::size_t bytes : {kBytes, kBig}) {
    expect_in_child([&] {
      CHILD_TRUE(start(), "no device");
      // Made before: what is allocated after the free may be the freed memory.
      SmallCall call;
      CHILD_TRUE(call.make(), "no operands");
      std::byte* block = device_memory(bytes);
      CHILD_EXPECT(aclrtFree(block), 0);
      // A program's own objects may come to lie where freed memory was.
      std::vector<std::vector<unsigned char>> own(64, std::vector<unsigned char>(bytes, 'x'));
      const int code = refused_at(call, block, {"freed"});
      for (const auto& object : own) CHILD_TRUE(all_are(object.data(), bytes, 'x'), "written");
      return code;
    });
  }
}

TEST(ATensor, OverHostMemoryIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    const std::vector<unsigned char> heap(kBytes, 'x');
    CHILD_EXPECT(refused_at(const_cast<unsigned char*>(heap.data()), {"host memory"}), 0);
    CHILD_TRUE(all_are(heap.data(), kBytes, 'x'), "the heap was written");
    alignas(16) unsigned char stack[kBytes];
    std::memset(stack, 'x', kBytes);
    CHILD_EXPECT(refused_at(stack, {"host memory"}), 0);
    CHILD_TRUE(all_are(stack, kBytes, 'x'), "the stack was written");
    return 0;
  });
}

TEST(ATensor, OverPinnedHostMemoryIsRefused) {
  CPU_ONLY("it reaches pinned memory");
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    void* pinned = nullptr;
    CHILD_EXPECT(aclrtMallocHost(&pinned, kBytes), 0);
    std::memset(pinned, 'x', kBytes);
    CHILD_EXPECT(refused_at(pinned, {"host memory"}), 0);
    CHILD_TRUE(all_are(pinned, kBytes, 'x'), "it was written");
    return 0;
  });
}

alignas(16) const std::array<float, 64> kReadOnly = {1.0F};

TEST(ATensor, OverConstMemoryIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    return refused_at(const_cast<float*>(kReadOnly.data()), {"host memory"});
  });
}

TEST(ATensor, AtAMadeUpAddressIsRefused) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    SmallCall call;
    CHILD_TRUE(call.make(), "no operands");
    aclIntArray* handle = aclCreateIntArray(nullptr, 0);
    // NOLINTBEGIN(performance-no-int-to-ptr): made-up addresses are the point
    for (void* address :
         {reinterpret_cast<void*>(std::uintptr_t{0x1000}),
          reinterpret_cast<void*>(std::uintptr_t{0x7FFFFFFFF000}), static_cast<void*>(handle)}) {
      CHILD_EXPECT(refused_at(address, {"no memory"}), 0);
    }
    // NOLINTEND(performance-no-int-to-ptr)
    return 0;
  });
}

TEST(ATensor, ThatIsReadIsCheckedToo) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    std::vector<float> heap(8, 1.0F);
    const api_test::Buffer indices(32);
    const api_test::Buffer result(kBytes);
    const api_test::Tensor grad({{1, 1, 2, 2, 2}}, heap.data());
    const api_test::Tensor index({{1, 1, 2, 2, 2}, ACL_INT32}, indices.address());
    const api_test::Tensor out({{1, 1, 4, 4, 4}}, result.address());
    const api_test::IntArray two({2});
    const api_test::IntArray zero({0});
    const api_test::IntArray one({1});
    const auto outcome = api_test::run(
        [&](std::uint64_t* size, aclOpExecutor** executor) {
          return aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad, out, index, two, two, zero, one,
                                                                  false, out, size, executor);
        },
        aclnnMaxPool3dWithArgmaxBackward, nullptr);
    CHILD_EXPECT(outcome.phase2, kInvalidParameter);
    CHILD_TRUE(message_names(outcome.message, "gradOutput", heap.data(), {"host memory"}), outcome.message);
    return 0;
  });
}

TEST(ATensor, OverRegisteredHostMemoryIsAccepted) {
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    SmallCall call;
    CHILD_TRUE(call.make(), "no operands");
    std::vector<float> own(64, -1.0F);
    void* address = nullptr;
    CHILD_EXPECT(aclrtHostRegister(own.data(), kBytes, ACL_HOST_REGISTER_MAPPED, &address), 0);
    const Answer answer = call_at(call, address);
    CHILD_TRUE(answer.phase2 == 0, answer.message);
    CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
    CHILD_EXPECT(SmallCall::right(own.data()), true);
    CHILD_EXPECT(aclrtHostUnregister(own.data()), 0);
    return refused_at(own.data(), {"host memory"});
  });
}

TEST(ACpuStream, RefusesDeviceMemoryThatWasFreed) {
  CPU_ONLY("the CPU does not reach its memory");
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    for (const std::size_t bytes : {kBytes, std::size_t{4} << 20}) {
      SmallCall call;
      CHILD_TRUE(call.make(), "no operands");
      aclrtStream stream = nullptr;
      CHILD_EXPECT(cairnCreateCpuStream(&stream), 0);
      void* gone = nullptr;
      CHILD_EXPECT(aclrtMalloc(&gone, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
      CHILD_EXPECT(aclrtFree(gone), 0);
      const Answer answer = call_at(call, gone, stream);
      CHILD_TRUE(answer.phase2 == kInvalidParameter, answer.message);
      CHILD_TRUE(contains(answer.message, "has been freed"), answer.message);
    }
    return 0;
  });
}

// As Python calls do, whose arrays lie anywhere.
TEST(ACpuStream, TakesAnyMemoryOfTheProgram) {
  CPU_ONLY("the CPU does not reach its memory");
  expect_in_child([] {
    CHILD_TRUE(start(), "no device");
    aclrtStream stream = nullptr;
    CHILD_EXPECT(cairnCreateCpuStream(&stream), 0);
    std::vector<float> grad(8, 1.0F);
    std::array<std::int32_t, 8> indices{};
    std::iota(indices.begin(), indices.end(), 0);
    const api_test::Buffer result(kBytes);
    const api_test::Tensor grad_tensor({{1, 1, 2, 2, 2}}, grad.data());
    const api_test::Tensor index_tensor({{1, 1, 2, 2, 2}, ACL_INT32}, indices.data());
    const api_test::Tensor out({{1, 1, 4, 4, 4}}, result.address());
    const api_test::IntArray two({2});
    const api_test::IntArray zero({0});
    const api_test::IntArray one({1});
    const auto outcome = api_test::run(
        [&](std::uint64_t* size, aclOpExecutor** executor) {
          return aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad_tensor, out, index_tensor, two, two,
                                                                  zero, one, false, out, size, executor);
        },
        aclnnMaxPool3dWithArgmaxBackward, stream);
    CHILD_TRUE(outcome.succeeded(), outcome.message);
    std::array<float, 64> cells{};
    result.download(cells.data());
    CHILD_EXPECT(SmallCall::right(cells.data()), true);
    return 0;
  });
}

}  // namespace
}  // namespace hostile_test
