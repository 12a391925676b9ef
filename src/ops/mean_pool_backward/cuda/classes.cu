#include <algorithm>
#include <numeric>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/mean_pool_backward/cuda/methods.h"

namespace cairn::mean_pool_backward {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kPackBytes = 16;
constexpr std::int64_t kMostCells = 1 << 15;  // of a plane
constexpr std::int64_t kMostClasses = 2048;   // of a plane
constexpr std::int64_t kManyBlocks = 512;
constexpr std::int64_t kBlockBytes = 40 << 10;
// Bytes that are worth a block, where cells have one window each, or several.
constexpr std::int64_t kFewWrites = 16 << 10;
constexpr std::int64_t kManyWrites = 32 << 10;
constexpr std::int64_t kSectorBytes = 32;

// Along an axis a cell lies in one window or in two, so there are 2·out - 1 classes of cells at most: class
// 2·o are those in window o alone, class 2·o + 1 those in o and the next. Where no window has a cell of
// another, class o are those in window o.
struct ClassAxis {
  bool apart;
  int count;

  ClassAxis() = default;
  explicit ClassAxis(const MeanAxis& axis)
      : apart(axis.are_apart()), count(static_cast<int>(apart ? axis.out : 2 * axis.out - 1)) {}

  __device__ int class_of(const cuda::Cells& windows) const {
    return apart ? windows.begin : windows.begin + windows.end - 1;
  }
  __device__ cuda::Cells windows_of(int number) const {
    if (apart) return {number, number + 1};
    return {number / 2, (number + 3) / 2};
  }
};

template <typename Sum>
struct ClassPlan : cuda::NarrowMeans<Sum> {
  ClassAxis of_d, of_h, of_w;
  cuda::Divider<std::uint32_t> by_windows, by_out_h, by_out_w, by_classes_h, by_classes_w;
  cuda::Divider<std::uint32_t> by_in_h, by_lines, by_words;
  unsigned cells, windows, classes;  // of a plane
  unsigned rows;                     // of cells that differ
  unsigned words;                    // of a row
  unsigned rows_at_once;             // whose words a block's threads have
  unsigned lines;                    // of cells, rows of which many are the same
  unsigned group;                    // planes, which begin and end with a pack
  unsigned slices, all_slices;       // of a block, in all
};

// What a block keeps in shared memory.
template <typename T>
struct ClassStore {
  using Sum = cuda::Sum<T>;
  T* rows;
  Sum* shares;
  T* sums;
  unsigned short* class_of_column;
  unsigned short* row_of_line;

