#pragma once

#include <cstdint>

#include "ops/kit/span.h"

namespace cairn {

// One axis of adaptive pooling: `out` windows cover `in` cells. Window o has the cells from floor(o·in / out)
// to before ceil((o + 1)·in / out), so none is without a cell; with more windows than cells they repeat.
struct AdaptiveAxis {
  std::int64_t in;
  std::int64_t out;

  constexpr Span cells(std::int64_t window) const {
    return {share(window, in, out, 0), share(window + 1, in, out, out - 1)};
  }
  // The windows that have a cell: the same with the sizes swapped.
  constexpr Span windows(std::int64_t cell) const { return AdaptiveAxis{out, in}.cells(cell); }

  // Windows have in / out cells each, and share none.
  constexpr bool is_even() const { return in % out == 0; }
  // No window has more cells than this.
  constexpr std::int64_t most() const {
    return is_even() ? in / out : in / out + (out % (in % out) == 0 ? 1 : 2);
  }

 private:
  // (count · of + more) / parts; the product may need more than 64 bits.
  static constexpr std::int64_t share(std::int64_t count, std::int64_t of, std::int64_t parts,
                                      std::int64_t more) {
    constexpr std::int64_t kSmall = std::int64_t{1} << 31;
    if ((of | parts) < kSmall) return (count * of + more) / parts;
    __extension__ using Int128 = __int128;
    return static_cast<std::int64_t>((Int128{count} * of + more) / parts);
  }
};

}  // namespace cairn
