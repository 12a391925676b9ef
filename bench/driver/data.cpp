#include "data.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cairn::bench {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_;
};

struct Window {
  Shape3 input;
  Shape3 output;
  Shape3 kernel;
  Shape3 stride;
  Shape3 padding;
  Shape3 dilation;
};

// Where a tap lies along an axis; outside the plane where window `o` has no such tap.
std::int64_t tap_of(const Window& window, std::int64_t Shape3::*axis, std::int64_t o, std::int64_t tap) {
  const std::int64_t stride = window.stride.*axis;
  if (stride > 0) return o * stride - window.padding.*axis + tap * window.dilation.*axis;
  const std::int64_t in = window.input.*axis;
  const std::int64_t out = window.output.*axis;
  const std::int64_t cell = o * in / out + tap;
  return cell * out < (o + 1) * in ? cell : -1;
}

std::int64_t argmax(const Window& window, const std::vector<std::uint32_t>& plane, std::int64_t od,
                    std::int64_t oh, std::int64_t ow) {
  std::int64_t best = -1;
  for (std::int64_t kd = 0; kd < window.kernel.d; ++kd) {
    for (std::int64_t kh = 0; kh < window.kernel.h; ++kh) {
      for (std::int64_t kw = 0; kw < window.kernel.w; ++kw) {
        const std::int64_t d = tap_of(window, &Shape3::d, od, kd);
        const std::int64_t h = tap_of(window, &Shape3::h, oh, kh);
        const std::int64_t w = tap_of(window, &Shape3::w, ow, kw);
        if (d < 0 || h < 0 || w < 0 || d >= window.input.d || h >= window.input.h || w >= window.input.w)
          continue;
        const std::int64_t cell = (d * window.input.h + h) * window.input.w + w;
        if (best < 0 || plane[static_cast<std::size_t>(cell)] > plane[static_cast<std::size_t>(best)])
          best = cell;
      }
    }
  }
  return best;
}

// Calls put(cell, index) for each cell of a plane of indices; `values` has room for the plane they point
// into.
template <typename Put>
void fill_plane(const Window& window, Indices kind, std::vector<std::uint32_t>& values, Random& random,
                const Put& put) {
  const std::int64_t reach = window.input.count();
  if (kind == Indices::kAnywhere || kind == Indices::kNone) {
    for (std::int64_t cell = 0; cell < window.output.count(); ++cell)
      put(cell, kind == Indices::kNone ? -1 : static_cast<std::int64_t>(random.next()) % reach);
    return;
  }
  for (auto& value : values) value = random.next();
  std::int64_t cell = 0;
  for (std::int64_t od = 0; od < window.output.d; ++od) {
    for (std::int64_t oh = 0; oh < window.output.h; ++oh) {
      for (std::int64_t ow = 0; ow < window.output.w; ++ow, ++cell) {
        const bool strays = kind == Indices::kOneStray && cell == 0;
        put(cell, strays ? reach - 1 : argmax(window, values, od, oh, ow));
      }
    }
  }
}

template <typename T, typename Make>
std::vector<std::byte> fill(std::int64_t count, Make make) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(T));
  Random random(7);
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = make(random.next());
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

// A float in ±[0.5, 2) with seven mantissa bits, so that every type holds it exactly.
float number(std::uint32_t bits) {
  return std::bit_cast<float>((bits & 0x80000000U) | ((126U + (bits & 1U)) << 23) | (bits & 0x007F0000U));
}

std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = ((bits >> 23) & 0xFFU) - 127U + 15U;
  return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | (exponent << 10) | ((bits >> 13) & 0x3FFU));
}

Strides values_strides(const Case& row, const Shape3& size, bool transposed) {
  Strides strides = strides_of(row, size);
  if (transposed) {
    strides.h = strides.w;
    strides.w *= size.h;
  }
  return strides;
}

// What is read of a plane: taking fewer rows than there are leaves the others alone.
Shape3 rows_read(const Case& row) {
  Shape3 size = row.source();
  if (row.is_upsample() && !row.is_filtered() && row.is_forward()) {
    size.d = std::min(size.d, row.work.out.d);
    size.h = std::min(size.h, row.work.out.h);
  }
  return size;
}

}  // namespace

std::int64_t size_of(aclDataType type) {
  return type == ACL_DT_UNDEFINED ? 0 : static_cast<std::int64_t>(aclDataTypeSize(type));
}

