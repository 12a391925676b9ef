#pragma once

#include "ops/kit/taps/axis.h"

// Axes with a whole number of positions to a cell. Position R j + R / 2 + k lies (2 k + 1) / (2 R) past cell
// j, so the weights are the same at every cell, and exact, but those of the outermost, which stand in for the
// cells past the border.
namespace cairn::cuda {

// kReach: the cells of a position, half of them at either side of it.
template <int kPositions, Filter kFilter>
struct WholeRatio {
  static_assert(kFilter == Filter::kLinear || (kFilter == Filter::kCubic && kPositions == 2));

  static constexpr Filter kKind = kFilter;
  static constexpr int kRatio = kPositions;
  static constexpr int kReach = kFilter == Filter::kLinear ? 2 : 4;
  static constexpr int kTaps = kRatio * kReach;
  // Taps of a cell before the positions that lie on it, and after them.
  static constexpr int kHalo = (kTaps - kRatio) / 2;

  // The weight of position k past a cell for the cell that is number `slot` of its kReach.
  static constexpr float of_slot(int slot, int k) {
    if constexpr (kFilter == Filter::kLinear) {
      const float past = static_cast<float>(2 * k + 1) / static_cast<float>(2 * kRatio);
      return slot == 0 ? 1.0F - past : past;
    } else {
      const int mirrored = k == 0 ? slot : 3 - slot;
      return mirrored == 0   ? -27.0F / 256
             : mirrored == 1 ? 225.0F / 256
             : mirrored == 2 ? 67.0F / 256
                             : -9.0F / 256;
    }
  }
  // Taps of a cell in the order of their positions.
  static constexpr float weight(int tap) { return of_slot(kReach - 1 - tap / kRatio, tap % kRatio); }
  // Of the first cell: those before it are added to it. Taps that are not there may have any weight.
  static constexpr float first(int tap) {
    if (tap < kHalo) return weight(tap);
    float sum = 0;
    for (int slot = 0; slot <= kReach - 1 - tap / kRatio; ++slot) sum += of_slot(slot, tap % kRatio);
    return sum;
  }
  static constexpr float last(int tap) { return first(kTaps - 1 - tap); }
  static constexpr float weight(int tap, bool is_first, bool is_last) {
    return is_first ? first(tap) : is_last ? last(tap) : weight(tap);
  }
  // Whether a multiplication by the tap's weight only changes the exponent, wherever the cell lies.
  static constexpr bool is_power_of_two(int tap) {
    return kFilter == Filter::kLinear && (tap == 0 || tap == kTaps - 1);
  }
};

}  // namespace cairn::cuda
