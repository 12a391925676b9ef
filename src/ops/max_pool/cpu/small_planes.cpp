// Many small planes that lie one behind the other: a vector has one cell of as many planes, so that rows may
// be as short as they like, and what there is to know about windows is found once for all planes. Of the time
// that bands need it takes 4 % (planes of 2×2×2, k2), 15 to 20 % (4×4×4, k2 or k3 s1), 40 % (8×8, k2).

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/cpu/pack_scratch.h"
#include "ops/max_pool/cpu/plane_taps.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/small_planes.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/block_output-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

template <typename T, typename Index>
class SmallPlanes {
 public:
  SmallPlanes(const Plan& plan, const PlaneTaps& taps, bool streaming)
      : p_(plan),
        taps_(taps),
        cells_(plan.in.count()),
        windows_(plan.out.count()),
        pack_(*of_pack_),
        output_(*of_output_),
        values_writer_(streaming),
        indices_writer_(streaming) {
    output_.make_room(std::max(lanes_ * windows_, BlockLimits::kMostElements), lanes_);
    grow(pack_.planes, lanes_ * (cells_ + 1));
    grow(pack_.cells, lanes_ * cells_);
    grow(pack_.values, lanes_ * windows_);
    grow(pack_.places, lanes_ * windows_);
    grow(pack_.in_order, lanes_ * windows_);
    std::int32_t* in_order = pack_.in_order.data();
    for (std::int64_t plane = 0; plane < lanes_; ++plane) {
      for (std::int64_t window = 0; window < windows_; ++window)
        *in_order++ = static_cast<std::int32_t>(window * lanes_ + plane);
    }
  }

  // The planes from `first` on: kMostElements windows of them at most, or one pack.
  void fill(std::int64_t first, std::int64_t count) {
    bool nans = false;
    for (std::int64_t i = 0; i < count; i += lanes_) {
      nans = fill_pack(first + i, std::min(count - i, lanes_), i * windows_) || nans;
    }
    const std::int64_t elements = count * windows_;
    if constexpr (sizeof(Index) == 8) {
      std::copy_n(output_.ints.data(), elements, output_.positions<Index>());
    }
    if constexpr (sizeof(T) == 2) {
      narrow_leaders(output_.floats.data(), elements, output_.values<T>());
      if (nans) restore_nans(first, elements);
    }
    const std::int64_t at = first * windows_;
    values_writer_.write(static_cast<T*>(p_.values.data) + at, output_.values<T>(), elements);
    indices_writer_.write(static_cast<Index*>(p_.indices.data) + at, output_.positions<Index>(), elements);
  }

 private:
  const std::int64_t lanes_ = static_cast<std::int64_t>(hn::Lanes(Floats()));

  const T* plane(std::int64_t number) const { return static_cast<const T*>(p_.self.data) + number * cells_; }

  // Their results are elements `to` and on of the block. True if there may be a NaN.
  bool fill_pack(std::int64_t first, std::int64_t count, std::int64_t to) {
    const bool nans = lay_out(as_floats(first, count));
    const bool straight = windows_ == 1;
    float* values = straight ? output_.floats.data() + to : pack_.values.data();
    std::int32_t* places = straight ? output_.ints.data() + to : pack_.places.data();
    if (nans) {
      pool<true>(values, places);
    } else {
      pool<false>(values, places);
    }
    if (!straight) put_in_order(to);
    return nans;
  }

  // A copy even of floats, read in order: lanes would wait for memory one by one. What lies behind the last
  // plane does not matter.
  const float* as_floats(std::int64_t first, std::int64_t count) {
    const T* from = plane(first);
    const Floats d;
    float* to = pack_.planes.data();
    const std::int64_t size = count * cells_;
    std::int64_t i = 0;
    for (; i + lanes_ <= size; i += lanes_) hn::StoreU(load_float(d, from + i), d, to + i);
    for (; i < size; ++i) to[i] = to_float(from[i]);
    return to;
  }

