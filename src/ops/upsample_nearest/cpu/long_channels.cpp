#include "backend/kernel.h"
#include "ops/upsample_nearest/cpu/lines.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest::long_channels {
namespace {

template <typename T>
struct Method : WholeCells {
  static void write(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    for (std::int64_t i = 0; i < task.table.count(); ++i) {
      task.writer.write(to + i * s.planes.written.w, from + task.table.source(i) * s.planes.read.w,
                        s.planes.channels);
    }
  }
};

}  // namespace

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.self, plan.values);
  return planes.channels > 1 ? nullptr : "channels do not lie side by side";
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  write_lines<Method>(plan, workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_nearest::long_channels
