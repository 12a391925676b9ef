#include "pages.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace cairn::bench {
namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}

Pages::Pages(std::size_t bytes) : bytes_((bytes / kHugePage + 1) * kHugePage) {
  void* memory = aligned_alloc(kHugePage, bytes_);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, bytes_, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes_);
  data_ = static_cast<std::byte*>(memory);
}

Pages::~Pages() { free(data_); }

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

}  // namespace cairn::bench
