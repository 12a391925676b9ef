#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "backend/cpu/range_set.h"

namespace cairn {

// The device memory of the CPU device. Its addresses stay the device's when a block is freed, so that a stale
// address is known as one, and nothing of the program's lies where it points. Only where address space runs
// out do unused ones go back to the system.
class DeviceHeap {
 public:
  DeviceHeap() = default;
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;
  // No block is left: each keeps the device alive.
  ~DeviceHeap();

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
  void release_pages(std::uintptr_t begin, std::size_t size);
  std::byte* allocate_small(std::size_t size);
  void release_small(std::uintptr_t begin, std::size_t size);
  // Whether nothing else is in use in its slab.
  bool is_first_in_slab(std::uintptr_t begin, std::size_t size) const;
  bool reserve(std::size_t size);
  bool reserve_exactly(std::size_t size);
  void drop_free_reservations();

  mutable std::mutex mutex_;
  std::vector<Reservation> reservations_;
  RangeSet pages_;                  // without access; whole huge pages
  RangeSet small_;                  // with access; whole cache lines
  std::set<std::uintptr_t> slabs_;  // where small blocks lie
  std::size_t empty_slabs_ = 0;
};

}  // namespace cairn
