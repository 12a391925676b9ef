#include "check/view.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/sum_search.h"

namespace cairn::check {
namespace {

constexpr std::array<std::pair<std::int32_t, const char*>, 14> kTypes = {{{0, "FLOAT"},
                                                                          {1, "FLOAT16"},
                                                                          {2, "INT8"},
                                                                          {3, "INT32"},
                                                                          {4, "UINT8"},
                                                                          {6, "INT16"},
                                                                          {7, "UINT16"},
                                                                          {8, "UINT32"},
                                                                          {9, "INT64"},
                                                                          {10, "UINT64"},
                                                                          {11, "DOUBLE"},
                                                                          {12, "BOOL"},
                                                                          {16, "COMPLEX64"},
                                                                          {27, "BF16"}}};

std::string list_text(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    if (text.size() > 1) text.push_back(',');
    text.append(std::to_string(value));
  }
  text.push_back(']');
  return text;
}

}  // namespace

View::View(const Footprint& footprint)
    : begin_(footprint.begin), end_(footprint.end), row_(footprint.end - footprint.begin) {
  if (footprint.view == nullptr) return;
  const ViewShape& shape = *footprint.view;
  element_ = shape.element_size;
  for (std::size_t i = 0; i < shape.dims.size(); ++i)
    given_.push_back({shape.dims[i], shape.strides[i] * element_});
  // Elements that touch make rows, rows that touch longer ones.
  std::vector<Axis> axes;
  for (const Axis& axis : given_) {
    if (axis.count > 1) axes.push_back(axis);
  }
  std::ranges::sort(axes, [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
  row_ = static_cast<std::size_t>(element_);
  while (!axes.empty() && axes.back().stride <= static_cast<std::int64_t>(row_)) {
    row_ += static_cast<std::size_t>((axes.back().count - 1) * axes.back().stride);
    axes.pop_back();
  }
  axes_ = std::move(axes);
}

std::int64_t View::elements() const {
  if (given_.empty()) return static_cast<std::int64_t>(end_ - begin_) / element_;
  std::int64_t count = 1;
  for (const Axis& axis : given_) count *= axis.count;
  return count;
}

bool View::overlaps(const View& other) const {
  if (end_ <= other.begin_ || other.end_ <= begin_) return false;
  if (dense() && other.dense()) return true;
  // The other's rows counted from its last one turn the difference of two positions into a sum.
  const auto rows = static_cast<std::int64_t>(other.row_);
  const std::int64_t last = static_cast<std::int64_t>(other.end_ - begin_) - rows;
  SumSearch search;
  for (const Axis& axis : axes_) search.add(axis.stride, axis.count - 1);
  for (const Axis& axis : other.axes_) search.add(axis.stride, axis.count - 1);
  return search.reaches(last - static_cast<std::int64_t>(row_) + 1, last + rows - 1);
}

std::string View::index_of(std::uintptr_t address) const {
  auto left = static_cast<std::int64_t>(address - begin_);
  if (given_.empty()) return list_text({left / element_});
  std::vector<std::size_t> order(given_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return given_[a].stride > given_[b].stride; });
  std::vector<std::int64_t> index(given_.size(), 0);
  for (const std::size_t i : order) {
    if (given_[i].count <= 1 || given_[i].stride == 0) continue;
    index[i] = std::min(left / given_[i].stride, given_[i].count - 1);
    left -= index[i] * given_[i].stride;
  }
  return list_text(index);
}

std::string name_of(const Footprint& touch) {
  const std::string shape = text_of(touch.view);
  return shape.empty() ? touch.argument : touch.argument + (", " + shape);
}

std::string text_of(const ViewShape* shape) {
  if (shape == nullptr) return {};
  const auto* const found =
      std::ranges::find(kTypes, shape->type, &std::pair<std::int32_t, const char*>::first);
  const std::string type = found == kTypes.end() ? "type " + std::to_string(shape->type) : found->second;
  return type + " " + list_text({shape->dims.begin(), shape->dims.end()});
}

}  // namespace cairn::check
