#include "tensor/geometry.h"

#include <algorithm>
#include <vector>

#include "acl/acl_base.h"
#include "common/sum_search.h"

namespace cairn {
namespace {

bool is_empty(const TensorDesc& view) {
  return std::find(view.dims.begin(), view.dims.end(), 0) != view.dims.end();
}

// The elements of a view that is dense; else nothing.
std::optional<std::int64_t> dense_count(const TensorDesc& view) {
  std::int64_t count = 1;
  for (std::size_t i = view.dims.size(); i-- > 0;) {
    const std::int64_t dim = view.dims[i];
    const std::int64_t stride = view.strides[i];
    if (dim <= 0 || stride < 0 || (dim != 1 && stride != count)) return std::nullopt;
    if (__builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  return count;
}

// Elements from the view's first to its last, gaps included; 0 where there are none. Nothing when a dim or
// stride is negative or the number does not fit.
std::optional<std::int64_t> span_of(const TensorDesc& view) {
  if (const std::optional<std::int64_t> count = dense_count(view)) return count;
  std::int64_t span = 1;
  bool fits = true;
  bool empty = false;
  for (std::size_t i = 0; i < view.dims.size(); ++i) {
    const std::int64_t dim = view.dims[i];
    if (dim < 0 || view.strides[i] < 0) return std::nullopt;
    empty |= dim == 0;
    std::int64_t step = 0;
    fits &= !__builtin_mul_overflow(dim - 1, view.strides[i], &step);
    fits &= !__builtin_add_overflow(span, step, &span);
  }
  if (empty) return 0;
  return fits ? std::optional(span) : std::nullopt;
}

// The bytes of so many elements from the view's first on.
std::optional<ByteRange> bytes_of(const TensorDesc& view, std::optional<std::int64_t> span) {
  if (view.offset < 0 || !span) return std::nullopt;
  if (*span == 0) return ByteRange{};
  const std::int64_t size = element_size(view.type);
  std::int64_t end = 0;
  ByteRange range;
  if (__builtin_add_overflow(view.offset, *span, &end)) return std::nullopt;
  if (__builtin_mul_overflow(view.offset, size, &range.begin)) return std::nullopt;
  if (__builtin_mul_overflow(end, size, &range.end)) return std::nullopt;
  return range;
}

// The axes along which the view has neighbours, in steps of `unit`.
void add_axes(SumSearch& search, const TensorDesc& view, std::int64_t unit) {
  for (std::size_t i = 0; i < view.dims.size(); ++i) search.add(view.strides[i] * unit, view.dims[i] - 1);
}

}  // namespace

std::int64_t element_size(aclDataType type) {
  return static_cast<std::int64_t>(std::max<std::size_t>(aclDataTypeSize(type), 1));
}

std::optional<std::int64_t> element_count(std::span<const std::int64_t> dims) {
  std::int64_t count = 1;
  bool negative = false;
  bool empty = false;
  bool fits = true;
  for (const std::int64_t dim : dims) {
    negative |= dim < 0;
    empty |= dim == 0;
    fits &= !__builtin_mul_overflow(count, dim, &count);
  }
  if (negative) return std::nullopt;
  if (empty) return 0;
  return fits ? std::optional(count) : std::nullopt;
}

std::optional<ByteRange> byte_range(const TensorDesc& view) { return bytes_of(view, span_of(view)); }

bool is_dense(const TensorDesc& view) { return dense_count(view).has_value(); }

Extent extent_of(const TensorDesc& view) {
  auto bytes = static_cast<std::uint64_t>(element_size(view.type));
  for (const std::int64_t size : view.dims) {
    if (!__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) continue;
    bytes = UINT64_MAX;
    break;
  }
  const std::optional<std::int64_t> count = dense_count(view);
  return {bytes_of(view, count ? count : span_of(view)), count.has_value(), bytes};
}

bool elements_overlap(const TensorDesc& view) {
  const std::optional<ByteRange> range = byte_range(view);
  if (!range || range->end >= kFar) return true;
  if (is_empty(view)) return false;

  struct Axis {
    std::int64_t stride;
    std::int64_t count;  // of steps, at least one
  };
  std::vector<Axis> axes;
  axes.reserve(view.dims.size());
  for (std::size_t i = 0; i < view.dims.size(); ++i) {
    if (view.dims[i] > 1) axes.push_back({view.strides[i], view.dims[i] - 1});
  }
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });

  // Two tuples that meet differ, and of the axes on which they differ one is the coarsest. Take it to be `i`:
  // a move along it of 1 … count steps must then be undone by the finer axes together.
  std::int64_t finer_reach = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto [stride, count] = axes[i];
    if (stride <= finer_reach) {
      SumSearch search;
      search.add(stride, count - 1);
      for (std::size_t j = 0; j < i; ++j) search.add(axes[j].stride, 2 * axes[j].count);
      const std::int64_t target = stride * count + finer_reach;
      if (search.reaches(target, target)) return true;
    }
    finer_reach += stride * count;
  }
  return false;
}

bool views_overlap(const TensorDesc& a, const void* base_a, const TensorDesc& b, const void* base_b) {
  const std::optional<ByteRange> range_a = byte_range(a);
  const std::optional<ByteRange> range_b = byte_range(b);
  if (!range_a || !range_b) return true;
  if (range_a->begin == range_a->end || range_b->begin == range_b->end) return false;

  const auto begin_a = reinterpret_cast<std::uintptr_t>(base_a) + static_cast<std::uintptr_t>(range_a->begin);
  const auto begin_b = reinterpret_cast<std::uintptr_t>(base_b) + static_cast<std::uintptr_t>(range_b->begin);
  const std::int64_t length_a = range_a->end - range_a->begin;
  const std::int64_t length_b = range_b->end - range_b->begin;
  if (begin_b >= begin_a ? begin_b - begin_a >= static_cast<std::uintptr_t>(length_a)
                         : begin_a - begin_b >= static_cast<std::uintptr_t>(length_b)) {
    return false;
  }
  if (length_a >= kFar || length_b >= kFar) return true;

  // b's elements counted from its last one turn the difference of two positions into a sum.
  const std::int64_t size_a = element_size(a.type);
  const std::int64_t size_b = element_size(b.type);
  const std::int64_t last_b = static_cast<std::int64_t>(begin_b - begin_a) + length_b - size_b;
  SumSearch search;
  add_axes(search, a, size_a);
  add_axes(search, b, size_b);
  return search.reaches(last_b - size_a + 1, last_b + size_b - 1);
}

}  // namespace cairn
