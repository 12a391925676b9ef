#include "workload.h"

#include <algorithm>
#include <cmath>
#include <regex>

namespace cairn::bench {
namespace {

using enum Operator;
using enum Class;

constexpr Shape3 kNone{1, 1, 1};
constexpr Shape3 kNoPadding{0, 0, 0};

constexpr Workload pool(std::string_view id, Operator op, Class goal_class, std::int64_t n, std::int64_t c,
                        Shape3 in, Shape3 kernel, Shape3 stride, Shape3 padding) {
  return {id, op, goal_class, n, c, in, {}, kernel, stride, padding, false};
}

constexpr Workload adaptive(std::string_view id, Operator op, std::int64_t n, std::int64_t c, Shape3 in,
                            Shape3 out) {
  const Shape3 most{in.d / out.d + 2, in.h / out.h + 2, in.w / out.w + 2};
  return {id, op, kStreaming, n, c, in, out, most, kNoPadding, kNoPadding, false};
}

constexpr Workload upsample(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in, Shape3 out,
                            Operator op = kUpsample3d) {
  return {id, op, kStreaming, n, c, in, out, kNone, kNone, kNoPadding, false};
}

constexpr Workload filtered(std::string_view id, std::int64_t n, std::int64_t c, Shape3 in, Shape3 out,
                            Operator op) {
  const bool doubles = out.h == 2 * in.h && out.w == 2 * in.w && (out.d == 2 * in.d || in.d == 1);
  return {id, op, doubles ? kDoubling : kFiltering, n, c, in, out, kNone, kNone, kNoPadding, false};
}

constexpr Workload in_both_layouts(Workload work) {
  work.both_layouts = true;
  return work;
}

constexpr Workload kSegnet{"u3-segnet",     kUnpool3d, kUnpool,   2,          32,   {64, 64, 64},
                           {128, 128, 128}, {2, 2, 2}, {2, 2, 2}, kNoPadding, false};

constexpr Workload kFlatSegnet{"u2-segnet",   kUnpool2d, kUnpool,   16,         64,   {1, 112, 112},
                               {1, 224, 224}, {1, 2, 2}, {1, 2, 2}, kNoPadding, false};

constexpr Workload kWorkloads[] = {
    pool("p3-unet", kPool3d, kStreaming, 2, 32, {128, 128, 128}, {2, 2, 2}, {2, 2, 2}, kNoPadding),
    pool("p3-video", kPool3d, kOverlap, 8, 64, {16, 112, 112}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}),
    pool("p3-i3d", kPool3d, kHeavyOverlap, 8, 192, {8, 28, 28}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}),
    pool("p3-k3s2", kPool3d, kOverlap, 4, 64, {32, 112, 112}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}),
    in_both_layouts(
        pool("p2-resnet", kPool2d, kOverlap, 64, 64, {1, 112, 112}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1})),
    pool("p2-vgg", kPool2d, kStreaming, 32, 64, {1, 224, 224}, {1, 2, 2}, {1, 2, 2}, kNoPadding),
    pool("p2-sppf", kPool2d, kHeavyOverlap, 32, 256, {1, 40, 40}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}),
    in_both_layouts(adaptive("am2-56to7", kAdaptiveMax2d, 64, 256, {1, 56, 56}, {1, 7, 7})),
    adaptive("am2-50to7", kAdaptiveMax2d, 64, 256, {1, 50, 50}, {1, 7, 7}),
    adaptive("am3-32to4", kAdaptiveMax3d, 8, 256, {32, 32, 32}, {4, 4, 4}),
    adaptive("am3-32to5", kAdaptiveMax3d, 8, 256, {32, 32, 32}, {5, 5, 5}),
    in_both_layouts(
        pool("m2-resnet", kPoolValues, kOverlap, 64, 64, {1, 112, 112}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1})),
    pool("m2-vgg", kPoolValues, kStreaming, 32, 64, {1, 224, 224}, {1, 2, 2}, {1, 2, 2}, kNoPadding),
    pool("m2-sppf", kPoolValues, kHeavyOverlap, 32, 256, {1, 40, 40}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}),
    kSegnet,
    in_both_layouts(kFlatSegnet),
    pool("a3-unet", kMean3d, kStreaming, 1, 64, {128, 128, 128}, {2, 2, 2}, {2, 2, 2}, kNoPadding),
    pool("a3-k3s2", kMean3d, kOverlap, 1, 64, {128, 128, 128}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}),
    in_both_layouts(
        pool("a2-vgg", kMean2d, kStreaming, 32, 128, {1, 128, 256}, {1, 2, 2}, {1, 2, 2}, kNoPadding)),
    pool("a2-k3s2", kMean2d, kOverlap, 32, 128, {1, 128, 256}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}),
    in_both_layouts(
        pool("a2-k3s1", kMean2d, kHeavyOverlap, 32, 128, {1, 128, 256}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1})),
    in_both_layouts(adaptive("g2-global7", kAdaptiveMean2d, 256, 2048, {1, 7, 7}, {1, 1, 1})),
    adaptive("g2-56to7", kAdaptiveMean2d, 64, 256, {1, 56, 56}, {1, 7, 7}),
    adaptive("g2-50to7", kAdaptiveMean2d, 64, 256, {1, 50, 50}, {1, 7, 7}),
    adaptive("g3-32to4", kAdaptiveMean3d, 8, 256, {32, 32, 32}, {4, 4, 4}),
    in_both_layouts(upsample("n3-unet", 2, 64, {64, 64, 64}, {128, 128, 128})),
    upsample("n3-vae", 1, 512, {8, 64, 64}, {8, 128, 128}),
    upsample("n3-odd", 2, 32, {50, 60, 70}, {128, 128, 128}),
    upsample("n3-exact", 2, 64, {64, 64, 64}, {128, 128, 128}, kExact3d),
    in_both_layouts(upsample("n2-fpn", 16, 128, {1, 128, 128}, {1, 256, 256}, kUpsample2d)),
    in_both_layouts(upsample("n2-fpn-exact", 16, 128, {1, 128, 128}, {1, 256, 256}, kExact2d)),
    in_both_layouts(upsample("n2-odd", 16, 128, {1, 100, 120}, {1, 224, 256}, kUpsample2d)),
    upsample("n1-audio", 32, 256, {1, 1, 8192}, {1, 1, 32768}, kUpsample1d),
    in_both_layouts(filtered("t3-unet", 2, 64, {64, 64, 64}, {128, 128, 128}, kTrilinear3d)),
    filtered("t3-deep", 1, 384, {16, 16, 16}, {32, 32, 32}, kTrilinear3d),
    filtered("t3-odd", 2, 32, {50, 60, 70}, {128, 128, 128}, kTrilinear3d),
    in_both_layouts(filtered("b2-fpn", 16, 256, {1, 64, 64}, {1, 128, 128}, kBilinear2d)),
    filtered("b2-seg", 16, 19, {1, 128, 256}, {1, 512, 1024}, kBilinear2d),
    filtered("l1-audio", 32, 256, {1, 1, 8192}, {1, 1, 32768}, kLinear1d),
    filtered("c2-x2", 8, 64, {1, 128, 128}, {1, 256, 256}, kBicubic2d),
    filtered("aa-224", 32, 3, {1, 1024, 1024}, {1, 224, 224}, kBilinear2dAA),
    filtered("ca-224", 32, 3, {1, 1024, 1024}, {1, 224, 224}, kBicubic2dAA),
};

