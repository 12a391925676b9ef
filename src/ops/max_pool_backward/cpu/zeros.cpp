#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/rows.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool_backward/cpu/box_tasks.h"
#include "ops/max_pool_backward/cpu/fault_finder.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/cpu/plane_list.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward::zeros {
namespace {

constexpr std::int64_t kMostWindows = 1024;
constexpr std::int64_t kMostCells = std::int64_t{1} << 16;
constexpr std::int64_t kCellsPerWindow = 16;

// A thread's memory. Between two planes both are zeros; behind the last cell is one for windows without any.
template <typename T>
struct Scratch {
  std::vector<SumOf<T>> sums;
  std::vector<T> image;  // gradInput
};

template <typename T, typename Index>
class Images {
 public:
  Images(const Plan& plan, Scratch<T>& scratch, FirstFault& faults)
      : p_(plan),
        cells_(plan.in.count()),
        windows_(plan.out.count()),
        faults_(faults),
        streaming_(writes_past_cache(plan)),
        writer_(streaming_),
        indices_(plan.indices, plan.n, plan.c, plan.out),
        gradients_(plan.grad_output, plan.n, plan.c, plan.out),
        out_(plan.grad_input, plan.n, plan.c, plan.in) {
    const auto room = static_cast<std::size_t>(cells_ + 1);
    if (scratch.sums.size() < room) scratch.sums.resize(room);
    if (streaming_ && scratch.image.size() < room) scratch.image.resize(room);
    sums_ = scratch.sums.data();
    image_ = scratch.image.data();
  }

  void write_plane(std::int64_t plane) {
    find_places(plane);
    Sum* to = terms_;
    gradients_.for_each_run(plane, {0, windows_},
                            [&](const T* from, std::int64_t stride, std::int64_t count) {
                              widen_row(from, stride, to, count);
                              to += count;
                            });
    for (std::int64_t i = 0; i < windows_; ++i) sums_[places_[i]] += terms_[i];
    for (std::int64_t i = 0; i < windows_; ++i) terms_[i] = sums_[places_[i]];
    narrow_row(terms_, rounded_, 1, windows_);
    for (std::int64_t i = 0; i < windows_; ++i) sums_[places_[i]] = 0;
    streaming_ ? stream(out_[plane]) : put(out_[plane]);
  }

 private:
  using Sum = SumOf<T>;

  // What stays in the cache: most of it is filled by the processor, which need not read it first.
  void put(T* to) const {
    std::memset(to, 0, static_cast<std::size_t>(cells_) * sizeof(T));
    for (std::int64_t i = 0; i < windows_; ++i) {
      if (places_[i] < cells_) to[places_[i]] = rounded_[i];
    }
  }

  void stream(T* to) {
    for (std::int64_t i = 0; i < windows_; ++i) image_[places_[i]] = rounded_[i];
    writer_.write(to, image_, cells_);
    for (std::int64_t i = 0; i < windows_; ++i) image_[places_[i]] = T{};
  }

  void find_places(std::int64_t plane) {
    const auto cells = static_cast<std::uint64_t>(cells_);
    std::uint32_t* to = places_;
    bool outside = false;
    indices_.for_each_run(plane, {0, windows_},
                          [&](const Index* from, std::int64_t stride, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i) {
                              const auto cell = static_cast<std::uint64_t>(std::int64_t{from[i * stride]});
                              outside |= cell >= cells;
                              *to++ = static_cast<std::uint32_t>(std::min(cell, cells));
                            }
                          });
    if (outside) find_fault(plane);
  }

  HWY_NOINLINE void find_fault(std::int64_t plane) {
    FaultFinder find(p_, {plane / p_.c, plane % p_.c, 1}, faults_);
    std::int64_t window = 0;
    indices_.for_each_run(plane, {0, windows_},
                          [&](const Index* from, std::int64_t stride, std::int64_t count) {
                            for (std::int64_t i = 0; i < count; ++i) find(from[i * stride], window++, 0);
                          });
  }

  const Plan& p_;
  const std::int64_t cells_;
  const std::int64_t windows_;
  FirstFault& faults_;
  const bool streaming_;
  StreamWriter writer_;
  const PlaneList<const Index> indices_;
  const PlaneList<const T> gradients_;
  const PlaneList<T> out_;
  Sum* sums_;
  T* image_;
  std::uint32_t places_[kMostWindows];  // the cell of each window
  Sum terms_[kMostWindows];
  T rounded_[kMostWindows];
};

}  // namespace

const char* why_not(const Plan& p) {
  if (const char* reason = why_not_indices(p)) return reason;
  if (p.type != DataType::kFloat16 && p.type != DataType::kBf16) return "elements are not halves";
  if (p.out.count() > kMostWindows) return "a plane has more than 1024 windows";
  if (p.in.count() > kMostCells) return "a plane has more than 65536 cells";
  if (p.out.count() * kCellsPerWindow > p.in.count()) return "there is a window for every few cells";
  if (!is_dense(p.grad_input, p.in)) return "planes of gradInput have gaps";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  const Units planes{.count = plan.n * plan.c, .elements = plan.in.count() + plan.out.count()};
  FirstFault faults;
  with_real_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() {
    for_each_range(workers, planes, [&](std::int64_t begin, std::int64_t end) {
      const OfThread<Scratch<T>> scratch;
      Images<T, Index> images(plan, *scratch, faults);
      for (std::int64_t plane = begin; plane < end; ++plane) images.write_plane(plane);
    });
  });
  return faults.get();
}

}  // namespace cairn::max_pool_backward::zeros