  __device__ ClassStore(const ClassPlan<Sum>& plan, unsigned char* memory) {
    const auto row_bytes = static_cast<unsigned>(plan.slices * plan.rows * plan.w.in * sizeof(T));
    rows = reinterpret_cast<T*>(memory);
    shares = reinterpret_cast<Sum*>(memory + (row_bytes + 15) / 16 * 16);
    sums = reinterpret_cast<T*>(shares + plan.slices * plan.windows);
    class_of_column = reinterpret_cast<unsigned short*>(sums + plan.slices * plan.classes);
    row_of_line = class_of_column + plan.w.in;
  }
};

// Which cells have the same sum.
template <typename T, typename Sum = cuda::Sum<T>>
__device__ void find_classes(const ClassPlan<Sum>& plan, const ClassStore<T>& store) {
  for (int w = threadIdx.x; w < plan.w.in; w += kThreads)
    store.class_of_column[w] = static_cast<unsigned short>(plan.of_w.class_of(plan.w.windows(w)));
  for (unsigned line = threadIdx.x; line < plan.lines; line += kThreads) {
    const unsigned d = plan.by_in_h.divide(line);
    const auto h = static_cast<int>(plan.by_in_h.rest(line, d));
    const int row = plan.of_d.class_of(plan.d.windows(static_cast<int>(d))) * plan.of_h.count +
                    plan.of_h.class_of(plan.h.windows(h));
    store.row_of_line[line] = static_cast<unsigned short>(row);
  }
}

// The share of every window of the block's planes.
template <typename T, typename Sum = cuda::Sum<T>>
__device__ void compute_shares(const ClassPlan<Sum>& plan, unsigned first, unsigned slices, Sum* shares) {
  for (unsigned i = threadIdx.x; i < slices * plan.windows; i += kThreads) {
    cuda::Digits<std::uint32_t> digits{i};
    const auto w = static_cast<int>(digits.next(plan.by_out_w));
    const auto h = static_cast<int>(digits.next(plan.by_out_h));
    const unsigned slice = plan.by_windows.divide(i);
    const auto d = static_cast<int>(digits.left - slice * static_cast<unsigned>(plan.d.out));
    const auto n = static_cast<int>(plan.by_c.divide(first + slice));
    const auto c = static_cast<int>(plan.by_c.rest(first + slice, n));
    const T* from = static_cast<const T*>(plan.read) + plan.from.slice(n, c) + plan.from.place(d, h, w);
    shares[i] = cuda::widen(*from) / plan.divisor_of(d, h, w);
  }
}

// The sum of every class of cells, from those: a thread has the same class of all planes.
template <typename T, typename Sum = cuda::Sum<T>>
__device__ void compute_sums(const ClassPlan<Sum>& plan, unsigned slices, const ClassStore<T>& store) {
  for (unsigned number = threadIdx.x; number < plan.classes; number += kThreads) {
    cuda::Digits<std::uint32_t> digits{number};
    const cuda::Cells of_w = plan.of_w.windows_of(static_cast<int>(digits.next(plan.by_classes_w)));
    const cuda::Cells of_h = plan.of_h.windows_of(static_cast<int>(digits.next(plan.by_classes_h)));
    const cuda::Cells of_d = plan.of_d.windows_of(static_cast<int>(digits.left));
    const bool has_d = of_d.size() > 1, has_h = of_h.size() > 1, has_w = of_w.size() > 1;
    const int step_d = plan.h.out * plan.w.out, step_h = plan.w.out;
    const Sum* shares = store.shares + of_d.begin * step_d + of_h.begin * step_h + of_w.begin;
    T* to = store.sums + number;
    for (unsigned slice = 0; slice < slices; ++slice, shares += plan.windows, to += plan.classes) {
      // Windows in order: at most two along each axis.
      const auto add_row = [&](Sum sum, const Sum* row) {
        sum += row[0];
        return has_w ? sum + row[1] : sum;
      };
      Sum sum = add_row(0, shares);
      if (has_h) sum = add_row(sum, shares + step_h);
      if (has_d) {
        sum = add_row(sum, shares + step_d);
        if (has_h) sum = add_row(sum, shares + step_d + step_h);
      }
      *to = cuda::narrow<T>(sum);
    }
  }
}

// Every row of cells that differs from others, in words: a thread has a column of them, so that it looks its
// classes up once. H200, g2-50to7 FLOAT16: 28 us, of 32 that it takes word by word and with loops over
// windows.
template <typename T, typename Word, typename Sum = cuda::Sum<T>>
__device__ void lay_out_rows(const ClassPlan<Sum>& plan, unsigned slices, const ClassStore<T>& store) {
  constexpr int kEach = sizeof(Word) / sizeof(T);
  const unsigned rows = slices * plan.rows;
  const auto classes_of_row = static_cast<unsigned>(plan.of_w.count);
  const unsigned first = plan.by_words.divide(threadIdx.x);
  if (first >= plan.rows_at_once) return;
  for (unsigned column = plan.by_words.rest(threadIdx.x, first); column < plan.words; column += kThreads) {
    unsigned short classes[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) classes[k] = store.class_of_column[column * kEach + k];
    const T* sums = store.sums + first * classes_of_row;
    T* to = store.rows + (first * plan.words + column) * kEach;
    for (unsigned row = first; row < rows; row += plan.rows_at_once) {
      cuda::Pack<T, kEach> word;
#pragma unroll
      for (int k = 0; k < kEach; ++k) word.at[k] = sums[classes[k]];
      cuda::store_pack(to, word);
      sums += plan.rows_at_once * classes_of_row;
      to += plan.rows_at_once * plan.words * kEach;
    }
  }
}

// Cells of a class have the same windows, and the same sum, and many rows of cells are the same: a block
// computes each once and then writes packs of cells, whose words may belong to several rows or planes.
template <typename T, typename Word>
__global__ void __launch_bounds__(kThreads)
    write_classes(const __grid_constant__ ClassPlan<cuda::Sum<T>> plan) {
  constexpr unsigned kCount = kPackBytes / sizeof(T);
  constexpr unsigned kWords = kPackBytes / sizeof(Word);
  CAIRN_SHARED_MEMORY(unsigned char, shared_bytes);
  const ClassStore<T> store(plan, shared_bytes);
  cuda::let_next_kernel_come();
  const unsigned first = blockIdx.x * plan.slices;
  const unsigned slices = min(plan.slices, plan.all_slices - first);
  find_classes<T>(plan, store);
  cuda::wait_for_kernel_before();
  compute_shares<T>(plan, first, slices, store.shares);
  __syncthreads();
  compute_sums<T>(plan, slices, store);
  __syncthreads();
  lay_out_rows<T, Word>(plan, slices, store);
  __syncthreads();
  T* to = static_cast<T*>(plan.written) + std::int64_t{first} * plan.cells;
  const auto* words = reinterpret_cast<const Word*>(store.rows);
  // Packs lie alike in every group of planes, so a thread knows where its words are for all of them.
  for (unsigned place = threadIdx.x * kCount; place < plan.group * plan.cells; place += kThreads * kCount) {
    unsigned at[kWords];
#pragma unroll
    for (unsigned i = 0; i < kWords; ++i) {
      const unsigned word = place / kCount * kWords + i;
      const unsigned line = plan.by_words.divide(word);
      const unsigned slice = plan.by_lines.divide(line);
      const unsigned row = slice * plan.rows + store.row_of_line[plan.by_lines.rest(line, slice)];
      at[i] = row * plan.words + plan.by_words.rest(word, line);
    }
    const Word* group = words;
    for (unsigned cell = place; cell < slices * plan.cells;
         cell += plan.group * plan.cells, group += plan.group * plan.rows * plan.words) {
      cuda::Pack<Word, kWords> pack;
#pragma unroll
      for (unsigned i = 0; i < kWords; ++i) pack.at[i] = group[at[i]];
      cuda::store_pack(reinterpret_cast<Word*>(to + cell), pack);
    }
  }
}

struct ClassSizes {
  ClassAxis d, h, w;
  std::int64_t element, cells, windows, classes, rows, lines;
  std::int64_t group;   // planes, which begin and end with a pack
  std::int64_t slices;  // of a block

