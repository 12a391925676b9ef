#include "backend/cpu/device_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
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
// Address space is taken in pieces of this size, or what a larger block needs.
constexpr std::size_t kReservation = std::size_t{1} << 30;
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

void DeviceHeap::release(std::byte* memory, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(mutex_);
  try {
    if (!is_large(bytes)) {
      forbid(memory, small_size(bytes));
      small_.give_back(begin, small_size(bytes));
      return;
    }
    // New pages in the place of the old ones: the memory goes back to the system, the addresses stay here.
    void* again = mmap(memory, large_size(bytes), PROT_NONE, kReserved | MAP_FIXED, -1, 0);
    if (again != MAP_FAILED) pages_.give_back(begin, large_size(bytes));
  } catch (const std::bad_alloc&) {
    // Without memory to note it the range is lost to us, and does no harm.
  }
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
    small_.give_back(reinterpret_cast<std::uintptr_t>(slab), kSlab);
    begin = small_.take(size);
  }
  return begin ? pointer(*begin) : nullptr;
}

bool DeviceHeap::reserve(std::size_t size) {
  // A limit on the address space may leave room for this block only.
  for (const std::size_t wanted : {std::max(size, kReservation), size}) {
    void* mapped = mmap(nullptr, wanted + kHugePage, PROT_NONE, kReserved, -1, 0);
    if (mapped == MAP_FAILED) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t begin = round_up(address, kHugePage);
    if (begin != address) munmap(mapped, begin - address);
    munmap(pointer(begin + wanted), address + kHugePage - begin);
    try {
      reservations_.push_back({begin, wanted});
      pages_.give_back(begin, wanted);
    } catch (...) {
      std::erase_if(reservations_, [&](const Reservation& made) { return made.begin == begin; });
      munmap(pointer(begin), wanted);
      throw;
    }
    return true;
  }
  return false;
}

}  // namespace cairn
