#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "backend/backend.h"

namespace cairn {

enum class MemoryKind { kDevice, kHost, kRegistered };

struct Block {
  std::byte* begin;
  std::size_t bytes;  // all of them usable
  MemoryKind kind;
  std::int32_t device;
  std::shared_ptr<Backend> owner;

  // Bytes from `address`, which lies in the block, to its end.
  std::size_t room(const void* address) const {
    return bytes - static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin);
  }
};

// Every live block of memory the API knows, found by any address inside it.
class MemoryMap {
 public:
  // False when it would overlap a live one.
  bool insert(Block block);
  std::optional<Block> find(const void* address) const;
  // What `ask` says of the block that holds `address`, if there is one; cheaper than a copy of it.
  template <typename Ask>
  auto ask(const void* address, Ask ask) const -> std::optional<decltype(ask(std::declval<const Block&>()))> {
    const std::shared_lock lock(mutex_);
    const Block* block = holder(address);
    if (block == nullptr) return std::nullopt;
    return ask(*block);
  }
  // Takes the block out that begins at `address`, if it is one of `kind`.
  std::optional<Block> remove(const void* address, MemoryKind kind);
  std::size_t count() const;

 private:
  // Holding the lock; null when there is none.
  const Block* holder(const void* address) const;

  using Blocks = std::map<std::uintptr_t, Block>;

  mutable std::shared_mutex mutex_;
  Blocks blocks_;
};

}  // namespace cairn
