#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace cairn {

// Device memory of the CPU device for a tool that watches the program's own loads and stores: one file of
// memory, mapped twice. The program has the addresses of the one view, which it may not touch; kernels and
// copies use the other. A freed block's addresses are not given out again, so that a stale one is always
// known.
class Window {
 public:
  Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();

  // False where the system has no room for it.
  bool usable() const { return program_ != nullptr; }
  std::byte* begin() const { return program_; }
  std::size_t size() const { return size_; }

  // Zeroed, at the start of a page, an unused page behind it; null when there is not that much.
  std::byte* allocate(std::size_t bytes);
  void release(std::byte* memory, std::size_t bytes) noexcept;
  bool owns(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(program_) < size_;
  }
  // From the program's view to that of kernels.
  std::ptrdiff_t to_kernel() const { return kernel_ - program_; }

 private:
  int file_ = -1;
  std::byte* program_ = nullptr;
  std::byte* kernel_ = nullptr;
  std::size_t size_ = 0;
  std::mutex mutex_;
  std::size_t used_ = 0;
};

}  // namespace cairn
