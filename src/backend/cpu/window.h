#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace cairn {

// Memory of the CPU device for a tool that watches the program's own loads and stores: one file of memory,
// mapped twice. The program has the addresses of the one view, which a tool closes and opens; kernels and
// copies use the other. A freed block's addresses are not given out again, so that a stale one is always
// known; the memory behind them is.
class Window {
 public:
  // Whether the program may touch a new block.
  enum class Program { kMayNot, kMay };
  explicit Window(Program program);
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
  // Memory of a freed block, still mapped where kernels had it.
  struct Kept {
    std::byte* memory;  // in the program's view
    std::size_t file_offset;
  };

  std::byte* take_kept(std::size_t size);
  bool move(const Kept& kept, std::byte* to, std::size_t size);
  std::byte* take_new(std::size_t size);
  void drop(std::byte* memory, std::size_t file_offset, std::size_t size) noexcept;
  std::size_t offset(const std::byte* memory) const { return static_cast<std::size_t>(memory - program_); }

  const int protection_;  // of a new block in the program's view
  int file_ = -1;
  std::byte* program_ = nullptr;
  std::byte* kernel_ = nullptr;
  std::size_t size_ = 0;

  std::mutex mutex_;
  std::size_t used_ = 0;
  std::multimap<std::size_t, Kept> kept_;    // by size
  std::map<std::byte*, std::size_t> moved_;  // file offsets of blocks that are not where the file has them
  std::size_t kept_bytes_ = 0;
  std::size_t live_bytes_ = 0;
  std::size_t most_live_bytes_ = 0;
};

}  // namespace cairn