std::int64_t pooled(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                    std::int64_t dilation, bool ceil_mode) {
  const std::int64_t steps = in + 2 * padding - (kernel - 1) * dilation - 1;
  if (!ceil_mode) return steps / stride + 1;
  // The last window starts inside the input or the padding before it.
  const std::int64_t out = (steps + stride - 1) / stride + 1;
  return (out - 1) * stride >= in + padding ? out - 1 : out;
}

template <typename Body>
Shape3 by_axis(Body body) {
  return {body(&Shape3::d), body(&Shape3::h), body(&Shape3::w)};
}

// Fewer planes, never other planes: the shape of one plane decides what a kernel does.
void shrink(Workload& work, double fraction) {
  double left = fraction;
  const auto scale = [&](std::int64_t size) {
    const auto kept = std::max<std::int64_t>(1, std::llround(static_cast<double>(size) * left));
    left = std::min(1.0, left * static_cast<double>(size) / static_cast<double>(kept));
    return kept;
  };
  work.n = scale(work.n);
  work.c = scale(work.c);
}

void make_tiny(Workload& work) {
  const Shape3 whole = work.in;
  const Shape3 most{8, 12, 20};
  work.n = std::min<std::int64_t>(work.n, 2);
  work.c = std::min<std::int64_t>(work.c, 3);
  work.in = by_axis([&](auto axis) {
    const std::int64_t window = (std::min(work.kernel.*axis, most.*axis) - 1) * work.dilation.*axis + 1;
    return std::min(whole.*axis, std::max(most.*axis, window));
  });
  work.kernel = by_axis([&](auto axis) { return std::min(work.kernel.*axis, most.*axis); });
  work.padding = by_axis([&](auto axis) { return std::min(work.padding.*axis, work.kernel.*axis / 2); });
  if (is_adaptive(work.op)) {
    work.out = by_axis(
        [&](auto axis) { return std::max<std::int64_t>(1, work.in.*axis * work.out.*axis / whole.*axis); });
  } else if (work.op == Operator::kUnpool3d || work.op == Operator::kUnpool2d) {
    work.out = by_axis([&](auto axis) { return work.in.*axis * (work.out.*axis / whole.*axis); });
  } else if (is_upsample(work.op) && (work.out.d < whole.d || work.out.h < whole.h)) {
    work.out = by_axis([&](auto axis) { return std::max<std::int64_t>(1, work.in.*axis / 2); });
  } else if (work.op == Operator::kUpsample3d) {
    work.out = {work.in.d + 3, work.in.h * 2, work.in.w * 2};
  } else if (is_upsample(work.op)) {
    work.out = by_axis([&](auto axis) { return whole.*axis == 1 ? 1 : work.in.*axis * 2; });
  }
}

