#include "runtime/place.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/state.h"

namespace cairn {

std::string what_lies_at(const Backend& backend, const void* address) {
  if (State::get().memory().was_freed(address)) return "device memory that has been freed";
  if (backend.owns_address(address)) return "device memory that is not allocated";
  switch (backend.locate(address).place) {
    case Location::Place::kDevice:
    case Location::Place::kManaged:
      return "device memory of another allocator";
    case Location::Place::kHost:
      return "pinned host memory";
    case Location::Place::kPageable:
      break;
  }
  return is_mapped(address, 1) ? "host memory" : "no memory of this process";
}

bool is_mapped(const void* begin, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
  if (end < first || bytes > SIZE_MAX / 2) return false;
  // mincore fails where nothing is mapped; what it says of the rest is of no interest here.
  std::array<unsigned char, 1024> resident;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
  for (std::uintptr_t at = first; at < end; at += page * resident.size()) {
    const std::size_t length = std::min<std::size_t>(end - at, page * resident.size());
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address rounded down to its page
    if (mincore(reinterpret_cast<void*>(at), length, resident.data()) != 0) return false;
  }
  return true;
}

}  // namespace cairn
