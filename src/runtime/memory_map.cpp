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

std::optional<Block> MemoryMap::find(const void* address) const {
  const std::shared_lock lock(mutex_);
  const auto next = blocks_.upper_bound(number(address));
  if (next == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(next)->second;
  if (number(address) - number(block.begin) >= block.bytes) return std::nullopt;
  return block;
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