void size_for(const Selection& selection, Workload& work) {
  if (selection.tiny) {
    make_tiny(work);
  } else {
    shrink(work, selection.quick ? selection.fraction / 8 : selection.fraction);
  }
  if (has_windows(work.op)) {
    work.out = by_axis([&](auto axis) {
      return pooled(work.in.*axis, work.kernel.*axis, work.stride.*axis, work.padding.*axis,
                    work.dilation.*axis, work.ceil_mode);
    });
  }
}

std::vector<aclDataType> types(const Workload& work, aclDataType index_type) {
  if (work.op == Operator::kUnpool3d) return {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_DOUBLE, ACL_INT64};
  // Models in double are rare: one row a direction says enough.
  const bool in_double = (work.id == "p3-unet" || work.id == "p2-vgg") && index_type == ACL_INT32;
  if (in_double) return {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
  if (work.op == Operator::kPoolValues) return {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8};
  return {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
}

std::vector<aclDataType> index_types(Operator op, bool quick) {
  if (op == Operator::kUnpool3d || op == Operator::kUnpool2d) return {ACL_INT64};
  if (is_upsample(op) || is_mean(op) || op == Operator::kPoolValues) return {ACL_DT_UNDEFINED};
  if (quick) return {ACL_INT32};
  return {ACL_INT32, ACL_INT64};
}

std::vector<Case> standard_cases(bool quick) {
  std::vector<Case> rows;
  for (const Direction direction : {Direction::kBackward, Direction::kForward}) {
    for (const Workload& work : kWorkloads) {
      if (work.op == Operator::kPoolValues && direction == Direction::kBackward) continue;
      for (int layout = 0; layout < (work.both_layouts ? 2 : 1); ++layout) {
        for (const aclDataType index_type : index_types(work.op, quick)) {
          for (const aclDataType type : types(work, index_type)) {
            rows.push_back({work, type, index_type,
                            layout == 0 ? Layout::kChannelsFirst : Layout::kChannelsLast, direction});
          }
        }
      }
    }
  }
  return rows;
}

}  // namespace

double goal(std::string_view device, const Case& row) {
  const bool cuda = device == "cuda";
  switch (row.work.goal_class) {
    case Class::kOverlap:
      if (row.is_mean()) return cuda ? 0.85 : 0.7;
      if (row.is_forward()) return cuda ? 0.75 : 0.6;
      return cuda ? 0.85 : 0.7;
    case Class::kHeavyOverlap:
      return cuda ? 0.6 : 0.5;
    case Class::kDoubling:
      return cuda && row.type == ACL_FLOAT ? 0.8 : 0.6;
    case Class::kFiltering:
      return 0.5;
    case Class::kStreaming:
    case Class::kUnpool:
      break;
  }
  if (row.is_mean()) return cuda ? 0.9 : 0.8;
  if (row.is_forward()) return row.is_pool() ? (cuda ? 0.85 : 0.8) : (cuda ? 0.9 : 0.85);
  return cuda ? 0.9 : 0.8;
}

std::vector<Case> cases(const Selection& selection) {
  const std::regex filter(selection.filter, std::regex::icase);
  std::vector<Case> rows = selection.suite == Suite::kOdd ? odd_cases() : standard_cases(selection.quick);
  for (Case& row : rows) size_for(selection, row.work);
  std::erase_if(rows, [&](const Case& row) { return !std::regex_search(label(row), filter); });
  return rows;
}

}  // namespace cairn::bench
