#include "reference/indices.h"

#include <limits>
#include <sstream>

namespace reference {
namespace {

std::string to_text(const Triple& triple) {
  return std::to_string(triple[0]) + "x" + std::to_string(triple[1]) + "x" + std::to_string(triple[2]);
}

// The tap with the largest key in the window of output cell (d, h, w); keys are noise that all windows share.
std::int64_t argmax(const Window& window, const Triple& in, const Triple& cell, std::uint64_t salt) {
  std::int64_t best = -1;
  std::uint64_t best_key = 0;
  for (std::int64_t a = 0; a < window.kernel[0]; ++a) {
    const std::int64_t d = cell[0] * window.stride[0] - window.padding[0] + a * window.dilation[0];
    if (d < 0 || d >= in[0]) continue;
    for (std::int64_t b = 0; b < window.kernel[1]; ++b) {
      const std::int64_t h = cell[1] * window.stride[1] - window.padding[1] + b * window.dilation[1];
      if (h < 0 || h >= in[1]) continue;
      for (std::int64_t e = 0; e < window.kernel[2]; ++e) {
        const std::int64_t w = cell[2] * window.stride[2] - window.padding[2] + e * window.dilation[2];
        if (w < 0 || w >= in[2]) continue;
        const std::int64_t position = (d * in[1] + h) * in[2] + w;
        const std::uint64_t key = Random(salt + static_cast<std::uint64_t>(position)).bits();
        if (best < 0 || key > best_key) {
          best = position;
          best_key = key;
        }
      }
    }
  }
  return best;
}

std::int64_t outside(Random& random, std::int64_t plane, Type type) {
  constexpr std::int64_t kWord = std::int64_t{1} << 32;
  const std::int64_t valid = plane > 0 ? random.between(0, plane - 1) : 0;
  if (type == Type::kInt64 && random.chance(60)) {
    // The low 32 bits of most of these look like a valid index or like -1.
    return random.pick({valid + kWord, valid - kWord, valid + 5 * kWord, kWord - 1, kWord, -1 - kWord,
                        std::numeric_limits<std::int64_t>::min() + valid,
                        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
  }
  return random.pick<std::int64_t>({-2, -3, -plane - 2, plane, plane + 1, plane + random.between(0, 1000),
                                    std::numeric_limits<std::int32_t>::min(),
                                    std::numeric_limits<std::int32_t>::max()});
}

int percent_of_strays(Indices indices) { return indices == Indices::kArgmaxWithStrays ? 5 : 0; }

int percent_of_faults(Indices indices) {
  if (indices == Indices::kArgmaxWithFaults) return 3;
  return indices == Indices::kFaults ? 40 : 0;
}

}  // namespace

std::string describe(const Window& window) {
  return "kernel " + to_text(window.kernel) + " stride " + to_text(window.stride) + " padding " +
         to_text(window.padding) + " dilation " + to_text(window.dilation);
}

const char* name_of(Indices indices) {
  static constexpr const char* kNames[] = {"argmax",
                                           "argmax with strays",
                                           "argmax with one stray",
                                           "argmax with faults",
                                           "anywhere",
                                           "many -1",
                                           "one cell",
                                           "faults"};
  return kNames[static_cast<int>(indices)];
}

Indices random_indices(Random& random) {
  using enum Indices;
  return random.pick({kArgmax, kArgmax, kArgmax, kArgmaxWithStrays, kArgmaxWithOneStray, kArgmaxWithFaults,
                      kAnywhere, kHoles, kOneCell, kFaults});
}

void fill_indices(Random& random, const View& view, Indices indices, const Triple& in, const Window* window) {
  const std::int64_t plane = in[0] * in[1] * in[2];
  const bool follows_windows =
      window != nullptr && (indices == Indices::kArgmax || indices == Indices::kArgmaxWithStrays ||
                            indices == Indices::kArgmaxWithOneStray || indices == Indices::kArgmaxWithFaults);
  const auto anywhere = [&] { return plane > 0 ? random.between(0, plane - 1) : std::int64_t{-1}; };
  const std::int64_t one_cell = anywhere();
  for (std::int64_t n = 0; n < view.size[0]; ++n) {
    for (std::int64_t c = 0; c < view.size[1]; ++c) {
      const std::uint64_t salt = random.bits();
      const std::int64_t count = view.size[2] * view.size[3] * view.size[4];
      std::int64_t to_stray =
          indices == Indices::kArgmaxWithOneStray && count > 0 ? random.between(0, count - 1) : -1;
      for (std::int64_t d = 0; d < view.size[2]; ++d) {
        for (std::int64_t h = 0; h < view.size[3]; ++h) {
          for (std::int64_t w = 0; w < view.size[4]; ++w) {
            std::int64_t value = follows_windows ? argmax(*window, in, {d, h, w}, salt) : anywhere();
            if (indices == Indices::kOneCell) value = one_cell;
            if (indices == Indices::kHoles && random.chance(50)) value = -1;
            if (random.chance(percent_of_strays(indices)) || to_stray-- == 0) value = anywhere();
            if (random.chance(percent_of_faults(indices))) value = outside(random, plane, view.type);
            store_integer(view.at(n, c, d, h, w), view.type, value);
          }
        }
      }
    }
  }
}

}  // namespace reference
