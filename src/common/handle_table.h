#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace cairn {

// What a handle stands for. The kind is part of the handle's value, so that a tensor is never taken for a
// stream.
enum class HandleKind : std::uint8_t {
  kContext = 1,
  kStream,
  kEvent,
  kDataBuffer,
  kTensor,
  kTensorList,
  kScalar,
  kScalarList,
  kIntArray,
  kFloatArray,
  kBoolArray,
  kExecutor,
};

// The live objects behind the opaque pointers of the API. A handle is not an address: it is a ticket (magic,
// kind, generation, slot) that is never dereferenced, so a stale, foreign or made-up one is simply not found,
// even after its slot has been used again.
class HandleTable {
 public:
  // Where the slots begin. A process that starts afresh after fork() uses none that its parent has used, so
  // that no handle of the parent's is ever taken for one of its own.
  struct Origin {
    std::uint32_t first_slot = 0;
  };

  HandleTable() = default;
  explicit HandleTable(Origin origin) : first_slot_(origin.first_slot) {}

  // Takes no lock: in the child of a fork() another thread of the parent may have held it.
  Origin beyond() const {
    std::uint32_t used = 0;
    for (const Shard& shard : shards_) used = std::max(used, shard.used.load(std::memory_order_relaxed));
    return {(first_slot_ + used) % kSlotsPerShard};
  }

  // Null when every slot is taken.
  void* insert(HandleKind kind, std::shared_ptr<void> object) {
    static std::atomic<unsigned> next_thread{0};
    thread_local const unsigned home = next_thread.fetch_add(1, std::memory_order_relaxed) % kShards;
    for (std::uint32_t i = 0; i < kShards; ++i) {
      const std::uint32_t number = (home + i) % kShards;  // another thread's share where the own one is full
      if (void* handle = insert_into(shards_[number], number, kind, object)) return handle;
    }
    return nullptr;
  }

  // Null when the handle is not a live one of this kind.
  std::shared_ptr<void> find(const void* handle, HandleKind kind) {
    return visit(handle, kind, [](Shard&, Slot& entry, std::uint32_t) { return entry.object; });
  }

  template <typename T>
  std::shared_ptr<T> find(const void* handle, HandleKind kind) {
    return std::static_pointer_cast<T>(find(handle, kind));
  }

  // Looks at several objects one after the other. Those of one shard, as a thread's own are, take one lock.
  class Glance {
   public:
    explicit Glance(HandleTable& table) : table_(table) {}

    // Null when the handle is not a live one of this kind. It is there until the next look.
    const std::shared_ptr<void>* at(const void* handle, HandleKind kind) {
      Shard& shard = table_.shard_of(handle);
      if (lock_.mutex() != &shard.mutex) {
        if (lock_.owns_lock()) lock_.unlock();  // never two at a time
        lock_ = std::unique_lock(shard.mutex);
      }
      const Slot* entry = table_.live(shard, handle, kind);
      return entry == nullptr ? nullptr : &entry->object;
    }

   private:
    HandleTable& table_;
    std::unique_lock<std::mutex> lock_;
  };

  // Takes the object out; whoever gets it non-null is the one who ends it.
  std::shared_ptr<void> remove(const void* handle, HandleKind kind) {
    return visit(handle, kind,
                 [](Shard& shard, Slot& entry, std::uint32_t slot) { return take(shard, entry, slot); });
  }

  // Takes the object out if `wanted` says so of it, while no other thread can; else only finds it.
  template <typename T, typename Wanted>
  std::shared_ptr<T> remove_if(const void* handle, HandleKind kind, Wanted wanted) {
    return std::static_pointer_cast<T>(
        visit(handle, kind, [&wanted](Shard& shard, Slot& entry, std::uint32_t slot) {
          return wanted(*static_cast<T*>(entry.object.get())) ? take(shard, entry, slot) : entry.object;
        }));
  }

  template <typename T>
  std::shared_ptr<T> remove(const void* handle, HandleKind kind) {
    return std::static_pointer_cast<T>(remove(handle, kind));
  }

  // Puts another object behind a live handle; false when there is none.
  bool replace(const void* handle, HandleKind kind, std::shared_ptr<void> object) {
    return visit(handle, kind, [&](Shard&, Slot& entry, std::uint32_t) {
             std::swap(entry.object, object);
             return entry.object;
           }) != nullptr;
  }

  std::size_t live() {
    std::size_t total = 0;
    for (Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      total += shard.live;
    }
    return total;
  }

