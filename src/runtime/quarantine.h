#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "runtime/memory_map.h"

namespace cairn {

// Memory that the program has freed while a tool watches, held back for a while: its addresses are not given
// out again at once, so that a stale one is known.
class Quarantine {
 public:
  void add(const Block& block);
  // Gives all of it back; false when there was none.
  bool clear();

 private:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  // Out of the lock: what is dropped may wait for a device.
  void end(std::deque<Block> dropped);

  std::mutex mutex_;
  std::deque<Block> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace cairn
