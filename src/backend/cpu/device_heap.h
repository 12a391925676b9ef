#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "backend/cpu/range_set.h"

namespace cairn {

// The device memory of the CPU device. Its addresses are the device's for good: they never become memory of
// the program, so that a stale address is known as one, and nothing of the program's lies where it points.
class DeviceHeap {
 public:
  // Zeroed and 64-byte aligned; null when there is not that much.
  std::byte* allocate(std::size_t bytes);
  void release(std::byte* memory, std::size_t bytes) noexcept;
  // Whether the address is the device's, allocated or not.
  bool owns(const void* address) const;

 private:
  struct Reservation {
    std::uintptr_t begin;
    std::size_t size;
  };

  std::byte* allocate_pages(std::size_t size);
  std::byte* allocate_small(std::size_t size);
  bool reserve(std::size_t size);

  mutable std::mutex mutex_;
  std::vector<Reservation> reservations_;
  RangeSet pages_;  // without access; whole huge pages
  RangeSet small_;  // with access; whole cache lines
};

}  // namespace cairn
