#include "backend/cpu/device_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>

#include "backend/cpu/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif

namespace cairn {
namespace {

constexpr std::size_t kLine = 64;
// Address space is taken in growing pieces, or as much as a larger block needs.
constexpr std::size_t kSmallestReservation = std::size_t{64} << 20;
constexpr std::size_t kLargestReservation = std::size_t{1} << 30;
// Small blocks share pieces of this size.
constexpr std::size_t kSlab = 4 * kHugePage;

#if defined(ASAN_POISON_MEMORY_REGION)
// The address sanitizer then sees an access past the end of a small block, as it does on the heap.
constexpr std::size_t kRedZone = kLine;
void forbid(const void* memory, std::size_t bytes) { ASAN_POISON_MEMORY_REGION(memory, bytes); }
void allow(const void* memory, std::size_t bytes) { ASAN_UNPOISON_MEMORY_REGION(memory, bytes); }
#else
constexpr std::size_t kRedZone = 0;
void forbid(const void* /*memory*/, std::size_t /*bytes*/) {}
void allow(const void* /*memory*/, std::size_t /*bytes*/) {}
#endif

bool is_large(std::size_t bytes) { return bytes >= kHugePage; }
std::size_t large_size(std::size_t bytes) { return round_up(bytes, kHugePage); }
std::size_t small_size(std::size_t bytes) { return round_up(bytes, kLine) + kRedZone; }

std::byte* pointer(std::uintptr_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

constexpr int kReserved = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

std::byte* DeviceHeap::allocate(std::size_t bytes) {
  if (!there_is_memory_for(bytes)) return nullptr;
  const std::lock_guard lock(mutex_);
  if (is_large(bytes)) return allocate_pages(large_size(bytes));
  std::byte* memory = allocate_small(small_size(bytes));
  if (memory == nullptr) return nullptr;
  allow(memory, bytes);
  std::memset(memory, 0, bytes);
  return memory;
}

DeviceHeap::~DeviceHeap() {
  for (const Reservation& reservation : reservations_) {
    allow(pointer(reservation.begin), reservation.size);
    munmap(pointer(reservation.begin), reservation.size);
  }
}

void DeviceHeap::release(std::byte* memory, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(mutex_);
  try {
    if (is_large(bytes)) {
      release_pages(begin, large_size(bytes));
    } else {
      release_small(begin, small_size(bytes));
    }
  } catch (const std::bad_alloc&) {
    // Without memory to note it the range is lost to us, and does no harm.
  }
}

void DeviceHeap::release_pages(std::uintptr_t begin, std::size_t size) {
  // New pages in the place of the old ones: the memory goes back to the system, the addresses stay here.
  // Where there are too many mappings for that, the memory goes back all the same.
  void* again = mmap(pointer(begin), size, PROT_NONE, kReserved | MAP_FIXED, -1, 0);
  if (again == MAP_FAILED) madvise(pointer(begin), size, MADV_DONTNEED);
  pages_.give_back(begin, size);
}

void DeviceHeap::release_small(std::uintptr_t begin, std::size_t size) {
  forbid(pointer(begin), size);
  small_.give_back(begin, size);
  const std::uintptr_t slab = *std::prev(slabs_.upper_bound(begin));
  if (!small_.holds(slab, kSlab)) return;
  // One stays, for a program that frees its last block and allocates the next.
  if (empty_slabs_++ == 0) return;
  --empty_slabs_;
  small_.cut(slab, kSlab);
  slabs_.erase(slab);
  allow(pointer(slab), kSlab);
  release_pages(slab, kSlab);
}

bool DeviceHeap::owns(const void* address) const {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(reservations_, [&](const Reservation& reservation) {
    return number - reservation.begin < reservation.size;
  });
}

std::byte* DeviceHeap::allocate_pages(std::size_t size) {
  std::optional<std::uintptr_t> begin = pages_.take(size);
  if (!begin && reserve(size)) begin = pages_.take(size);
  if (!begin) return nullptr;
  std::byte* memory = pointer(*begin);
  if (mprotect(memory, size, PROT_READ | PROT_WRITE) != 0) {
    pages_.give_back(*begin, size);
    return nullptr;
  }
  // Only a hint: without huge pages the memory works the same.
  madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

std::byte* DeviceHeap::allocate_small(std::size_t size) {
  std::optional<std::uintptr_t> begin = small_.take(size);
  if (!begin) {
    std::byte* slab = allocate_pages(kSlab);
    if (slab == nullptr) return nullptr;
    forbid(slab, kSlab);
    const auto address = reinterpret_cast<std::uintptr_t>(slab);
    slabs_.insert(address);
    small_.give_back(address, kSlab);
    ++empty_slabs_;
    begin = small_.take(size);
  }
  if (!begin) return nullptr;
  if (is_first_in_slab(*begin, size)) --empty_slabs_;
  return pointer(*begin);
}

bool DeviceHeap::is_first_in_slab(std::uintptr_t begin, std::size_t size) const {
  const std::uintptr_t slab = *std::prev(slabs_.upper_bound(begin));
  const std::size_t ahead = begin - slab;
  const std::size_t behind = kSlab - ahead - size;
  return (ahead == 0 || small_.holds(slab, ahead)) && (behind == 0 || small_.holds(begin + size, behind));
}

bool DeviceHeap::reserve(std::size_t size) {
  std::size_t reserved = 0;
  for (const Reservation& reservation : reservations_) reserved += reservation.size;
  const std::size_t growth = std::clamp(reserved, kSmallestReservation, kLargestReservation);
  // A limit on the address space may leave room for this block only, or for it in the place of others.
  if (size < growth && reserve_exactly(growth)) return true;
  if (reserve_exactly(size)) return true;
  drop_free_reservations();
  return reserve_exactly(size);
}

bool DeviceHeap::reserve_exactly(std::size_t size) {
  void* mapped = mmap(nullptr, size + kHugePage, PROT_NONE, kReserved, -1, 0);
  if (mapped == MAP_FAILED) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t begin = round_up(address, kHugePage);
  if (begin != address) munmap(mapped, begin - address);
  munmap(pointer(begin + size), address + kHugePage - begin);
  try {
    reservations_.push_back({begin, size});
    pages_.give_back(begin, size);
  } catch (...) {
    std::erase_if(reservations_, [&](const Reservation& made) { return made.begin == begin; });
    munmap(pointer(begin), size);
    throw;
  }
  return true;
}

void DeviceHeap::drop_free_reservations() {
  std::erase_if(reservations_, [&](const Reservation& reservation) {
    if (!pages_.holds(reservation.begin, reservation.size)) return false;
    pages_.cut(reservation.begin, reservation.size);
    munmap(pointer(reservation.begin), reservation.size);
    return true;
  });
}

}  // namespace cairn
