#include "runtime/memory_map.h"

#include <iterator>
#include <mutex>
#include <utility>

namespace cairn {
namespace {

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

bool MemoryMap::insert(Block block) {
  const std::uintptr_t begin = number(block.begin);
  const std::lock_guard lock(mutex_);
  const auto next = blocks_.lower_bound(begin);
  if (next != blocks_.end() && next->first - begin < block.bytes) return false;
  if (next != blocks_.begin() && begin - std::prev(next)->first < std::prev(next)->second.bytes) return false;
  blocks_.emplace_hint(next, begin, std::move(block));
  return true;
}

const Block* MemoryMap::holder(const void* address) const {
  const auto next = blocks_.upper_bound(number(address));
  if (next == blocks_.begin()) return nullptr;
  const Block& block = std::prev(next)->second;
  return number(address) - number(block.begin) < block.bytes ? &block : nullptr;
}

std::optional<Block> MemoryMap::find(const void* address) const {
  return ask(address, [](const Block& block) { return block; });
}

std::optional<Block> MemoryMap::remove(const void* address, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(number(address));
  if (found == blocks_.end() || found->second.kind != kind) return std::nullopt;
  Block block = std::move(found->second);
  blocks_.erase(found);
  return block;
}

std::size_t MemoryMap::count() const {
  const std::shared_lock lock(mutex_);
  return blocks_.size();
}

}  // namespace cairn
