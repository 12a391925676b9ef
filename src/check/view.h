#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/values.h"

namespace cairn::check {

// The bytes of a footprint, kept: rows of bytes at regular distances.
class View {
 public:
  View() = default;
  explicit View(const Footprint& footprint);

  std::uintptr_t begin() const { return begin_; }
  std::uintptr_t end() const { return end_; }
  std::int64_t element() const { return element_; }
  std::int64_t elements() const;
  bool dense() const { return axes_.empty(); }
  bool overlaps(const View& other) const;
  // "[0,0,2,0,0]" of the element that begins there.
  std::string index_of(std::uintptr_t address) const;

  // Calls visit(begin, bytes) for each row until it answers false.
  template <typename Visit>
  void for_each_row(Visit visit) const {
    walk(begin_, 0, visit);
  }

  bool operator==(const View& other) const {
    return begin_ == other.begin_ && end_ == other.end_ && axes_ == other.axes_;
  }

 private:
  struct Axis {
    std::int64_t count;
    std::int64_t stride;  // in bytes
    bool operator==(const Axis&) const = default;
  };

  template <typename Visit>
  bool walk(std::uintptr_t at, std::size_t axis, Visit& visit) const {
    if (axis == axes_.size()) return visit(at, row_);
    for (std::int64_t i = 0; i < axes_[axis].count; ++i) {
      if (!walk(at + static_cast<std::uintptr_t>(i * axes_[axis].stride), axis + 1, visit)) return false;
    }
    return true;
  }

  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
  std::int64_t element_ = 1;
  std::size_t row_ = 0;      // bytes without a gap
  std::vector<Axis> axes_;   // the coarsest first
  std::vector<Axis> given_;  // as the program has them; empty: one row
};

// "self, FLOAT [1,1,10,10]"
std::string name_of(const Footprint& touch);
// "FLOAT [1,1,10,10]"; empty where there is no view.
std::string text_of(const ViewShape* shape);

}  // namespace cairn::check
