#include "backend/cpu/arena.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <optional>

namespace cairn {

struct Arena::Threads {
  explicit Threads(int count) : arena(count) {
    using Control = tbb::global_control;
    // TBB makes no more threads than cores unless told so; a CAIRN_THREADS above that is meant.
    const auto wanted = static_cast<std::size_t>(count);
    if (wanted > Control::active_value(Control::max_allowed_parallelism)) {
      limit.emplace(Control::max_allowed_parallelism, wanted);
    }
  }

  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
};

Arena::Arena(int threads) : threads_(std::make_unique<Threads>(threads)) {}

Arena::~Arena() = default;

void Arena::run(int lanes, void (*lane)(void*), void* argument) {
  threads_->arena.execute([&] {
    tbb::parallel_for(
        0, lanes, [=](int) { lane(argument); }, tbb::simple_partitioner{});
  });
}

}  // namespace cairn
