#include <cstdlib>

#include "conformance/descriptors.h"
#include "fuzz/bend.h"

// Phase 1 with anything at all: it answers with a status of its own, says why, and writes nothing when it
// refuses.
namespace {

using reference::Random;

// NOLINTBEGIN(performance-no-int-to-ptr): addresses that are none are the point
const void* wrong_handle(Random& random, const void* other_kind, const void* stale) {
  return random.pick<const void*>({nullptr, other_kind, stale, &random,
                                   reinterpret_cast<const void*>(std::uintptr_t{8}),
                                   reinterpret_cast<const void*>(random.bits())});
}

void* unreadable_address(Random& random) {
  return reinterpret_cast<void*>(random.pick<std::uintptr_t>({0, 64, ~std::uintptr_t{63}}));
}
// NOLINTEND(performance-no-int-to-ptr)

// One of the handles becomes one that is none, or one of the other kind.
void misplace_handle(Random& random, std::vector<conformance::Value>& values) {
  const void* stale = [] {
    const api_test::Tensor short_lived({.dims = {1}}, nullptr);
    return static_cast<aclTensor*>(short_lived);
  }();
  const auto which = static_cast<std::size_t>(random.between(0, std::ssize(values) - 1));
  if (auto* tensor = std::get_if<aclTensor*>(&values[which])) {
    const void* array = nullptr;
    for (const conformance::Value& value : values)
      if (const auto* found = std::get_if<aclIntArray*>(&value)) array = *found;
    *tensor = static_cast<aclTensor*>(const_cast<void*>(wrong_handle(random, array, stale)));
  } else if (auto* floats = std::get_if<aclFloatArray*>(&values[which])) {
    const void* other = std::get<aclTensor*>(values[0]);
    *floats = static_cast<aclFloatArray*>(const_cast<void*>(wrong_handle(random, other, stale)));
  } else if (auto* array = std::get_if<aclIntArray*>(&values[which])) {
    const void* other = std::get<aclTensor*>(values[0]);
    *array = static_cast<aclIntArray*>(const_cast<void*>(wrong_handle(random, other, stale)));
  }
}

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
  fuzz::Case call = fuzz::sound_call(random);
  for (std::int64_t changes = random.between(0, 4); changes > 0; --changes) fuzz::bend(random, call);

  // Phase 1 never looks at data, so an address that cannot be read is as good as any.
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) addresses.push_back(unreadable_address(random));
  conformance::Descriptors descriptors(call, addresses);
  if (random.chance(15)) misplace_handle(random, descriptors.values());

  constexpr std::uint64_t kUntouchedSize = 0x1234567890abcdef;
  std::uint64_t workspace_size = kUntouchedSize;
  aclOpExecutor* executor = nullptr;
  std::uint64_t* size_destination = random.chance(2) ? nullptr : &workspace_size;
  aclOpExecutor** executor_destination = random.chance(2) ? nullptr : &executor;
  aclGetRecentErrMsg();
  const aclnnStatus status = descriptors.phase1(size_destination, executor_destination);
  const char* message = aclGetRecentErrMsg();

  if (status == 0) {
    if (executor == nullptr) fuzz::fail(call, "accepted without an executor");
    if (aclDestroyAclOpExecutor(executor) != 0) fuzz::fail(call, "the executor cannot be destroyed");
    return 0;
  }
  if (status != 161001 && status != 161002) fuzz::fail(call, "unexpected status " + std::to_string(status));
  if (workspace_size != kUntouchedSize || executor != nullptr)
    fuzz::fail(call, "refused, yet the outputs were written");
  if (message == nullptr || *message == '\0') fuzz::fail(call, "refused without a message");
  return 0;
}
