#pragma once

#include <cstring>
#include <string>

#include "kernels/geometries.h"
#include "reference/operand.h"

// Sums that are NaN. Which of several NaNs an addition returns depends on the machine and on the order of its
// operands: sums that kept it would differ from one thread count, layout and device to the next.
namespace kernel_test {

inline constexpr reference::LayoutKind kPlainLayouts[] = {reference::LayoutKind::kContiguous,
                                                          reference::LayoutKind::kChannelsLast};
// Each makes a NaN of a sum in another way.
inline constexpr reference::Values kWaysToNan[] = {reference::Values::kOnlyNans,
                                                   reference::Values::kOpposites, reference::Values::kNans};

// Windows and sizes that between them reach every kernel there is, on CPU and GPU.
inline constexpr PoolNetwork kPoolsOfNans[] = {
    {"nanmin3", 19, {1, 36, 64}, {{1, 4, 4}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
    {"halved", 32, {1, 12, 160}, {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    {"halved3d", 32, {4, 6, 160}, {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    {"overlapping", 36, {1, 14, 80}, {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
    {"overlapping3d", 36, {6, 8, 80}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}}},
    {"same3", 20, {1, 20, 24}, {{1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}}},
    {"same5", 20, {1, 20, 24}, {{1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}}},
    {"same3d", 20, {6, 8, 12}, {{3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
    {"same3_cut", 3, {1, 90, 120}, {{1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}}},
    {"atrous", 17, {1, 20, 30}, {{1, 3, 3}, {1, 3, 3}, {0, 1, 1}, {1, 4, 2}}},
    {"seven", 5, {1, 24, 40}, {{1, 7, 7}, {1, 1, 1}, {0, 3, 3}, {1, 1, 1}}},
    {"tiny", 8, {2, 4, 8}, {{2, 2, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}}}};

inline constexpr UpsampleNetwork kUpsamplesOfNans[] = {
    {"same", 16, {4, 6, 16}, {4, 6, 16}},       {"doubled", 16, {4, 6, 32}, {8, 12, 64}},
    {"tripled", 3, {3, 4, 16}, {9, 12, 48}},    {"odd", 3, {5, 12, 22}, {12, 26, 40}},
    {"odd_wide", 3, {3, 12, 70}, {4, 30, 104}}, {"fivefold", 5, {2, 3, 7}, {10, 15, 35}},
    {"shrinking", 3, {10, 15, 20}, {4, 5, 7}},  {"onecell", 3, {1, 1, 1}, {4, 5, 6}}};

// Empty when every NaN of the view is the quiet one without sign and payload, and there is one. In plain
// numbers, apart from what the oracle does.
inline std::string other_nans(const reference::View& view) {
  using reference::Type;
  const std::uint64_t wanted = view.type == Type::kFloat     ? 0x7fc00000
                               : view.type == Type::kFloat16 ? 0x7e00
                               : view.type == Type::kBf16    ? 0x7fc0
                                                             : 0x7ff8000000000000;
  const auto bytes = static_cast<std::size_t>(size_of(view.type));
  std::int64_t nans = 0;
  std::int64_t others = 0;
  for (std::int64_t n = 0; n < view.size[0]; ++n) {
    for (std::int64_t c = 0; c < view.size[1]; ++c) {
      for (std::int64_t d = 0; d < view.size[2]; ++d) {
        for (std::int64_t h = 0; h < view.size[3]; ++h) {
          for (std::int64_t w = 0; w < view.size[4]; ++w) {
            const unsigned char* element = view.at(n, c, d, h, w);
            if (!is_nan(element, view.type)) continue;
            ++nans;
            others += std::memcmp(element, &wanted, bytes) != 0 ? 1 : 0;
          }
        }
      }
    }
  }
  if (nans == 0) return "no sum is a NaN";
  return others == 0 ? "" : std::to_string(others) + " of " + std::to_string(nans) + " NaNs have other bits";
}

}  // namespace kernel_test
