#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "runtime/bridge.h"

namespace cairn {

// Memory of a backend. Ends when the program has freed it and no queued work uses it any more.
class HeldMemory {
 public:
  HeldMemory(std::shared_ptr<Backend> owner, MemoryKind kind) : owner_(std::move(owner)), kind_(kind) {}
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory();

  void adopt(std::byte* begin, std::size_t bytes) {
    begin_ = begin;
    bytes_ = bytes;
  }
  // Gives it back now; a DeviceError says that the device could not.
  void release();

 private:
  const std::shared_ptr<Backend> owner_;
  const MemoryKind kind_;
  std::byte* begin_ = nullptr;  // null once it is given back
  std::size_t bytes_ = 0;
};

struct Block {
  std::byte* begin;
  std::size_t bytes;  // all of them usable
  MemoryKind kind;
  std::int32_t device;
  std::shared_ptr<Backend> owner;
  std::shared_ptr<HeldMemory> memory = nullptr;  // null where the memory is the program's own
  std::ptrdiff_t to_kernel = 0;                  // from these addresses to those that kernels use

  // Bytes from `address`, which lies in the block, to its end.
  std::size_t room(const void* address) const {
    return bytes - static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin);
  }
  bool holds(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin) < bytes;
  }
};

// Every live block of memory the API knows, found by any address inside it.
class MemoryMap {
 public:
  // False when it would overlap a live one.
  bool insert(Block block);
  // The same for memory that a backend has just made. A registration that it overlaps is of memory that is
  // long gone: those are returned, and forgotten here.
  std::vector<Block> insert_new(Block block);
  std::optional<Block> find(const void* address) const;
  // What `ask` says of the block that holds the first of these bytes, else of the first block among them, if
  // there is one; cheaper than a copy of it.
  template <typename Ask>
  auto ask(const void* begin, std::size_t bytes, Ask ask) const
      -> std::optional<decltype(ask(std::declval<const Block&>()))> {
    const std::shared_lock lock(mutex_);
    const Block* block = first_among(begin, bytes);
    if (block == nullptr) return std::nullopt;
    return ask(*block);
  }
  // Calls use(find): find(begin, bytes) is that block or null, and all are found under one lock.
  template <typename Use>
  void find_several(Use use) const {
    const std::shared_lock lock(mutex_);
    use([this](const void* begin, std::size_t bytes) { return first_among(begin, bytes); });
  }
  // Takes the block out that begins at `address`, if it is one of `kind`.
  std::optional<Block> remove(const void* address, MemoryKind kind);
  // Whether the address lay in one of the blocks that were freed lately.
  bool was_freed(const void* address) const;
  std::size_t count() const;

 private:
  using Blocks = std::map<std::uintptr_t, Block>;

  struct Range {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
  };

  // Holding the lock; null when there is none.
  const Block* first_among(const void* begin, std::size_t bytes) const;
  // Holding the lock; the end when there is none.
  Blocks::iterator first_overlap(std::uintptr_t begin, std::size_t bytes);

  mutable std::shared_mutex mutex_;
  Blocks blocks_;
  std::array<Range, 256> freed_{};
  std::size_t next_freed_ = 0;
};

}  // namespace cairn
