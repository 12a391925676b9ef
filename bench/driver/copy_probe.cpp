#include <sys/mman.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstring>

#include "contender.h"
#include "pages.h"

namespace cairn::bench {

struct CopyProbe::State {
  State(std::size_t size, int thread_count)
      : bytes(size), threads(thread_count), arena(thread_count), from(size), to(size) {
    std::memset(from.data(), 1, bytes);
  }

  std::size_t bytes;
  int threads;
  tbb::task_arena arena;
  Pages from;
  Pages to;
};

CopyProbe::CopyProbe(std::size_t bytes, int threads) : state_(std::make_unique<State>(bytes, threads)) {}
CopyProbe::~CopyProbe() = default;

void CopyProbe::run() {
  State& state = *state_;
  state.arena.execute([&] {
    tbb::parallel_for(
        0, state.threads,
        [&](int part) {
          const std::size_t begin = state.bytes / 64 * static_cast<std::size_t>(part) /
                                    static_cast<std::size_t>(state.threads) * 64;
          const std::size_t end = state.bytes / 64 * static_cast<std::size_t>(part + 1) /
                                  static_cast<std::size_t>(state.threads) * 64;
          std::memcpy(state.to.data() + begin, state.from.data() + begin, end - begin);
        },
        tbb::simple_partitioner());
  });
}

double CopyProbe::bytes_moved() const { return 2.0 * static_cast<double>(state_->bytes); }

}  // namespace cairn::bench
