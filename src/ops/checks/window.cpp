#include "ops/checks/window.h"

#include <algorithm>

namespace cairn {
namespace {

// Tap a of window o lies at o * stride + a * dilation - padding. The taps within `distance` from the first on
// lie before the plane in every window. One stays, wherever it lies.
void drop_taps_before(Window& window, Wide distance) {
  const Wide all = std::max<Wide>(distance, 0) / window.dilation;
  const auto taps = static_cast<std::int64_t>(std::min<Wide>(all, window.kernel - 1));
  window.kernel -= taps;
  window.padding -= taps * window.dilation;
}

// Those that lie behind the plane in the first window do so in every other.
void drop_taps_behind(Window& window, std::int64_t size) {
  const Wide reach = Wide{size} + window.padding - 1;
  const Wide taps = reach < 0 ? 1 : reach / window.dilation + 1;
  window.kernel = static_cast<std::int64_t>(std::min<Wide>(window.kernel, taps));
}

}  // namespace

Window same_taps(const Window& window, std::int64_t size, std::int64_t windows) {
  Window cut = window;
  if (windows <= 1) cut.stride = std::min(cut.stride, std::max<std::int64_t>(size, 1));
  const Wide last_start = Wide{std::max<std::int64_t>(windows, 1) - 1} * cut.stride;
  drop_taps_before(cut, cut.padding - last_start);
  drop_taps_behind(cut, size);
  // With two windows the first may begin far before the plane: it covers all of it from nearer by, too.
  if (windows == 2 && cut.padding > size) {
    const std::int64_t nearer = std::min(cut.padding - size, cut.stride - 1) / cut.dilation * cut.dilation;
    drop_taps_before(cut, nearer);
    cut.stride -= nearer;
    drop_taps_behind(cut, size);
  }
  if (cut.kernel == 1) {
    cut.dilation = 1;
    if (windows <= 1) cut.padding = std::min<std::int64_t>(cut.padding, 1);
  }
  // One window that steps over the plane, or into it once.
  if (windows <= 1 && cut.kernel > 1 && cut.dilation > size && cut.padding > 0) {
    cut.dilation -= cut.padding - 1;
    cut.padding = 1;
    cut.kernel = 2;
  }
  return cut;
}

Window planned_window(const Window& window, std::int64_t size, std::int64_t windows) {
  constexpr std::int64_t kOrdinary = 65536;
  const std::int64_t largest = std::max({window.kernel, window.stride, window.padding, window.dilation});
  return largest <= kOrdinary ? window : same_taps(window, size, windows);
}

}  // namespace cairn
