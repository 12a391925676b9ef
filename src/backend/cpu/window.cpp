#include "backend/cpu/window.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "backend/cpu/memory.h"

namespace cairn {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 40;
constexpr std::size_t kSmallest = std::size_t{1} << 32;
// Blocks up to this size get their pages at once.
constexpr std::size_t kPopulated = std::size_t{256} << 20;
// From here on memory is used again. Such a block is a mapping of its own, of which a process has only so
// many.
constexpr std::size_t kWorthKeeping = std::size_t{64} << 10;
constexpr std::size_t kMostMoved = 4096;
// What may be kept beyond what the program has had at one time.
constexpr std::size_t kSpare = std::size_t{32} << 20;
#if !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::byte* map(int file, std::size_t size, int protection) {
  void* mapped = mmap(nullptr, size, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

}  // namespace

Window::Window(Program program)
    : protection_(program == Program::kMay ? PROT_READ | PROT_WRITE : PROT_NONE),
      file_(memfd_create("cairn-device-memory", MFD_CLOEXEC)) {
  if (file_ < 0) return;
  for (std::size_t size = kLargest; size >= kSmallest; size /= 2) {
    if (ftruncate(file_, static_cast<off_t>(size)) != 0) continue;
    program_ = map(file_, size, PROT_NONE);
    kernel_ = program_ == nullptr ? nullptr : map(file_, size, PROT_READ | PROT_WRITE);
    if (kernel_ != nullptr) {
      size_ = size;
      // A child of fork() begins with no device memory; what the program may touch, it may touch there too.
      madvise(kernel_, size, MADV_DONTFORK);
      if (program == Program::kMayNot) madvise(program_, size, MADV_DONTFORK);
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
  const std::size_t size = round_up(bytes, page_size());
  const std::lock_guard lock(mutex_);
  std::byte* memory = take_kept(size);
  if (memory == nullptr) memory = take_new(size);
  if (memory == nullptr) return nullptr;
  live_bytes_ += size;
  most_live_bytes_ = std::max(most_live_bytes_, live_bytes_);
  return memory;
}

std::byte* Window::take_new(std::size_t size) {
  if (size + page_size() > size_ - used_) return nullptr;
  std::byte* const memory = program_ + used_;
  if (protection_ != PROT_NONE && mprotect(memory, size, protection_) != 0) return nullptr;
  used_ += size + page_size();
  // One by one, the faults of first use would take longer than most kernels. Only a hint.
  if (size <= kPopulated) madvise(memory + to_kernel(), size, MADV_POPULATE_WRITE);
  if (size <= kPopulated && protection_ != PROT_NONE) madvise(memory, size, MADV_POPULATE_WRITE);
  return memory;
}

std::byte* Window::take_kept(std::size_t size) {
  const auto found = kept_.find(size);
  if (found == kept_.end() || moved_.size() == kMostMoved || size + page_size() > size_ - used_)
    return nullptr;
  std::byte* const memory = program_ + used_;
  const Kept kept = found->second;
  kept_.erase(found);
  kept_bytes_ -= size;
  used_ += size + page_size();
  if (!move(kept, memory, size)) {
    drop(kept.memory, kept.file_offset, size);
    return nullptr;
  }
  std::memset(memory + to_kernel(), 0, size);
  return memory;
}

// Both views get the memory at new addresses; with it goes what the system knows of its pages.
bool Window::move(const Kept& kept, std::byte* to, std::size_t size) {
  try {
    moved_[to] = kept.file_offset;
  } catch (const std::bad_alloc&) {
    return false;
  }
  const int flags = MAP_SHARED | MAP_NORESERVE | MAP_FIXED;
  if (mmap(to, size, protection_, flags, file_, static_cast<off_t>(kept.file_offset)) == MAP_FAILED ||
      mremap(kept.memory + to_kernel(), size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to + to_kernel()) ==
          MAP_FAILED) {
    moved_.erase(to);
    return false;
  }
  if (protection_ == PROT_NONE) madvise(to, size, MADV_DONTFORK);
  return true;
}

void Window::release(std::byte* memory, std::size_t bytes) noexcept {
  const std::size_t size = round_up(bytes, page_size());
  const std::lock_guard lock(mutex_);
  live_bytes_ -= size;
  std::size_t file_offset = offset(memory);
  if (const auto moved = moved_.find(memory); moved != moved_.end()) {
    file_offset = moved->second;
    moved_.erase(moved);
  }
  // Nothing of another block's may be seen there, whoever opens it.
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  const bool hidden = size < kWorthKeeping ? mprotect(memory, size, PROT_NONE) == 0
                                           : mmap(memory, size, PROT_NONE, flags, -1, 0) != MAP_FAILED;
  const bool keep =
      hidden && size >= kWorthKeeping && live_bytes_ + kept_bytes_ + size <= most_live_bytes_ + kSpare;
  try {
    if (keep) {
      kept_.emplace(size, Kept{memory, file_offset});
      kept_bytes_ += size;
      return;
    }
  } catch (const std::bad_alloc&) {
    // Then the system gets it.
  }
  drop(memory, file_offset, size);
}

void Window::drop(std::byte* memory, std::size_t file_offset, std::size_t size) noexcept {
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(file_offset),
            static_cast<off_t>(size));
  // A mapping less, where it is one of its own.
  if (size >= kWorthKeeping) munmap(memory + to_kernel(), size);
}

}  // namespace cairn
