#include <hwy/base.h>

#include "backend/kernel.h"
#include "ops/upsample_nearest/cpu/lines.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest::elements {
namespace {

template <typename T>
struct Make {
  static std::int64_t lanes() { return 1; }
  static void line(const ScaledPlanes& planes, const SourceTable& table, const T* HWY_RESTRICT from,
                   T* HWY_RESTRICT to) {
    if (planes.read.w == 1) {
      for (std::int64_t i = 0; i < table.count(); ++i) to[i] = from[table.source(i)];
      return;
    }
    for (std::int64_t i = 0; i < table.count(); ++i) to[i] = from[table.source(i) * planes.read.w];
  }
};

template <typename T>
using Method = MadeLines<T, Make<T>>;

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  write_lines<Method>(plan, workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_nearest::elements
