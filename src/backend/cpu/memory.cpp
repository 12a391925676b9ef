#include "backend/cpu/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <locale>
#include <string>

namespace cairn {
namespace {

constexpr std::size_t kAlignment = 64;
// From here on a request is compared with the memory there is.
constexpr std::size_t kChecked = std::size_t{256} << 20;

std::byte* map_huge(std::size_t bytes) {
  const std::size_t size = round_up(bytes, kHugePage);
  void* mapped = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  const std::size_t head = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (head != 0) munmap(begin, head);
  munmap(begin + head + size, kHugePage - head);
  // Only a hint: without huge pages the memory works the same.
  madvise(begin + head, size, MADV_HUGEPAGE);
  return begin + head;
}

}  // namespace

MemoryInfo system_memory() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  MemoryInfo info{static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page,
                  static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page};
  // What can be had without swapping counts the page cache as free, which _SC_AVPHYS_PAGES does not.
  std::ifstream file("/proc/meminfo");
  file.imbue(std::locale::classic());  // the program's own may group digits
  std::string key;
  std::size_t kib = 0;
  std::string unit;
  while (file >> key >> kib) {
    if (key == "MemAvailable:") {
      info.free = kib << 10;
      break;
    }
    std::getline(file, unit);
  }
  return info;
}

bool there_is_memory_for(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2) return false;
  return bytes < kChecked || bytes <= system_memory().free;
}

std::byte* allocate_zeroed(std::size_t bytes) {
  if (!there_is_memory_for(bytes)) return nullptr;
  if (bytes >= kHugePage) return map_huge(bytes);
  void* memory = std::aligned_alloc(kAlignment, round_up(bytes, kAlignment));
  if (memory != nullptr) std::memset(memory, 0, round_up(bytes, kAlignment));
  return static_cast<std::byte*>(memory);
}

void release_zeroed(std::byte* memory, std::size_t bytes) {
  if (bytes >= kHugePage) {
    munmap(memory, round_up(bytes, kHugePage));
  } else {
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc): aligned_alloc's counterpart
  }
}

}  // namespace cairn
