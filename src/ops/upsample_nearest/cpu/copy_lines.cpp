#include "backend/kernel.h"
#include "ops/upsample_nearest/cpu/lines.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest::copy_lines {
namespace {

template <typename T>
struct Method : WholeCells {
  static std::int64_t lanes() { return 0; }
  static void write(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    task.writer.write(to, from, task.table.count() * s.planes.channels);
  }
};

}  // namespace

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.self, plan.values);
  if (!planes.w.keeps_places()) return "W is resized";
  if (planes.w.out == 1) return nullptr;
  if (planes.read.w != planes.channels) return "self's lines are not dense";
  if (planes.written.w != planes.channels) return "values' lines are not dense";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  write_lines<Method>(plan, workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_nearest::copy_lines
