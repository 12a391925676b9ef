#include <cstdlib>
#include <memory>

#include "fuzz/program_call.h"

// Phase 1 with anything at all: it answers with a status of its own, says why, and writes nothing when it
// refuses.
namespace {

using fuzz::Arguments;
using fuzz::ProgramCall;
using reference::Random;

// NOLINTBEGIN(performance-no-int-to-ptr): addresses that are none are the point
const void* wrong_handle(Random& random, const void* other_kind, const void* stale) {
  return random.pick<const void*>({nullptr, other_kind, stale, &random,
                                   reinterpret_cast<const void*>(std::uintptr_t{8}),
                                   reinterpret_cast<const void*>(random.bits())});
}

aclTensor* wrong_tensor(Random& random, const void* other_kind, const void* stale) {
  return const_cast<aclTensor*>(static_cast<const aclTensor*>(wrong_handle(random, other_kind, stale)));
}

void* unreadable_address(Random& random) {
  return reinterpret_cast<void*>(random.pick<std::uintptr_t>({0, 64, ~std::uintptr_t{63}}));
}
// NOLINTEND(performance-no-int-to-ptr)

void choose_product(Random& random) {
  const char* product = random.pick({"", "", "", "portable", "atlas-a2", "Ascend910B4-1", "atlas-a3",
                                     "Ascend950PR_9591", "atlas-training", "atlas-inference", "Ascend310B",
                                     "Ascend310", "Ascend910B", "no such product"});
  setenv("CAIRN_PRODUCT", product, 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Random random(std::span(data, size));
  choose_product(random);
  ProgramCall call = fuzz::sound_call(random);
  for (std::int64_t changes = random.between(0, 4); changes > 0; --changes) bend(random, call);

  // Phase 1 never looks at data, so an address that cannot be read is as good as any.
  const api_test::Tensor grad(call.grad, unreadable_address(random));
  const api_test::Tensor self(call.self, unreadable_address(random));
  const api_test::Tensor indices(call.indices, unreadable_address(random));
  const api_test::Tensor result(call.result, unreadable_address(random));
  std::vector<std::unique_ptr<api_test::IntArray>> arrays;
  for (const auto& values : call.arrays) arrays.push_back(std::make_unique<api_test::IntArray>(values));
  Arguments arguments{grad, self, indices, result, {}};
  for (std::size_t i = 0; i < arrays.size(); ++i) arguments.arrays[i] = *arrays[i];

  const void* stale = [&] {
    const api_test::Tensor short_lived(call.grad, nullptr);
    return static_cast<aclTensor*>(short_lived);
  }();
  if (random.chance(15)) {
    switch (random.between(0, 4)) {
      case 0:
        arguments.grad = wrong_tensor(random, arguments.arrays[0], stale);
        break;
      case 1:
        arguments.self = wrong_tensor(random, arguments.arrays[0], stale);
        break;
      case 2:
        arguments.indices = wrong_tensor(random, arguments.arrays[0], stale);
        break;
      case 3:
        arguments.result = wrong_tensor(random, arguments.arrays[0], stale);
        break;
      default:
        arguments.arrays[0] = static_cast<const aclIntArray*>(wrong_handle(random, arguments.grad, stale));
    }
  }

  constexpr std::uint64_t kUntouchedSize = 0x1234567890abcdef;
  std::uint64_t workspace_size = kUntouchedSize;
  aclOpExecutor* executor = nullptr;
  std::uint64_t* size_destination = random.chance(2) ? nullptr : &workspace_size;
  aclOpExecutor** executor_destination = random.chance(2) ? nullptr : &executor;
  aclGetRecentErrMsg();
  const aclnnStatus status = phase1(call, arguments, size_destination, executor_destination);
  const char* message = aclGetRecentErrMsg();

  if (status == 0) {
    if (executor == nullptr) fail(call, "accepted without an executor");
    if (aclDestroyAclOpExecutor(executor) != 0) fail(call, "the executor cannot be destroyed");
    return 0;
  }
  if (status != 161001 && status != 161002) fail(call, "unexpected status " + std::to_string(status));
  if (workspace_size != kUntouchedSize || executor != nullptr)
    fail(call, "refused, yet the outputs were written");
  if (message == nullptr || *message == '\0') fail(call, "refused without a message");
  return 0;
}
