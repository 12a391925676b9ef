#include <algorithm>
#include <string>

#include "check/arguments.h"
#include "check/model.h"

namespace cairn::check {
namespace {

std::string asked_for(const Block& block) {
  std::string text = "its memory was asked for with " + std::to_string(block.requested);
  if (block.usable != block.requested) text += " (" + std::to_string(block.usable) + " usable)";
  return text;
}

bool is_device_kind(std::uint64_t kind, bool destination) {
  constexpr std::uint64_t kHostToDevice = 1;
  constexpr std::uint64_t kDeviceToHost = 2;
  return kind == 3 || kind == (destination ? kHostToDevice : kDeviceToHost);
}

}  // namespace

void Model::given_back(const void* begin) {
  Block* const block = blocks_.find(reinterpret_cast<std::uintptr_t>(begin));
  if (block != nullptr && block->freed != nullptr) block->given_back = true;
}

void Model::allocated(const Memory& memory) { blocks_.add(memory, here()); }

void Model::operands(const char* name, const void* stream, std::span<const Footprint> touches) {
  const auto id = stream_ids_.find(stream);
  const bool any_memory = id != stream_ids_.end() && takes_any_memory(id->second);
  for (const Footprint& touch : touches) check_tensor(name, touch, any_memory);
  if (thread_frame().call != nullptr) check_changed(*thread_frame().call);
}

bool Model::is_freed_or_reset(const std::string& who, Block& block, const Footprint& touch) {
  if (block.freed != nullptr) {
    report({.rule = RuleId::use_of_freed_memory,
            .message = who + ": " + name_of(touch) + ", lies at " + address_text(touch.begin) + " in " +
                       std::to_string(block.requested) + " bytes that have been freed",
            .others = {{"freed", block.freed}, {"memory", block.made}}});
    return true;
  }
  if (!block.device_has_ended) return false;
  report({.rule = RuleId::memory_after_reset,
          .message = who + ": " + name_of(touch) + ", lies at " + address_text(touch.begin) +
                     " in memory of a device that aclrtResetDevice has ended",
          .others = {{"memory", block.made}}});
  return false;
}

void Model::check_tensor(const char* name, const Footprint& touch, bool any_memory) {
  const std::string who = std::string(name) + " (call " + std::to_string(work_ + 1) + ")";
  Block* block = blocks_.find(touch.base);
  if (block == nullptr || block->freed != nullptr) {
    Block* const there = blocks_.find(touch.begin);
    if (block == nullptr || there != nullptr) block = there;
  }
  if (block == nullptr) {
    if (!any_memory && touch.access != Access::kUnused)
      thread_frame().unknown_operand = name_of(touch) + ", lies at " + address_text(touch.begin);
    return;
  }
  if (touch.access == Access::kUnused && block->freed != nullptr) return;
  if (is_freed_or_reset(who, *block, touch)) return;
  block->touched = true;
  if (block->kind == MemoryKind::kHost && !any_memory && touch.access != Access::kUnused) {
    report({.rule = RuleId::host_memory_as_tensor,
            .message = who + ": " + name_of(touch) + ", lies at " + address_text(touch.begin) +
                       " in host memory of aclrtMallocHost",
            .others = {{"memory", block->made}}});
    return;
  }
  if (block->kind == MemoryKind::kRegistered || check_regions(who, touch)) return;
  if (touch.begin >= block->begin && touch.end <= block->end()) return check_padding(who, touch, *block);
  const std::size_t needed = touch.end - std::min(touch.begin, block->begin);
  const std::size_t missing =
      touch.end > block->end() ? touch.end - std::max(block->end(), touch.begin) : block->begin - touch.begin;
  report({.rule = RuleId::tensor_outside_its_allocation,
          .message = who + ": " + name_of(touch) + ", needs " + std::to_string(needed) + " bytes at " +
                     address_text(touch.begin) + ", but " + asked_for(*block) + ": " +
                     std::to_string(missing) + " too few",
          .others = {{"memory", block->made}},
          .fix = "allocate at least " + std::to_string(touch.end - block->begin) + " bytes",
          .level = touch.access == Access::kUnused ? Level::kWarning : Level::kError});
}

void Model::check_padding(const std::string& who, const Footprint& touch, const Block& block) {
  const std::uintptr_t asked_end = block.begin + block.requested;
  if (touch.end <= asked_end || touch.access == Access::kUpdate) return;
  const std::size_t first = std::max(touch.begin, asked_end) - touch.begin;
  const std::size_t last = touch.end - touch.begin - 1;
  const std::size_t needed = touch.end - block.begin;
  const std::size_t from = std::max(touch.begin, asked_end) - block.begin;
  const std::size_t unwritten = block.defined.first_unwritten(from, needed);
  std::string message = who + ": " + name_of(touch) + ", needs " + std::to_string(needed) +
                        (needed == 1 ? " byte" : " bytes") + ", but its memory was asked for with " +
                        std::to_string(block.requested) + "; bytes " + std::to_string(first) + " to " +
                        std::to_string(last) + " lie in the allocator's padding";
  if (!writes(touch.access) && unwritten != needed) message += ", and nothing has written them";
  std::string fix = "allocate at least " + std::to_string(needed) + " bytes";
  std::string npu;
  const auto element = static_cast<std::size_t>(touch.view == nullptr ? 1 : touch.view->element_size);
  const std::size_t ratio = needed % block.requested == 0 ? needed / block.requested : 0;
  if (touch.begin == block.begin && ratio > 1 && element % ratio == 0) {
    fix = "the host data has elements of " + std::to_string(element / ratio) + " byte" +
          (element / ratio == 1 ? "" : "s") + ", the tensor of " + std::to_string(element) +
          ": give both one type";
    npu = "the upper bytes of " + std::string(touch.argument) + " are whatever was there";
  }
  report({.rule = RuleId::tensor_past_request,
          .message = std::move(message),
          .others = {{"memory", block.made}},
          .npu = std::move(npu),
          .fix = std::move(fix)});
}

void Model::copying(std::span<const Footprint> touches) {
  for (const Footprint& touch : touches) check_copied(touch);
  check_kind(touches);
}

void Model::check_copied(const Footprint& touch) {
  Block* const block = blocks_.find(touch.begin);
  if (block == nullptr) return;
  const std::string who = here()->function;
  if (is_freed_or_reset(who, *block, touch)) return;
  block->touched = true;
  if (block->kind == MemoryKind::kRegistered) return;
  const bool outside = touch.end > block->end();
  if (!outside && touch.end <= block->begin + block->requested) return;
  const std::size_t excess = touch.end - block->begin - block->requested;
  report({.rule = RuleId::copy_outside_allocation,
          .message = who + ": " + touch.argument + ", " + std::to_string(touch.end - touch.begin) +
                     " bytes at " + address_text(touch.begin) + ", runs " + std::to_string(excess) +
                     " past the " + std::to_string(block->requested) + " bytes that were requested" +
                     (outside ? "" : ", into the allocator's padding"),
          .others = {{"memory", block->made}},
          .level = outside ? Level::kError : Level::kWarning});
}

// Whether the kind names what the pointers are. DEFAULT and the kinds with BUF in them leave it open.
void Model::check_kind(std::span<const Footprint> touches) {
  const ApiCall& call = *thread_frame().call;
  const ApiValue* const kind = find_argument(call, "kind");
  constexpr std::uint64_t kLastStrict = 3;  // ACL_MEMCPY_DEVICE_TO_DEVICE
  if (touches.size() != 2 || kind == nullptr || kind->bits > kLastStrict) return;
  for (const Footprint& touch : touches) {
    const Block* const block = blocks_.find(touch.begin);
    if (block != nullptr && block->kind == MemoryKind::kRegistered) continue;
    const bool is_device =
        block != nullptr ? block->kind == MemoryKind::kDevice : touch.place == Place::kDevice;
    if (is_device == is_device_kind(kind->bits, writes(touch.access))) continue;
    report({.rule = RuleId::wrong_copy_kind,
            .message = std::string(call.function) + ": kind is " + text_of(*kind, "kind") + ", but " +
                       touch.argument + " (" + address_text(touch.begin) + ") is " +
                       (is_device ? "device" : "host") + " memory",
            .others = {{"memory", block == nullptr ? nullptr : block->made}}});
    return;
  }
}

void Model::workspace(const GivenWorkspace& given) {
  const auto id = stream_ids_.find(given.stream);
  if (id != stream_ids_.end() && takes_any_memory(id->second)) return;
  if (given.asked == 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(given.address);
  Block* const block = given.address == nullptr ? nullptr : blocks_.find(address);
  if (block != nullptr) block->touched = true;
  const std::string who = std::string(given.name) + " (call " + std::to_string(work_ + 1) + ")";
  const std::string asked = "phase 1 requested " + std::to_string(given.asked) + " bytes";
  const std::string fix =
      "allocate the " + std::to_string(given.asked) +
      " bytes that phase 1 requests under check; on an NPU it may request some in any run";
  if (given.address == nullptr) {
    report({.rule = RuleId::workspace_too_small,
            .message = who + ": workspace is null, but " + asked,
            .fix = fix});
  } else if (given.size < given.asked) {
    report({.rule = RuleId::workspace_too_small,
            .message = who + ": workspaceSize is " + std::to_string(given.size) + ", but " + asked,
            .fix = fix});
  } else if (block != nullptr && block->freed == nullptr &&
             block->begin + block->requested < address + given.asked) {
    report({.rule = RuleId::workspace_too_small,
            .message = who + ": workspace has " + std::to_string(block->begin + block->requested - address) +
                       " bytes, but " + asked,
            .others = {{"memory", block->made}},
            .fix = fix});
  }
}

// aclrtFree and its sisters have refused an address.
void Model::explain_free(const ApiCall& call) {
  const std::uintptr_t address = call.values.empty() ? 0 : call.values[0].bits;
  if (address == 0) return;
  Block* const block = blocks_.find_last(address);
  const std::string who = std::string(call.function) + "(" + arguments_of(call) + "): ";
  if (block == nullptr) {
    report({.rule = RuleId::free_of_foreign_memory,
            .message = who + "no allocation of this API holds that address"});
  } else if (block->freed != nullptr) {
    report({.rule = RuleId::double_free,
            .message = who + "these " + std::to_string(block->requested) + " bytes have been freed already",
            .others = {{"freed", block->freed}, {"memory", block->made}}});
  } else if (block->begin != address) {
    report({.rule = RuleId::free_of_interior_pointer,
            .message = who + "lies " + std::to_string(address - block->begin) +
                       " bytes inside the block at " + address_text(block->begin),
            .others = {{"memory", block->made}}});
  } else {
    report({.rule = RuleId::free_of_foreign_memory,
            .message = who + "this block was made by " + block->made->function,
            .others = {{"memory", block->made}}});
  }
}

}  // namespace cairn::check