  bool lay_out(const float* planes) {
    const Floats d;
    const Ints di;
    auto watcher = hn::Zero(d);
    float* to = pack_.cells.data();
    const auto lanes = hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(cells_)));
    for (std::int64_t i = 0; i < cells_; ++i, to += lanes_) {
      const auto cell = cells_ == 1 ? hn::LoadU(d, planes) : hn::GatherIndex(d, planes + i, lanes);
      watch<Floats>(watcher, cell);
      hn::Store(cell, d, to);
    }
    return is_alarmed(d, watcher);
  }

  template <bool kNans>
  void pool(float* values, std::int32_t* places) const {
    const Floats d;
    const Ints di;
    const std::int32_t* taps = taps_.positions.data();
    const std::int32_t* end = taps;
    for (std::int64_t o = 0; o < windows_; ++o, values += lanes_, places += lanes_) {
      end = taps_.positions.data() + taps_.ends[static_cast<std::size_t>(o)];
      if (taps == end) {
        hn::StoreU(hn::Set(d, -std::numeric_limits<float>::infinity()), d, values);
        hn::StoreU(hn::Set(di, -1), di, places);
        continue;
      }
      Leader<Floats> leader{hn::Load(d, cell(*taps)), hn::Set(di, *taps)};
      for (++taps; taps != end; ++taps) {
        leader.template meet<kNans>(hn::Load(d, cell(*taps)), hn::Set(di, *taps));
      }
      hn::StoreU(leader.value, d, values);
      hn::StoreU(leader.position, di, places);
    }
  }
  const float* cell(std::int32_t position) const { return pack_.cells.data() + position * lanes_; }

  void put_in_order(std::int64_t to) {
    const Floats d;
    const Ints di;
    for (std::int64_t i = 0; i < lanes_ * windows_; i += lanes_) {
      const auto lanes = hn::Load(di, pack_.in_order.data() + i);
      hn::StoreU(hn::GatherIndex(d, pack_.values.data(), lanes), d, output_.floats.data() + to + i);
      hn::StoreU(hn::GatherIndex(di, pack_.places.data(), lanes), di, output_.ints.data() + to + i);
    }
  }

  // A NaN's own bits come from where it lies.
  void restore_nans(std::int64_t first, std::int64_t elements) {
    for (std::int64_t i = 0; i < elements; ++i) {
      if (!std::isnan(output_.floats[static_cast<std::size_t>(i)])) continue;
      output_.values<T>()[i] = plane(first + i / windows_)[output_.ints[static_cast<std::size_t>(i)]];
    }
  }

  const Plan& p_;
  const PlaneTaps& taps_;
  const std::int64_t cells_;
  const std::int64_t windows_;
  const OfThread<PackScratch> of_pack_;
  const OfThread<BlockScratch> of_output_;
  PackScratch& pack_;
  BlockScratch& output_;
  StreamWriter values_writer_;
  StreamWriter indices_writer_;
};

void run_small_planes(const Plan& plan, Workers& workers) {
  const PlaneTaps taps(plan);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  constexpr std::int64_t kElements = 1024;
  const std::int64_t planes = plan.n * plan.c;
  const std::int64_t block = std::max<std::int64_t>(kElements / (plan.out.count() * lanes), 1) * lanes;
  const std::int64_t blocks = (planes + block - 1) / block;
  const Units units{.count = blocks, .elements = block * plan.in.count()};
  with_float_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() HWY_ATTR {
    const bool streaming = streams<T, Index>(plan);
    for_each_range(workers, units, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      SmallPlanes<T, Index> pool(plan, taps, streaming);
      for (std::int64_t i = begin; i < end; ++i) {
        pool.fill(i * block, std::min(block, planes - i * block));
      }
    });
  });
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::small_planes {

const char* why_not(const Plan& plan) {
  constexpr std::int64_t kMostCells = 4096;
  constexpr std::int64_t kMostAlongW = 5;
  constexpr std::int64_t kMostWindows = 1024;
  constexpr std::int64_t kMostTaps = 32768;
  const std::int64_t lanes = float_lanes();
  if (const char* reason = why_no_blocks(plan)) return reason;
  if (lanes == 1) return "this machine has no vectors";
  if (plan.in.count() > kMostCells) return "planes are large";
  if (4 * plan.n * plan.c < lanes) return "there are few planes";
  if (plan.out.w > kMostAlongW) return "rows of windows are long";
  if (plan.out.count() > kMostWindows) return "planes have many windows";
  if (plan.out.count() * plan.kernel.count() > kMostTaps) return "windows have many taps";
  if (!is_dense(plan.self, plan.n, plan.c, plan.in) || !is_dense(plan.values, plan.n, plan.c, plan.out) ||
      !is_dense(plan.indices, plan.n, plan.c, plan.out))
    return "planes do not lie one behind the other";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_small_planes)

}  // namespace cairn::max_pool::small_planes
#endif
