#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cpu/aligned.h"
#include "ops/kit/span.h"
#include "ops/kit/taps/table.h"

namespace cairn::resample {

// The taps of a stretch of targets along a line, laid out for vectors of them: block by block, tap by tap, a
// lane for each target. Sources that lie close together are picked from a window of two vectors, others
// gathered.
template <typename T>
class LaneTable {
 public:
  using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

  struct Block {
    std::int64_t slot;  // the first of its `slots`
    std::int32_t slots;
    bool full;     // every target has so many taps
    bool gathers;  // a window is too short for its sources
  };

  // Each target is `channels` elements side by side, and so is each source. `sources` are the ones that a
  // line has, `readable` how many elements of it may be read.
  void fill(const TapTable<T>& taps, std::int64_t channels, Span sources, std::int64_t lanes,
            std::int64_t readable) {
    lanes_ = lanes;
    const std::int64_t count = taps.targets().size() * channels;
    const std::int64_t blocks = (count + lanes - 1) / lanes;
    blocks_.clear();
    bases_.clear();
    indices_.clear();
    weights_.clear();
    counts_.assign(static_cast<std::size_t>(blocks * lanes), T{0});
    for (std::int64_t block = 0; block < blocks; ++block)
      add_block(taps, channels, sources.begin, block * lanes, count, readable);
  }

  // Whether some targets reach too far for a window.
  bool gathers() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.gathers; });
  }
  std::int64_t blocks() const { return static_cast<std::int64_t>(blocks_.size()); }
  const Block& block(std::int64_t i) const { return blocks_[static_cast<std::size_t>(i)]; }
  const std::int64_t* bases(std::int64_t slot) const { return bases_.data() + slot; }
  const Index* indices(std::int64_t slot) const { return indices_.data() + slot * lanes_; }
  const T* weights(std::int64_t slot) const { return weights_.data() + slot * lanes_; }
  // Of each target of a block, how many taps it has.
  const T* counts(std::int64_t block) const { return counts_.data() + block * lanes_; }

 private:
  void add_block(const TapTable<T>& taps, std::int64_t channels, std::int64_t origin, std::int64_t first,
                 std::int64_t count, std::int64_t readable) {
    // Lanes past the last target repeat it.
    const auto element = [&](std::int64_t lane) { return std::min(first + lane, count - 1); };
    const auto taps_of = [&](std::int64_t lane) {
      return taps.of(taps.targets().begin + element(lane) / channels);
    };
    const auto place_of = [&](std::int64_t lane, std::int64_t slot) {
      return (taps_of(lane).sources[slot] - origin) * channels + element(lane) % channels;
    };
    std::int64_t most = 0;
    std::int64_t least = taps_of(0).count;
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      const std::int64_t own = taps_of(lane).count;
      counts_[static_cast<std::size_t>(first + lane)] = static_cast<T>(own);
      most = std::max(most, own);
      least = std::min(least, own);
    }
    Block block{static_cast<std::int64_t>(bases_.size()), static_cast<std::int32_t>(most), most == least,
                readable < 2 * lanes_};
    for (std::int64_t slot = 0; slot < most; ++slot) {
      const Span span = reach(slot, taps_of, place_of);
      block.gathers = block.gathers || span.size() > 2 * lanes_;
    }
    for (std::int64_t slot = 0; slot < most; ++slot) {
      const Span span = reach(slot, taps_of, place_of);
      const std::int64_t base =
          block.gathers ? span.begin : std::clamp<std::int64_t>(readable - 2 * lanes_, 0, span.begin);
      bases_.push_back(base);
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        const bool has = slot < taps_of(lane).count;
        indices_.push_back(static_cast<Index>((has ? place_of(lane, slot) : span.begin) - base));
        weights_.push_back(has ? taps_of(lane).weights[slot] : T{0});
      }
    }
    blocks_.push_back(block);
  }

  // The places that this tap has in any lane.
  template <typename TapsOf, typename PlaceOf>
  Span reach(std::int64_t slot, const TapsOf& taps_of, const PlaceOf& place_of) const {
    Span span{0, 0};
    for (std::int64_t lane = 0; lane < lanes_; ++lane) {
      if (slot >= taps_of(lane).count) continue;
      const std::int64_t place = place_of(lane, slot);
      span = span.size() == 0 ? Span{place, place + 1}
                              : Span{std::min(span.begin, place), std::max(span.end, place + 1)};
    }
    return span;
  }

  std::int64_t lanes_ = 1;
  std::vector<Block> blocks_;
  std::vector<std::int64_t> bases_;
  Aligned<Index> indices_;
  Aligned<T> weights_;
  Aligned<T> counts_;
};

}  // namespace cairn::resample