  explicit ClassSizes(const Plan& plan)
      : d(plan.d),
        h(plan.h),
        w(plan.w),
        element(static_cast<std::int64_t>(size_of(plan.type))),
        cells(plan.d.in * plan.h.in * plan.w.in),
        windows(plan.d.out * plan.h.out * plan.w.out),
        classes(std::int64_t{d.count} * h.count * w.count),
        rows(std::int64_t{d.count} * h.count),
        lines(plan.d.in * plan.h.in),
        group(kPackBytes / std::gcd(kPackBytes, cells * element)),
        slices(group) {
    const std::int64_t writes = d.apart && h.apart && w.apart ? kFewWrites : kManyWrites;
    while (slices * cells * element < writes && plan.n * plan.c / slices / 2 >= kManyBlocks &&
           bytes(slices * 2, plan) <= kBlockBytes)
      slices *= 2;
  }
  // Of shared memory, for so many planes.
  std::int64_t bytes(std::int64_t count, const Plan& plan) const {
    return cuda::divide_up(count * rows * plan.w.in * element, kPackBytes) * kPackBytes +
           count * (windows * std::max<std::int64_t>(element, 4) + classes * element) +
           (plan.w.in + lines) * 2;
  }
};

}  // namespace

const char* why_not_classes(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.grad_input, plan.grad_output)) return reason;
  const auto one_or_two = [](const MeanAxis& axis) {
    return (axis.is_adaptive() && axis.in >= axis.out) || axis.is_whole() ||
           (axis.kernel == axis.stride && axis.padding == 0 && axis.out * axis.stride >= axis.in);
  };
  if (!one_or_two(plan.d) || !one_or_two(plan.h) || !one_or_two(plan.w))
    return "cells are not in one window or two along each axis";
  const Size3 in{plan.d.in, plan.h.in, plan.w.in};
  if (!is_dense(plan.grad_input, plan.n, plan.c, in)) return "there are gaps between cells";
  const auto classes = [](const MeanAxis& axis) { return axis.are_apart() ? axis.out : 2 * axis.out - 1; };
  const std::int64_t all = classes(plan.d) * classes(plan.h) * classes(plan.w);
  if (in.count() > kMostCells || all > kMostClasses) return "planes are large";
  const ClassSizes sizes(plan);
  if (sizes.bytes(sizes.slices, plan) > kBlockBytes) return "planes are large";
  if (all * 4 > in.count()) return "few cells have the same windows";
  const bool apart = sizes.d.apart && sizes.h.apart && sizes.w.apart;
  if (apart && plan.w.in * sizes.element % kSectorBytes == 0 && why_not_patches(plan) == nullptr)
    return "rows are whole sectors, which patches write as well";
  const std::int64_t count = kPackBytes / sizes.element;
  const bool packs =
      plan.n * plan.c * in.count() % count == 0 && cuda::in_packs(plan.grad_input.data, 1, kPackBytes, {});
  return packs ? nullptr : "cells do not lie in packs of 16 bytes";
}

