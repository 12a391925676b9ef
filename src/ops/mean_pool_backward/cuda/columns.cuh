#pragma once

#include <cuda_runtime.h>

#include "ops/kit/cuda/mean_patterns.cuh"

namespace cairn::cuda {

// Where a column of a staged row lies: one element is left out after every 32, so that threads whose columns
// are 2, 4 or 8 apart meet no bank twice.
constexpr __host__ __device__ int staged_column(int column) { return column + (column >> 5); }

// The sources along W of a pack of results, found once and good for all rows. Where there is none, they have
// the zero at the end of the row: a sum that began with +0 does not change by it.

// Up to three sources each.
template <int Count>
struct FewColumns {
  static constexpr int kCount = Count;
  static constexpr int kMost = 3;
  int at[kMost][Count];
  int most = 0;

  __device__ FewColumns(const NarrowMeanAxis& axis, int w, int first, int zero) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const Cells reach = MeanBackward::reach(axis, w + i);
      most = max(most, reach.size());
#pragma unroll
      for (int k = 0; k < kMost; ++k)
        at[k][i] = reach.begin + k < reach.end ? staged_column(reach.begin + k - first) : zero;
    }
  }
  template <typename Sum>
  __device__ void add(const Sum* line, Sum (&sums)[Count]) const {
#pragma unroll
    for (int k = 0; k < kMost; ++k) {
      if (k >= most) break;
#pragma unroll
      for (int i = 0; i < Count; ++i) sums[i] += line[at[k][i]];
    }
  }
};

// Any number of them.
struct ManyColumns {
  static constexpr int kCount = 1;
  Cells columns;

  __device__ ManyColumns(const NarrowMeanAxis& axis, int w, int first, int /*zero*/) {
    const Cells reach = MeanBackward::reach(axis, w);
    columns = {reach.begin - first, reach.end - first};
  }
  template <typename Sum>
  __device__ void add(const Sum* line, Sum (&sums)[1]) const {
#pragma unroll 4
    for (int k = columns.begin; k < columns.end; ++k) sums[0] += line[staged_column(k)];
  }
};

}  // namespace cairn::cuda
