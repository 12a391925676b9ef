#include "backend/cuda/freed_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "backend/backend.h"

namespace cairn::cuda {
namespace {

bool reached(cudaEvent_t mark) { return cudaEventQuery(mark) != cudaErrorNotReady; }

}  // namespace

void FreedMemory::add(std::vector<cudaEvent_t> marks, std::function<void()> give_back) {
  if (marks.empty()) return give_back();
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(marks), std::move(give_back)});
}

void FreedMemory::collect() {
  std::vector<Entry> ready;
  {
    const std::lock_guard lock(mutex_);
    const auto free = std::stable_partition(entries_.begin(), entries_.end(), [](const Entry& entry) {
      return !std::ranges::all_of(entry.marks, reached);
    });
    std::move(free, entries_.end(), std::back_inserter(ready));
    entries_.erase(free, entries_.end());
  }
  for (const Entry& entry : ready) {
    for (cudaEvent_t mark : entry.marks) cudaEventDestroy(mark);
    try {
      entry.give_back();
    } catch (const DeviceError&) {
      // A device that has failed keeps what it has; the others' memory is given back all the same.
    }
  }
}

bool FreedMemory::pending() const {
  const std::lock_guard lock(mutex_);
  return !entries_.empty();
}

}  // namespace cairn::cuda
