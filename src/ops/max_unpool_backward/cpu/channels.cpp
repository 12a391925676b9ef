#include <hwy/base.h>

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/channel_images.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool_backward/cpu/gather.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward::channels {
namespace {

template <typename Element, typename Index>
class Method {
 public:
  explicit Method(const Plan& plan)
      : plan_(plan),
        pooled_(plan.pooled.count()),
        unpooled_(plan.unpooled.count()),
        most_(std::min(plan.c, kMost)),
        together_(std::max<std::int64_t>(kMost / plan.c, 1)),
        streaming_(writes_past_cache(plan)) {}

  std::optional<IndexFault> run(Workers& workers) const {
    FirstFault first;
    for_each_range(workers, {.count = plan_.n * pooled_, .elements = plan_.c},
                   [&](std::int64_t begin, std::int64_t end) { first.note(fill(begin, end)); });
    return first.get();
  }

 private:
  // Elements that are stored together.
  static constexpr auto kMost = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(Element));

  // Neighbouring cells of an image, in some of its channels: in all of them where it is more than one cell.
  struct Block {
    std::int64_t n;
    Span cells;
    Span channels;
  };

  std::optional<IndexFault> fill(std::int64_t begin, std::int64_t end) const {
    StreamWriter writer(streaming_);
    std::optional<IndexFault> fault;
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t n = i / pooled_;
      const std::int64_t cell = i % pooled_;
      const std::int64_t count = std::min({together_, end - i, pooled_ - cell});
      auto* to = static_cast<Element*>(plan_.out.data) + n * plan_.out.n + cell * plan_.c;
      for (std::int64_t c = 0; c < plan_.c; c += most_) {
        const Block block{n, {cell, cell + count}, {c, std::min(c + most_, plan_.c)}};
        take(block, writer.room(to + c, count * block.channels.size()), fault);
      }
      i += count;
    }
    return fault;
  }

  void take(const Block& block, Element* HWY_RESTRICT to, std::optional<IndexFault>& fault) const {
    const std::int64_t channels = plan_.c;
    const auto limit = static_cast<std::uint64_t>(unpooled_);
    const auto* HWY_RESTRICT from =
        static_cast<const Element*>(plan_.grad_output.data) + block.n * plan_.grad_output.n;
    const auto* HWY_RESTRICT indices = static_cast<const Index*>(plan_.indices.data) +
                                       block.n * plan_.indices.n + block.cells.begin * channels;
    for (std::int64_t cell = block.cells.begin; cell < block.cells.end; ++cell, indices += channels) {
      for (std::int64_t c = block.channels.begin; c < block.channels.end; ++c) {
        const std::int64_t index = indices[c];
        if (static_cast<std::uint64_t>(index) < limit) [[likely]] {
          *to++ = from[index * channels + c];
          continue;
        }
        *to++ = 0;
        if (index != -1) note(fault, {(block.n * channels + c) * pooled_ + cell, index, unpooled_});
      }
    }
  }

  // Positions are counted channel after channel.
  static HWY_NOINLINE void note(std::optional<IndexFault>& fault, const IndexFault& met) {
    if (!fault || met.position < fault->position) fault = met;
  }

  const Plan& plan_;
  const std::int64_t pooled_;
  const std::int64_t unpooled_;
  const std::int64_t most_;      // channels of a block
  const std::int64_t together_;  // cells of a block
  const bool streaming_;
};

}  // namespace

const char* why_not(const Plan& plan) {
  if (plan.out_type != plan.type) return "out has another type";
  if (plan.c == 1) return "there is one channel";
  if (!is_image(plan.grad_output, plan.c, plan.unpooled)) return "gradOutput's channels are not side by side";
  if (!is_image(plan.indices, plan.c, plan.pooled)) return "the channels of indices are not side by side";
  if (!is_image(plan.out, plan.c, plan.pooled)) return "out's channels are not side by side";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.pooled.count() == 0) return std::nullopt;
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    return Method<Element, Index>(plan).run(workers);
  });
}

}  // namespace cairn::max_unpool_backward::channels