  // Around fork(): no other thread may hold a shard when the process is copied.
  void lock_all() {
    for (Shard& shard : shards_) shard.mutex.lock();
  }
  void unlock_all() {
    for (Shard& shard : shards_) shard.mutex.unlock();
  }

 private:
  static constexpr std::uint64_t kMagic = 0xCA;
  static constexpr std::uint32_t kShards = 16;
  static constexpr std::uint32_t kIndexBits = 24;
  static constexpr std::uint32_t kSlotsPerShard = (1U << kIndexBits) / kShards;
  static constexpr std::uint32_t kGenerationMask = (1U << 24) - 1;
  static constexpr std::size_t kMinimumFree = 32;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t next_free = kNone;
    HandleKind kind{};
    std::shared_ptr<void> object;  // null while free
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    std::deque<Slot> slots;
    // Free slots in the order in which they became so, linked through themselves: to end an object must not
    // need memory.
    std::uint32_t first_free = kNone;
    std::uint32_t last_free = kNone;
    std::size_t free = 0;
    std::size_t live = 0;
    std::atomic<std::uint32_t> used{0};  // slots.size(), for those who cannot take the lock
  };

  void* insert_into(Shard& shard, std::uint32_t number, HandleKind kind, std::shared_ptr<void>& object) {
    const std::lock_guard lock(shard.mutex);
    std::uint32_t slot = 0;
    // Reusing the slot that has been free longest makes a generation's return as late as can be.
    const bool full = shard.slots.size() >= kSlotsPerShard - first_slot_;
    if (shard.free > kMinimumFree || (full && shard.free > 0)) {
      slot = shard.first_free;
      shard.first_free = shard.slots[slot].next_free;
      if (--shard.free == 0) shard.last_free = kNone;
    } else if (!full) {
      slot = static_cast<std::uint32_t>(shard.slots.size());
      shard.slots.emplace_back();
      shard.used.store(slot + 1, std::memory_order_relaxed);
    } else {
      return nullptr;
    }
    Slot& entry = shard.slots[slot];
    entry.generation = (entry.generation + 1) & kGenerationMask;
    entry.kind = kind;
    entry.object.swap(object);  // a free slot holds none
    ++shard.live;
    return encode(kind, entry.generation, (first_slot_ + slot) * kShards + number);
  }

  static std::shared_ptr<void> take(Shard& shard, Slot& entry, std::uint32_t slot) {
    std::shared_ptr<void> object = std::exchange(entry.object, nullptr);
    entry.next_free = kNone;
    (shard.free == 0 ? shard.first_free : shard.slots[shard.last_free].next_free) = slot;
    shard.last_free = slot;
    ++shard.free;
    --shard.live;
    return object;
  }

  static void* encode(HandleKind kind, std::uint32_t generation, std::uint32_t index) {
    const std::uint64_t value = kMagic << 56 | static_cast<std::uint64_t>(kind) << 52 |
                                static_cast<std::uint64_t>(generation) << 28 |
                                static_cast<std::uint64_t>(index) << 4;
    return reinterpret_cast<void*>(value);  // NOLINT(performance-no-int-to-ptr): a ticket, never an address
  }

  static std::uint32_t index_of(const void* handle) {
    const auto value = reinterpret_cast<std::uint64_t>(handle);
    return static_cast<std::uint32_t>(value >> 4) & ((1U << kIndexBits) - 1);
  }
  Shard& shard_of(const void* handle) { return shards_[index_of(handle) % kShards]; }
  // Huge where it lies before the first.
  std::uint32_t slot_of(const void* handle) const { return index_of(handle) / kShards - first_slot_; }

  // Holding the shard's lock; null when the handle is not a live one of this kind.
  Slot* live(Shard& shard, const void* handle, HandleKind kind) const {
    const std::uint32_t slot = slot_of(handle);
    if (slot >= shard.slots.size()) return nullptr;
    Slot& entry = shard.slots[slot];
    const bool same = entry.kind == kind && encode(kind, entry.generation, index_of(handle)) == handle;
    return same && entry.object != nullptr ? &entry : nullptr;
  }

  template <typename Visitor>
  std::shared_ptr<void> visit(const void* handle, HandleKind kind, Visitor visitor) {
    Shard& shard = shard_of(handle);
    const std::lock_guard lock(shard.mutex);
    Slot* entry = live(shard, handle, kind);
    return entry == nullptr ? nullptr : visitor(shard, *entry, slot_of(handle));
  }

  const std::uint32_t first_slot_ = 0;
  std::array<Shard, kShards> shards_;
};

}  // namespace cairn