namespace {

template <typename T, typename Word>
cudaError_t start(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Divider = cuda::Divider<std::uint32_t>;
  const ClassSizes sizes(plan);
  const auto words = static_cast<std::int64_t>(plan.w.in * sizeof(T) / sizeof(Word));
  ClassPlan<cuda::Sum<T>> it;
  static_cast<cuda::NarrowMeans<cuda::Sum<T>>&>(it) = cuda::narrow_means<cuda::Sum<T>>(
      plan, plan.grad_output, plan.grad_input, plan.c, {plan.d.in, plan.h.in, plan.w.in});
  it.of_d = sizes.d;
  it.of_h = sizes.h;
  it.of_w = sizes.w;
  it.by_windows = Divider(sizes.windows);
  it.by_out_h = Divider(plan.h.out);
  it.by_out_w = Divider(plan.w.out);
  it.by_classes_h = Divider(sizes.h.count);
  it.by_classes_w = Divider(sizes.w.count);
  it.by_in_h = Divider(plan.h.in);
  it.by_lines = Divider(sizes.lines);
  it.by_words = Divider(words);
  it.cells = static_cast<unsigned>(sizes.cells);
  it.windows = static_cast<unsigned>(sizes.windows);
  it.classes = static_cast<unsigned>(sizes.classes);
  it.rows = static_cast<unsigned>(sizes.rows);
  it.words = static_cast<unsigned>(words);
  it.rows_at_once = static_cast<unsigned>(std::max<std::int64_t>(kThreads / words, 1));
  it.lines = static_cast<unsigned>(sizes.lines);
  it.group = static_cast<unsigned>(sizes.group);
  it.slices = static_cast<unsigned>(sizes.slices);
  it.all_slices = static_cast<unsigned>(plan.n * plan.c);
  return cuda::start_kernel(write_classes<T, Word>, it, cuda::divide_up(plan.n * plan.c, sizes.slices),
                            kThreads, static_cast<std::size_t>(sizes.bytes(sizes.slices, plan)),
                            launch.stream);
}

}  // namespace

cudaError_t run_classes(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_real_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    const auto row_bytes = static_cast<std::int64_t>(plan.w.in * sizeof(T));
    if (row_bytes % kPackBytes == 0) return start<T, uint4>(plan, launch);
    if constexpr (sizeof(T) == 8) {
      return start<T, uint2>(plan, launch);
    } else {
      if (sizeof(T) == 4 || row_bytes % 4 == 0) return start<T, unsigned>(plan, launch);
      return start<T, typename cuda::WordsOf<sizeof(T)>::Type>(plan, launch);
    }
  });
}

}  // namespace cairn::mean_pool_backward
