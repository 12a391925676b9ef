#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/data_type.h"
#include "common/view.h"
#include "tensor/bridge.h"

namespace cairn {

// Where N, C, D, H and W lie among a tensor's dimensions.
struct Axes {
  static constexpr int kAbsent = -1;

  int n;
  int c;
  int d;
  int h;
  int w;
};

// The axes of a line, an image or a volume: [N,] C, spatial…, or with channels last [N,] spatial…, C.
constexpr Axes image_axes(std::size_t rank, int spatial, bool channels_last) {
  const int dims = static_cast<int>(rank);
  const int first = dims - spatial - 1;  // 1 when there is an N
  const int space = channels_last ? first : first + 1;
  return {.n = first > 0 ? 0 : Axes::kAbsent,
          .c = channels_last ? dims - 1 : first,
          .d = spatial == 3 ? space : Axes::kAbsent,
          .h = spatial >= 2 ? space + spatial - 2 : Axes::kAbsent,
          .w = space + spatial - 1};
}

// What people call a spatial axis, counted from the first.
constexpr std::string_view axis_name(int spatial, std::size_t axis) {
  if (spatial == 1) return "L";
  return std::string_view("DHW").substr(axis + 3 - static_cast<std::size_t>(spatial), 1);
}

// Whether the flag puts C last; there is none that does for lines.
constexpr bool puts_channels_last(aclFormat format, int spatial) {
  return (spatial == 3 && format == ACL_FORMAT_NDHWC) || (spatial == 2 && format == ACL_FORMAT_NHWC);
}

// An axis the tensor does not have counts as one of size 1.
inline std::int64_t size_along(int axis, std::span<const std::int64_t> dims) {
  return axis == Axes::kAbsent ? 1 : dims[static_cast<std::size_t>(axis)];
}

inline Size3 plane_of(const TensorDesc& tensor, const Axes& axes) {
  return {.d = size_along(axes.d, tensor.dims),
          .h = size_along(axes.h, tensor.dims),
          .w = size_along(axes.w, tensor.dims)};
}

inline bool is_empty(const TensorDesc& tensor) {
  for (const std::int64_t dim : tensor.dims) {
    if (dim == 0) return true;
  }
  return false;
}

// A tensor without elements may have any strides and offset, and its address may be null: there the view
// leads nowhere.
inline View5 view_of(const TensorDesc& tensor, const Axes& axes) {
  if (is_empty(tensor)) return {};
  const auto stride = [&](int axis) {
    return axis == Axes::kAbsent ? 0 : tensor.strides[static_cast<std::size_t>(axis)];
  };
  const View5 view{.data = nullptr,
                   .n = stride(axes.n),
                   .c = stride(axes.c),
                   .d = stride(axes.d),
                   .h = stride(axes.h),
                   .w = stride(axes.w),
                   .offset = tensor.offset};
  return counted_strides(view, size_along(axes.n, tensor.dims), size_along(axes.c, tensor.dims),
                         plane_of(tensor, axes));
}

// Phase 2: the view's first element, from the storage base.
inline void bind_view(View5& view, void* base, DataType type) {
  view.data = static_cast<std::byte*>(base) + view.offset * size_of(type);
}

}  // namespace cairn
