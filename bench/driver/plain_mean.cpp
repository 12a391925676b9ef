#include <algorithm>
#include <array>
#include <vector>

#include "plain.h"

// Mean pooling as a user would write it: one sum after the other, but for the lanes that the definition has
// of long ones.
namespace cairn::bench {
namespace {

struct Reach {
  std::int64_t begin, end, counted;
};

Reach reach_of(const Workload& work, std::int64_t Shape3::*axis, std::int64_t window) {
  const std::int64_t in = work.in.*axis;
  const std::int64_t out = work.out.*axis;
  if (is_adaptive(work.op)) {
    const std::int64_t begin = window * in / out;
    const std::int64_t end = ((window + 1) * in + out - 1) / out;
    return {begin, end, end - begin};
  }
  const std::int64_t begin = window * (work.stride.*axis) - work.padding.*axis;
  const std::int64_t end = std::min(begin + work.kernel.*axis, in + work.padding.*axis);
  return {std::max<std::int64_t>(begin, 0), std::min(end, in), end - begin};
}

std::vector<Reach> reaches(const Workload& work, std::int64_t Shape3::*axis) {
  std::vector<Reach> all;
  for (std::int64_t window = 0; window < work.out.*axis; ++window)
    all.push_back(reach_of(work, axis, window));
  return all;
}

// The windows that have each cell.
std::vector<Reach> holders(const std::vector<Reach>& windows, std::int64_t cells) {
  std::vector<Reach> all(static_cast<std::size_t>(cells), Reach{0, 0, 0});
  for (std::size_t window = 0; window < windows.size(); ++window) {
    for (std::int64_t cell = windows[window].begin; cell < windows[window].end; ++cell) {
      Reach& held = all[static_cast<std::size_t>(cell)];
      if (held.end == 0) held.begin = static_cast<std::int64_t>(window);
      held.end = static_cast<std::int64_t>(window) + 1;
    }
  }
  return all;
}

constexpr std::size_t kLanes = 64;
constexpr std::size_t kRun = kLanes * kLanes;

// The sums of runs and of their lanes.
template <typename S>
S long_sum(const std::vector<S>& terms) {
  std::vector<S> sums;
  for (std::size_t at = 0; at < terms.size(); at += kRun) {
    std::array<S, kLanes> lanes{};
    for (std::size_t i = at; i < std::min(at + kRun, terms.size()); ++i) lanes[i % kLanes] += terms[i];
    S sum = 0;
    for (const S lane : lanes) sum += lane;
    sums.push_back(sum);
  }
  return sums.size() == 1 ? sums[0] : long_sum(sums);
}

// The sum over a box, whose terms come from term(d, h, w).
template <typename S, typename Term>
S box_sum(const Reach& d, const Reach& h, const Reach& w, std::vector<S>& terms, const Term& term) {
  const auto each = [&](const auto& add) {
    for (std::int64_t i = d.begin; i < d.end; ++i)
      for (std::int64_t j = h.begin; j < h.end; ++j)
        for (std::int64_t k = w.begin; k < w.end; ++k) add(term(i, j, k));
  };
  if ((d.end - d.begin) * (h.end - h.begin) * (w.end - w.begin) <= std::int64_t{kLanes}) {
    S sum = 0;
    each([&](S value) { sum += value; });
    return sum;
  }
  terms.clear();
  each([&](S value) { terms.push_back(value); });
  return long_sum(terms);
}

const Reach& at(const std::vector<Reach>& all, std::int64_t i) { return all[static_cast<std::size_t>(i)]; }

}  // namespace

template <typename T>
void mean_pool(const Task& task) {
  using S = Sum<T>;
  const Workload& work = task.row.work;
  const std::vector<Reach> along_d = reaches(work, &Shape3::d);
  const std::vector<Reach> along_h = reaches(work, &Shape3::h);
  const std::vector<Reach> along_w = reaches(work, &Shape3::w);
  std::vector<S> terms;
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    T* result = task.result<T>(n, c);
    for (const Reach& d : along_d) {
      for (const Reach& h : along_h) {
        for (const Reach& w : along_w) {
          const S sum = box_sum<S>(d, h, w, terms, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            return static_cast<S>(source[i * task.from.d + j * task.from.h + k * task.from.w]);
          });
          *result = static_cast<T>(sum / static_cast<S>(d.counted * h.counted * w.counted));
          result += task.to.w;
        }
      }
    }
  });
}

template <typename T>
void mean_pool_backward(const Task& task) {
  using S = Sum<T>;
  const Workload& work = task.row.work;
  const std::vector<Reach> along_d = reaches(work, &Shape3::d);
  const std::vector<Reach> along_h = reaches(work, &Shape3::h);
  const std::vector<Reach> along_w = reaches(work, &Shape3::w);
  const std::vector<Reach> over_d = holders(along_d, work.in.d);
  const std::vector<Reach> over_h = holders(along_h, work.in.h);
  const std::vector<Reach> over_w = holders(along_w, work.in.w);
  std::vector<S> shares(static_cast<std::size_t>(work.out.count()));
  std::vector<S> terms;
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    T* result = task.result<T>(n, c);
    S* share = shares.data();
    for_each_cell(work.out, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
      const std::int64_t counted = at(along_d, d).counted * at(along_h, h).counted * at(along_w, w).counted;
      *share++ = static_cast<S>(source[d * task.from.d + h * task.from.h + w * task.from.w]) /
                 static_cast<S>(counted);
    });
    for_each_cell(work.in, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
      const S sum =
          box_sum<S>(at(over_d, d), at(over_h, h), at(over_w, w), terms,
                     [&](std::int64_t i, std::int64_t j, std::int64_t k) {
                       return shares[static_cast<std::size_t>((i * work.out.h + j) * work.out.w + k)];
                     });
      *result = static_cast<T>(sum);
      result += task.to.w;
    });
  });
}

template void mean_pool<float>(const Task&);
template void mean_pool<double>(const Task&);
template void mean_pool<Float16>(const Task&);
template void mean_pool<Bf16>(const Task&);
template void mean_pool_backward<float>(const Task&);
template void mean_pool_backward<double>(const Task&);
template void mean_pool_backward<Float16>(const Task&);
template void mean_pool_backward<Bf16>(const Task&);

}  // namespace cairn::bench
