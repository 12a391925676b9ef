#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ops/kit/span.h"

namespace cairn {

// Spans along an axis by their number. Those of a short axis are found once, since each may take two
// divisions. SpanOf is Span(std::int64_t).
template <typename SpanOf>
class KnownSpans {
 public:
  KnownSpans(std::int64_t count, const SpanOf& span_of)
      : span_of_(span_of), known_(count <= kMost ? count : 0) {
    for (std::int64_t i = 0; i < known_; ++i) spans_[static_cast<std::size_t>(i)] = span_of_(i);
  }

  Span operator[](std::int64_t i) const {
    return i < known_ ? spans_[static_cast<std::size_t>(i)] : span_of_(i);
  }

 private:
  static constexpr std::int64_t kMost = 16;

  const SpanOf span_of_;
  const std::int64_t known_;
  std::array<Span, kMost> spans_;
};

}  // namespace cairn