Strides strides_of(const Case& row, const Shape3& size) {
  const std::int64_t plane = size.count();
  const bool last = row.layout == Layout::kChannelsLast;
  const std::int64_t step = last ? row.work.c : 1;
  return {row.work.c * plane, last ? 1 : plane, size.h * size.w * step, size.w * step, step};
}

Strides source_strides(const Case& row) {
  return values_strides(row, row.source(), row.work.transposed == Transposed::kSource);
}

Strides result_strides(const Case& row) {
  return values_strides(row, row.result(), row.work.transposed == Transposed::kResult);
}

std::vector<std::int64_t> make_indices(const Case& row) {
  if (row.index_type == ACL_DT_UNDEFINED || row.makes_indices()) return {};
  const Window window{row.is_unpool() ? row.work.out : row.work.in,
                      row.indices(),
                      row.work.kernel,
                      row.work.stride,
                      row.work.padding,
                      row.work.dilation};
  const Strides strides = strides_of(row, window.output);
  std::vector<std::int64_t> indices(static_cast<std::size_t>(row.planes() * window.output.count()));
  std::vector<std::uint32_t> values(static_cast<std::size_t>(window.input.count()));
  Random random(11);
  for (std::int64_t n = 0; n < row.work.n; ++n) {
    for (std::int64_t c = 0; c < row.work.c; ++c) {
      std::int64_t* plane = indices.data() + n * strides.n + c * strides.c;
      fill_plane(window, row.work.indices, values, random,
                 [&](std::int64_t cell, std::int64_t index) { plane[cell * strides.w] = index; });
    }
  }
  return indices;
}

std::vector<std::byte> narrow_indices(const std::vector<std::int64_t>& values, aclDataType type) {
  std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(size_of(type)));
  if (type == ACL_INT64) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  } else if (type == ACL_INT32) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto narrow = static_cast<std::int32_t>(values[i]);
      std::memcpy(bytes.data() + i * sizeof narrow, &narrow, sizeof narrow);
    }
  }
  return bytes;
}

std::vector<std::byte> make_values(const Case& row) {
  const std::int64_t count = row.elements(row.source());
  switch (row.type) {
    case ACL_FLOAT16:
      return fill<std::uint16_t>(count, [](std::uint32_t bits) { return to_float16(number(bits)); });
    case ACL_BF16:
      return fill<std::uint16_t>(count, [](std::uint32_t bits) {
        return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number(bits)) >> 16);
      });
    case ACL_DOUBLE:
      return fill<double>(count, [](std::uint32_t bits) { return static_cast<double>(number(bits)); });
    case ACL_INT8:
      return fill<std::int8_t>(count, [](std::uint32_t bits) { return static_cast<std::int8_t>(bits | 1U); });
    case ACL_UINT8:
      return fill<std::uint8_t>(count,
                                [](std::uint32_t bits) { return static_cast<std::uint8_t>(bits | 1U); });
    case ACL_INT16:
      return fill<std::int16_t>(count,
                                [](std::uint32_t bits) { return static_cast<std::int16_t>(bits | 1U); });
    case ACL_INT32:
      return fill<std::int32_t>(count,
                                [](std::uint32_t bits) { return static_cast<std::int32_t>(bits | 1U); });
    case ACL_INT64:
      return fill<std::int64_t>(count,
                                [](std::uint32_t bits) { return static_cast<std::int64_t>(bits) - 77; });
    default:
      return fill<float>(count, number);
  }
}

std::int64_t bytes_to_move(const Case& row, const std::vector<std::int64_t>& indices, std::int64_t line) {
  const std::int64_t size = size_of(row.type);
  const std::int64_t index_bytes = row.elements(row.indices()) * size_of(row.index_type);
  const std::int64_t result_bytes = row.elements(row.result()) * size;
  if (row.is_forward() || !row.is_unpool())
    return row.elements(rows_read(row)) * size + index_bytes + result_bytes;
  const std::int64_t plane = row.work.out.count();
  // Channels that lie side by side are one plane of cells.
  const std::int64_t step = row.layout == Layout::kChannelsLast ? row.work.c : 1;
  std::vector<bool> touched(static_cast<std::size_t>(row.planes() * plane * size / line + 1));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0) continue;
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t base = at / (row.work.in.count() * step) * plane * step + at % step;
    touched[static_cast<std::size_t>((base + indices[i] * step) * size / line)] = true;
  }
  std::int64_t lines = 0;
  for (const bool one : touched) lines += one ? 1 : 0;
  return lines * line + index_bytes + result_bytes;
}

}  // namespace cairn::bench
