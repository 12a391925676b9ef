#include "plain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>

#include "contender.h"
#include "data.h"
#include "pages.h"

// The loops that a user would write, on one thread: nobody should be slower.
namespace cairn::bench {
namespace {

struct Taps {
  std::int64_t begin;
  std::int64_t end;
};
Taps taps(const Workload& work, std::int64_t Shape3::*axis, std::int64_t cell) {
  const std::int64_t dilation = work.dilation.*axis;
  if (work.stride.*axis == 0) {
    const std::int64_t all = work.in.*axis;
    const std::int64_t parts = work.out.*axis;
    return {cell * all / parts, ((cell + 1) * all + parts - 1) / parts};
  }
  std::int64_t begin = cell * (work.stride.*axis) - work.padding.*axis;
  const std::int64_t end = std::min(begin + (work.kernel.*axis - 1) * dilation + 1, work.in.*axis);
  while (begin < 0) begin += dilation;
  return {begin, end};
}

template <typename T, typename Index>
void max_pool(const Task& task) {
  const Workload& work = task.row.work;
  const Shape3 step = work.dilation;
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    T* result = task.result<T>(n, c);
    Index* indices = task.indices<Index>(n, c);
    std::int64_t cell = 0;
    for_each_cell(work.out, [&](std::int64_t od, std::int64_t oh, std::int64_t ow) {
      const Taps across_d = taps(work, &Shape3::d, od);
      const Taps across_h = taps(work, &Shape3::h, oh);
      const Taps across_w = taps(work, &Shape3::w, ow);
      auto best = -std::numeric_limits<Sum<T>>::infinity();
      std::int64_t index = -1;
      for (std::int64_t d = across_d.begin; d < across_d.end; d += step.d) {
        for (std::int64_t h = across_h.begin; h < across_h.end; h += step.h) {
          const T* line = source + d * task.from.d + h * task.from.h;
          for (std::int64_t w = across_w.begin; w < across_w.end; w += step.w) {
            const Sum<T> value = line[w * task.from.w];
            if (value > best || std::isnan(value)) {
              best = value;
              index = (d * work.in.h + h) * work.in.w + w;
            }
          }
        }
      }
      result[cell * task.to.w] = static_cast<T>(best);
      indices[cell * task.at.w] = static_cast<Index>(index);
      ++cell;
    });
  });
}

template <typename T, typename Index>
void max_pool_backward(const Task& task) {
  const Workload& work = task.row.work;
  const std::int64_t cells = work.in.count();
  std::vector<Sum<T>> sums(static_cast<std::size_t>(cells));
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    const Index* indices = task.indices<Index>(n, c);
    T* result = task.result<T>(n, c);
    const auto scatter = [&](auto* to, std::int64_t step) {
      for (std::int64_t i = 0; i < cells; ++i) to[i * step] = 0;
      std::int64_t cell = 0;
      for_each_cell(work.out, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
        const auto index = static_cast<std::int64_t>(indices[cell++ * task.at.w]);
        if (index != -1) to[index * step] += source[d * task.from.d + h * task.from.h + w * task.from.w];
      });
    };
    if constexpr (std::is_same_v<T, Sum<T>>) {
      scatter(result, task.to.w);
    } else {
      scatter(sums.data(), 1);
      for (std::int64_t i = 0; i < cells; ++i)
        result[i * task.to.w] = static_cast<T>(sums[static_cast<std::size_t>(i)]);
    }
  });
}

// Where cell `index` of a plane lies: most planes are whole, their cells evenly apart, and a plain loop would
// count on it.
struct Cells {
  Shape3 size;
  Strides stride;
  bool whole;
  std::int64_t operator()(std::int64_t index) const {
    if (whole) return index * stride.w;
    const std::int64_t line = index / size.w;
    return line / size.h * stride.d + line % size.h * stride.h + index % size.w * stride.w;
  }
};

template <typename T, typename Index>
void max_unpool(const Task& task) {
  const Workload& work = task.row.work;
  const Cells cells{work.out, task.to, work.transposed != Transposed::kResult};
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    const Index* indices = task.indices<Index>(n, c);
    T* result = task.result<T>(n, c);
    // A transposed plane is as dense as any; only channels side by side lie apart.
    const std::int64_t step = cells.whole ? task.to.w : 1;
    for (std::int64_t i = 0; i < work.out.count(); ++i) result[i * step] = T{};
    std::int64_t cell = 0;
    for_each_cell(work.in, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
      const auto index = static_cast<std::int64_t>(indices[cell++ * task.at.w]);
      if (index != -1) result[cells(index)] = source[d * task.from.d + h * task.from.h + w * task.from.w];
    });
  });
}

template <typename T, typename Index>
void max_unpool_backward(const Task& task) {
  const Workload& work = task.row.work;
  const Cells cells{work.out, task.from, work.transposed != Transposed::kSource};
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    const Index* indices = task.indices<Index>(n, c);
    T* result = task.result<T>(n, c);
    std::int64_t cell = 0;
    for_each_cell(work.in, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
      const auto index = static_cast<std::int64_t>(indices[cell++ * task.at.w]);
      result[d * task.to.d + h * task.to.h + w * task.to.w] = index == -1 ? T{} : source[cells(index)];
    });
  });
}

using Table = std::vector<std::int64_t>;

