#include "check/records.h"

#include <array>
#include <cstdio>
#include <iterator>

namespace cairn::check {

Block::Block(const Memory& memory, CallPtr maker)
    : begin(reinterpret_cast<std::uintptr_t>(memory.begin)),
      requested(memory.requested),
      usable(memory.usable),
      kind(memory.kind),
      device(memory.device),
      made(std::move(maker)),
      watched(memory.watched),
      written_by_others(memory.shared),
      defined(memory.requested, memory.usable) {}

Block& Blocks::add(const Memory& memory, const CallPtr& maker) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.begin);
  auto next = blocks_.upper_bound(begin);
  if (next != blocks_.begin() && std::prev(next)->second.end() > begin) --next;
  while (next != blocks_.end() && next->first < begin + memory.usable) next = blocks_.erase(next);
  return blocks_.try_emplace(begin, memory, maker).first->second;
}

Block* Blocks::before(std::uintptr_t address) {
  const auto next = blocks_.upper_bound(address);
  return next == blocks_.begin() ? nullptr : &std::prev(next)->second;
}

Block* Blocks::find_last(std::uintptr_t address) {
  Block* const block = before(address);
  return block != nullptr && block->holds(address) ? block : nullptr;
}

Block* Blocks::find(std::uintptr_t address) {
  Block* const block = find_last(address);
  return block != nullptr && !block->given_back ? block : nullptr;
}

std::string address_text(std::uintptr_t address) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%zx", static_cast<std::size_t>(address));
  return text.data();
}

const char* name_of(HandleKind kind) {
  constexpr std::array<const char*, 13> kNames = {
      "object",        "aclrtContext",  "aclrtStream",  "aclrtEvent",    "aclDataBuffer",
      "aclTensor",     "aclTensorList", "aclScalar",    "aclScalarList", "aclIntArray",
      "aclFloatArray", "aclBoolArray",  "aclOpExecutor"};
  const auto place = static_cast<std::size_t>(kind);
  return place < kNames.size() ? kNames[place] : "object";
}

}  // namespace cairn::check
