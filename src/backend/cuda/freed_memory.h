#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <mutex>
#include <vector>

namespace cairn::cuda {

// Memory that the program has freed while work was under way that may use it: given back when that is done.
// Nothing here waits, since a host function may free memory.
class FreedMemory {
 public:
  // `give_back` runs now where `marks` is empty, else once all of them are reached. Takes the events over.
  void add(std::vector<cudaEvent_t> marks, std::function<void()> give_back);
  // Gives back what has become free.
  void collect();
  // Whether some is still in use.
  bool pending() const;

 private:
  struct Entry {
    std::vector<cudaEvent_t> marks;
    std::function<void()> give_back;
  };

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace cairn::cuda
