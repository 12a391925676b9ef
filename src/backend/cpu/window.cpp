#include "backend/cpu/window.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/cpu/memory.h"

namespace cairn {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 40;
constexpr std::size_t kSmallest = std::size_t{1} << 32;
// Blocks up to this size get their pages at once.
constexpr std::size_t kPopulated = std::size_t{256} << 20;
#if !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::byte* map(int file, std::size_t size, int protection) {
  void* mapped = mmap(nullptr, size, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (mapped == MAP_FAILED) return nullptr;
  // A child of fork() begins with no device memory.
  madvise(mapped, size, MADV_DONTFORK);
  return static_cast<std::byte*>(mapped);
}

}  // namespace

Window::Window() {
  file_ = memfd_create("cairn-device-memory", MFD_CLOEXEC);
  if (file_ < 0) return;
  for (std::size_t size = kLargest; size >= kSmallest; size /= 2) {
    if (ftruncate(file_, static_cast<off_t>(size)) != 0) continue;
    program_ = map(file_, size, PROT_NONE);
    kernel_ = program_ == nullptr ? nullptr : map(file_, size, PROT_READ | PROT_WRITE);
    if (kernel_ != nullptr) {
      size_ = size;
      return;
    }
    if (program_ != nullptr) munmap(program_, size);
    program_ = nullptr;
  }
}

Window::~Window() {
  if (program_ != nullptr) munmap(program_, size_);
  if (kernel_ != nullptr) munmap(kernel_, size_);
  if (file_ >= 0) close(file_);
}

std::byte* Window::allocate(std::size_t bytes) {
  if (!there_is_memory_for(bytes)) return nullptr;
  const std::size_t size = round_up(bytes, page_size()) + page_size();
  std::byte* memory = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (size > size_ - used_) return nullptr;
    memory = program_ + used_;
    used_ += size;
  }
  // One by one, the faults of first use would take longer than most kernels. Only a hint.
  if (bytes <= kPopulated) madvise(memory + to_kernel(), size - page_size(), MADV_POPULATE_WRITE);
  return memory;
}

void Window::release(std::byte* memory, std::size_t bytes) noexcept {
  const std::size_t size = round_up(bytes, page_size());
  // A tool may have opened pages of it.
  mprotect(memory, size, PROT_NONE);
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, memory - program_, static_cast<off_t>(size));
}

}  // namespace cairn
