#include "runtime/quarantine.h"

#include <utility>

#include "observe/observer.h"

namespace cairn {

void Quarantine::add(const Block& block) {
  std::deque<Block> dropped;
  {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(block);
    bytes_ += block.bytes;
    while (bytes_ > kMostBytes) {
      bytes_ -= blocks_.front().bytes;
      dropped.push_back(std::move(blocks_.front()));
      blocks_.pop_front();
    }
  }
  end(std::move(dropped));
}

bool Quarantine::clear() {
  std::deque<Block> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped.swap(blocks_);
    bytes_ = 0;
  }
  const bool some = !dropped.empty();
  end(std::move(dropped));
  return some;
}

void Quarantine::end(std::deque<Block> dropped) {
  for (Block& block : dropped) {
    if (Observer* watcher = observer()) watcher->given_back(block.begin);
    block.memory.reset();
  }
}

}  // namespace cairn
