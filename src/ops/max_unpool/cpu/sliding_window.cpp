#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/kernel.h"
#include "hwy/cache_control.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/max_unpool/cpu/direct.h"
#include "ops/max_unpool/cpu/scatter.h"
#include "ops/max_unpool/plan.h"

// Two cores, ms with it and without: u3-segnet FLOAT forward 5.0 and 6.3.
namespace cairn::max_unpool::sliding_window {
namespace {

// A cell that is put after it was handed to memory is still right, but slow.
template <typename Element>
class Window {
 public:
  static constexpr std::size_t kLine = 64;
  struct alignas(kLine) Line {
    std::byte bytes[kLine] = {};
  };
  // All zero between two kernels.
  using Memory = std::vector<Line>;
  using Direct = DirectWindow<Element>;

  // The window should hold `reach` cells.
  Window(const Plan& /*plan*/, std::int64_t reach, Memory& ring)
      : capacity_(static_cast<std::int64_t>(std::bit_ceil(
            static_cast<std::uint64_t>(std::clamp<std::int64_t>(reach, kSmallest, kLargest))))) {
    const auto lines = static_cast<std::size_t>(capacity_ / kPerLine);
    if (ring.size() < lines) ring = Memory(lines);
    slots_ = reinterpret_cast<Element*>(ring.data());
  }

  void start(const Cells<Element>& cells) {
    cells_ = cells;
    base_ = cells.range.begin;
    // Slots lie in their lines as the cells in theirs.
    shift_ = reinterpret_cast<std::uintptr_t>(cells.out) % kLine / sizeof(Element);
  }
  void finish() {
    write_to(cells_.range.end);
    hwy::FlushStream();
  }
  // What is in the window goes nowhere.
  void abandon() {
    std::fill_n(slots_, capacity_, Element{0});
    hwy::FlushStream();
  }

  Element* slots() const { return slots_; }
  std::uint64_t slot(std::uint64_t cell) const {
    return (cell + shift_) & (static_cast<std::uint64_t>(capacity_) - 1);
  }
  std::int64_t base() const { return base_; }
  std::int64_t span() const { return std::min(capacity_, cells_.range.end - base_); }

  // For a cell of the range that is not in the window; the window may move there. False if it was left
  // behind.
  bool put_elsewhere(std::int64_t cell, Element value) {
    if (cell < base_) {
      // A streamed line must not come after this.
      if (is_streaming_) hwy::FlushStream();
      is_streaming_ = false;
      cells_.out[cell] = value;
      return false;
    }
    const auto past = static_cast<std::uint64_t>(cell + 1 + kStep - capacity_) + shift_;
    const std::uint64_t line_end = (past + kPerLine - 1) / kPerLine * kPerLine - shift_;
    write_to(std::min(static_cast<std::int64_t>(line_end), cells_.range.end));
    slots_[slot(static_cast<std::uint64_t>(cell))] = value;
    return true;
  }

 private:
  static constexpr auto kPerLine = static_cast<std::int64_t>(kLine / sizeof(Element));
  static constexpr auto kSmallest = static_cast<std::int64_t>((32 << 10) / sizeof(Element));
  static constexpr auto kLargest = static_cast<std::int64_t>((16 << 20) / sizeof(Element));
  static constexpr auto kStep = static_cast<std::int64_t>((8 << 10) / sizeof(Element));

  void write_to(std::int64_t end) {
    while (base_ < end) {
      const auto first = static_cast<std::int64_t>(slot(static_cast<std::uint64_t>(base_)));
      const std::int64_t count = std::min(end - base_, capacity_ - first);
      stream_and_clear(cells_.out + base_, slots_ + first, count);
      base_ += count;
    }
    is_streaming_ = true;
  }

  const std::int64_t capacity_;
  Element* slots_;
  Cells<Element> cells_{};
  std::int64_t base_ = 0;
  std::uint64_t shift_ = 0;
  bool is_streaming_ = false;
};

}  // namespace

const char* why_not(const Plan& plan) {
  if (const char* reason = why_not_contiguous(plan)) return reason;
  return writes_past_cache(plan) ? nullptr : "out fits the cache, or is not aligned to its elements";
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return scatter_contiguous<Window>(plan, workers);
}

}  // namespace cairn::max_unpool::sliding_window