template <typename T>
void upsample(const Task& task) {
  const Workload& work = task.row.work;
  const float shift = is_exact(work.op) ? 0.5F : 0.0F;
  const auto sources = [shift](std::int64_t in, std::int64_t out, std::int64_t stride) {
    Table table;
    const float step = static_cast<float>(in) / static_cast<float>(out);
    for (std::int64_t i = 0; i < out; ++i)
      table.push_back(std::min(static_cast<std::int64_t>((static_cast<float>(i) + shift) * step), in - 1) *
                      stride);
    return table;
  };
  const Table along_d = sources(work.in.d, work.out.d, task.from.d);
  const Table along_h = sources(work.in.h, work.out.h, task.from.h);
  const Table along_w = sources(work.in.w, work.out.w, task.from.w);
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    T* result = task.result<T>(n, c);
    for (const std::int64_t d : along_d) {
      for (const std::int64_t h : along_h) {
        for (const std::int64_t w : along_w) {
          *result = source[d + h + w];
          result += task.to.w;
        }
      }
    }
  });
}

template <typename T>
void upsample_backward(const Task& task) {
  using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Workload& work = task.row.work;
  const float shift = is_exact(work.op) ? 0.5F : 0.0F;
  const auto begins = [shift](std::int64_t in, std::int64_t out) {
    Table table;
    const float scale = static_cast<float>(out) / static_cast<float>(in);
    for (std::int64_t i = 0; i <= in; ++i)
      table.push_back(
          std::min(static_cast<std::int64_t>(std::ceil(static_cast<float>(i) * scale - shift)), out));
    return table;
  };
  const Table along_d = begins(work.in.d, work.out.d);
  const Table along_h = begins(work.in.h, work.out.h);
  const Table along_w = begins(work.in.w, work.out.w);
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    T* result = task.result<T>(n, c);
    for_each_cell(work.in, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
      const auto begin = [](const Table& table, std::int64_t i) {
        return table[static_cast<std::size_t>(i)];
      };
      Sum sum = 0;
      for (std::int64_t z = begin(along_d, d); z < begin(along_d, d + 1); ++z)
        for (std::int64_t y = begin(along_h, h); y < begin(along_h, h + 1); ++y)
          for (std::int64_t x = begin(along_w, w); x < begin(along_w, w + 1); ++x)
            sum += source[z * task.from.d + y * task.from.h + x * task.from.w];
      *result = static_cast<T>(sum);
      result += task.to.w;
    });
  });
}

using Loop = void (*)(const Task&);

template <typename T>
Loop summing_loop(const Case& row) {
  const bool wide = row.index_type == ACL_INT64;
  if (row.is_filtered()) return resample<T>;
  if (row.is_mean()) return row.is_forward() ? mean_pool<T> : mean_pool_backward<T>;
  if (row.is_upsample()) return row.is_forward() ? upsample<T> : upsample_backward<T>;
  if (row.is_forward()) return wide ? max_pool<T, std::int64_t> : max_pool<T, std::int32_t>;
  return wide ? max_pool_backward<T, std::int64_t> : max_pool_backward<T, std::int32_t>;
}

// Unpooling moves elements of so many bytes, whatever they mean.
template <typename T>
Loop moving_loop(const Case& row) {
  const bool wide = row.index_type == ACL_INT64;
  if (row.is_forward()) return wide ? max_unpool<T, std::int64_t> : max_unpool<T, std::int32_t>;
  return wide ? max_unpool_backward<T, std::int64_t> : max_unpool_backward<T, std::int32_t>;
}

Loop loop_of(const Case& row) {
  if (row.is_unpool()) {
    const std::int64_t size = size_of(row.type);
    if (size == 1) return moving_loop<std::uint8_t>(row);
    if (size == 2) return moving_loop<std::uint16_t>(row);
    return size == 4 ? moving_loop<std::uint32_t>(row) : moving_loop<std::uint64_t>(row);
  }
  switch (row.type) {
    case ACL_FLOAT16:
      return summing_loop<Float16>(row);
    case ACL_BF16:
      return summing_loop<Bf16>(row);
    case ACL_DOUBLE:
      return summing_loop<double>(row);
    case ACL_INT8:
      return max_pool<std::int8_t, std::int32_t>;
    default:
      return summing_loop<float>(row);
  }
}

class PlainLoop final : public Contender {
 public:
  PlainLoop(const Case& row, const HostData& data)
      : source_(static_cast<std::size_t>(row.elements(row.source()) * size_of(row.type))),
        indices_(
            static_cast<std::size_t>(row.elements(row.indices()) *
                                     std::max<std::int64_t>(size_of(row.index_type), sizeof(std::int32_t)))),
        result_(static_cast<std::size_t>(row.elements(row.result()) * size_of(row.type))),
        task_{row, source_.data(), indices_.data(), result_.data()},
        loop_(loop_of(row)) {
    std::memcpy(source_.data(), data.values.data(), data.values.size());
    if (!data.indices.empty()) std::memcpy(indices_.data(), data.indices.data(), data.indices.size());
  }

  const char* name() const override { return "plain loop"; }
  bool same_definition() const override { return true; }
  void run() override { loop_(task_); }

  Result result() override {
    const Case& row = task_.row;
    const auto copy = [](const Pages& pages, std::int64_t bytes) {
      return std::vector<std::byte>(pages.data(), pages.data() + bytes);
    };
    Result result{copy(result_, row.elements(row.result()) * size_of(row.type)), {}};
    if (row.makes_indices())
      result.indices = copy(indices_, row.elements(row.indices()) * size_of(row.index_type));
    return result;
  }

 private:
  Pages source_;
  Pages indices_;
  Pages result_;
  Task task_;
  Loop loop_;
};

}  // namespace

std::unique_ptr<Contender> make_plain(const Case& row, const HostData& data, int /*threads*/) {
  return std::make_unique<PlainLoop>(row, data);
}

}  // namespace cairn::bench
