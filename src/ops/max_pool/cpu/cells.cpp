// The definition, cell by cell: for windows too large for a row in the cache, and planes whose positions need
// 64 bits.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "backend/kernel.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/ones_mask.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool::cells {
namespace {

template <typename T, typename Index>
class CellByCell {
 public:
  explicit CellByCell(const Plan& plan) : p_(plan), axes_(plan) {}

  void run(Workers& workers) const {
    constexpr std::int64_t kMany = std::int64_t{1} << 30;
    const std::int64_t taps =
        std::min(p_.kernel.d, p_.in.d) * std::min(p_.kernel.h, p_.in.h) * std::min(p_.kernel.w, p_.in.w);
    for_each_range(workers,
                   {.count = p_.n * p_.c * p_.out.d * p_.out.h,
                    .elements = std::min(taps, kMany) * std::min(p_.out.w, kMany)},
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t row = begin; row < end; ++row) fill_row(row);
                   });
  }

 private:
  void fill_row(std::int64_t row) const {
    const std::int64_t h = row % p_.out.h;
    const std::int64_t d = row / p_.out.h % p_.out.d;
    const std::int64_t plane = row / p_.out.h / p_.out.d;
    const std::int64_t n = plane / p_.c;
    const std::int64_t c = plane % p_.c;
    const T* self = static_cast<const T*>(p_.self.data) + n * p_.self.n + c * p_.self.c;
    T* values = static_cast<T*>(p_.values.data) + n * p_.values.n + c * p_.values.c + d * p_.values.d +
                h * p_.values.h;
    const std::int64_t indices = n * p_.indices.n + c * p_.indices.c + d * p_.indices.d + h * p_.indices.h;
    for (std::int64_t w = 0; w < p_.out.w;) {
      const std::int64_t count = alike(w);
      Some best;
      find(self, {d, h, w}, count, best);
      for (std::int64_t i = 0; i < count; ++i, ++w) {
        values[w * p_.values.w] = best.values[i];
        write_index(indices + w * p_.indices.w, best.positions[i]);
      }
    }
  }

  // Those of a mask may begin at any byte.
  void write_index(std::int64_t at, std::int64_t position) const {
    if constexpr (!std::is_same_v<Index, std::int8_t>) {
      const auto index = static_cast<Index>(position);
      std::memcpy(static_cast<std::byte*>(p_.indices.data) + at * std::int64_t{sizeof(Index)}, &index,
                  sizeof(index));
    }
  }

  // Neighbours along W, tap after tap: whether one takes over is then no branch that must be foreseen.
  struct Some {
    static constexpr std::int64_t kMost = 64;
    T values[kMost];
    std::int64_t positions[kMost];
  };

  // How many windows from `w` on have the taps that it has, each a stride further.
  std::int64_t alike(std::int64_t w) const {
    if (axes_.w.is_uneven()) return 1;
    const Span taps = axes_.w.taps(w);
    const std::int64_t most = std::min(Some::kMost, p_.out.w - w);
    std::int64_t count = 1;
    while (count < most && axes_.w.taps(w + count) == taps) ++count;
    return count;
  }

  void find(const T* self, const Size3& window, std::int64_t count, Some& best) const {
    const Span taps_d = axes_.d.taps(window.d);
    const Span taps_h = axes_.h.taps(window.h);
    const Span taps_w = axes_.w.taps(window.w);
    const Size3 start{axes_.d.start(window.d), axes_.h.start(window.h), axes_.w.start(window.w)};
    std::fill_n(best.values, count, rounded<T>(-std::numeric_limits<SumOf<T>>::infinity()));
    std::fill_n(best.positions, count, -1);
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
      const std::int64_t d = start.d + i * axes_.d.dilation;
      for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
        const std::int64_t h = start.h + j * axes_.h.dilation;
        for (std::int64_t k = taps_w.begin; k < taps_w.end; ++k) {
          const std::int64_t w = start.w + k * axes_.w.dilation;
          look_at(self + d * p_.self.d + h * p_.self.h + w * p_.self.w, (d * p_.in.h + h) * p_.in.w + w,
                  count, best);
        }
      }
    }
  }

  // One tap of each window.
  void look_at(const T* first, std::int64_t position, std::int64_t count, Some& best) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t cells = i * axes_.w.stride;
      const T tap = first[cells * p_.self.w];
      const SumOf<T> value = widened(tap);
      // Numbers, since a logical or would be a branch.
      const int is_first = best.positions[i] < 0 ? 1 : 0;
      const int is_larger = value > widened(best.values[i]) ? 1 : 0;
      const int is_nan = std::isnan(value) ? 1 : 0;
      const bool takes_over = (is_first | is_larger | is_nan) != 0;
      best.values[i] = takes_over ? tap : best.values[i];
      best.positions[i] = takes_over ? position + cells : best.positions[i];
    }
  }

  const Plan& p_;
  const WindowAxes axes_;
};

void fill_mask(const Plan& plan, Workers& workers) {
  const OnesMask mask(plan.n, plan.c, plan.out);
  for_each_range(workers, {.count = mask.blocks, .elements = mask.set},
                 [&](std::int64_t begin, std::int64_t end) {
                   auto* block = static_cast<std::byte*>(plan.indices.data) + begin * mask.pitch;
                   for (std::int64_t i = begin; i < end; ++i, block += mask.pitch)
                     std::memset(block, 0xFF, static_cast<std::size_t>(mask.set));
                 });
}

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  if (plan.index_type == DataType::kInt8) {
    with_real_type(plan.type, [&]<typename T>() { CellByCell<T, std::int8_t>(plan).run(workers); });
    fill_mask(plan, workers);
    return std::nullopt;
  }
  with_real_and_index_type(plan.type, plan.index_type,
                           [&]<typename T, typename Index>() { CellByCell<T, Index>(plan).run(workers); });
  return std::nullopt;
}

}  // namespace cairn::max_pool::cells
