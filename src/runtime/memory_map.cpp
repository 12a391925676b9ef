#include "runtime/memory_map.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace cairn {
namespace {

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

HeldMemory::~HeldMemory() {
  try {
    release();
  } catch (const std::exception&) {
    // A device that has failed keeps what it has until the process ends.
  }
}

void HeldMemory::release() {
  std::byte* begin = std::exchange(begin_, nullptr);
  if (begin == nullptr) return;
  if (kind_ == MemoryKind::kDevice) {
    owner_->release(begin, bytes_);
  } else {
    owner_->release_host(begin, bytes_);
  }
}

MemoryMap::Blocks::iterator MemoryMap::first_overlap(std::uintptr_t begin, std::size_t bytes) {
  const auto next = blocks_.upper_bound(begin);
  if (next != blocks_.begin() && begin - std::prev(next)->first < std::prev(next)->second.bytes)
    return std::prev(next);
  return next != blocks_.end() && next->first - begin < bytes ? next : blocks_.end();
}

bool MemoryMap::insert(Block block) {
  const std::uintptr_t begin = number(block.begin);
  const std::lock_guard lock(mutex_);
  if (first_overlap(begin, block.bytes) != blocks_.end()) return false;
  blocks_.emplace(begin, std::move(block));
  return true;
}

std::vector<Block> MemoryMap::insert_new(Block block) {
  const std::uintptr_t begin = number(block.begin);
  std::vector<Block> stale;
  const std::lock_guard lock(mutex_);
  for (auto old = first_overlap(begin, block.bytes); old != blocks_.end();
       old = first_overlap(begin, block.bytes)) {
    stale.push_back(old->second);
    blocks_.erase(old);
  }
  blocks_.emplace(begin, std::move(block));
  return stale;
}

const Block* MemoryMap::first_among(const void* begin, std::size_t bytes) const {
  const std::uintptr_t address = number(begin);
  const auto next = blocks_.upper_bound(address);
  if (next != blocks_.begin() && std::prev(next)->second.holds(begin)) return &std::prev(next)->second;
  return next != blocks_.end() && next->first - address < bytes ? &next->second : nullptr;
}

std::optional<Block> MemoryMap::find(const void* address) const {
  return ask(address, 1, [](const Block& block) { return block; });
}

std::optional<Block> MemoryMap::remove(const void* address, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(number(address));
  if (found == blocks_.end() || found->second.kind != kind) return std::nullopt;
  Block block = std::move(found->second);
  blocks_.erase(found);
  if (kind == MemoryKind::kDevice) {
    freed_[next_freed_++ % freed_.size()] = {number(block.begin), block.bytes};
  }
  return block;
}

bool MemoryMap::was_freed(const void* address) const {
  const std::shared_lock lock(mutex_);
  return std::ranges::any_of(freed_,
                             [&](const Range& range) { return number(address) - range.begin < range.bytes; });
}

std::size_t MemoryMap::count() const {
  const std::shared_lock lock(mutex_);
  return blocks_.size();
}

}  // namespace cairn
