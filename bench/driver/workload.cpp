#include "workload.h"

#include <algorithm>
#include <cmath>
#include <regex>

namespace cairn::bench {
namespace {

constexpr Shape3 kNone{1, 1, 1};
constexpr Shape3 kNoPadding{0, 0, 0};

const Workload kWorkloads[] = {
    {"p3-unet",
     Operator::kPool3d,
     Class::kStreaming,
     2,
     32,
     {128, 128, 128},
     {},
     {2, 2, 2},
     {2, 2, 2},
     kNoPadding,
     false},
    {"p3-video",
     Operator::kPool3d,
     Class::kOverlap,
     8,
     64,
     {16, 112, 112},
     {},
     {1, 3, 3},
     {1, 2, 2},
     {0, 1, 1},
     false},
    {"p3-i3d",
     Operator::kPool3d,
     Class::kHeavyOverlap,
     8,
     192,
     {8, 28, 28},
     {},
     {3, 3, 3},
     {1, 1, 1},
     {1, 1, 1},
     false},
    {"p3-k3s2",
     Operator::kPool3d,
     Class::kOverlap,
     4,
     64,
     {32, 112, 112},
     {},
     {3, 3, 3},
     {2, 2, 2},
     {1, 1, 1},
     false},
    {"p2-resnet",
     Operator::kPool2d,
     Class::kOverlap,
     64,
     64,
     {1, 112, 112},
     {},
     {1, 3, 3},
     {1, 2, 2},
     {0, 1, 1},
     true},
    {"p2-vgg",
     Operator::kPool2d,
     Class::kStreaming,
     32,
     64,
     {1, 224, 224},
     {},
     {1, 2, 2},
     {1, 2, 2},
     kNoPadding,
     false},
    {"p2-sppf",
     Operator::kPool2d,
     Class::kHeavyOverlap,
     32,
     256,
     {1, 40, 40},
     {},
     {1, 5, 5},
     {1, 1, 1},
     {0, 2, 2},
     false},
    {"u3-segnet",
     Operator::kUnpool3d,
     Class::kUnpool,
     2,
     32,
     {64, 64, 64},
     {128, 128, 128},
     {2, 2, 2},
     {2, 2, 2},
     kNoPadding,
     false},
    {"n3-unet",
     Operator::kUpsample3d,
     Class::kStreaming,
     2,
     64,
     {64, 64, 64},
     {128, 128, 128},
     kNone,
     kNone,
     kNoPadding,
     true},
    {"n3-vae",
     Operator::kUpsample3d,
     Class::kStreaming,
     1,
     512,
     {8, 64, 64},
     {8, 128, 128},
     kNone,
     kNone,
     kNoPadding,
     false},
    {"n3-odd",
     Operator::kUpsample3d,
     Class::kStreaming,
     2,
     32,
     {50, 60, 70},
     {128, 128, 128},
     kNone,
     kNone,
     kNoPadding,
     false},
};

std::int64_t pooled(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  return (in + 2 * padding - kernel) / stride + 1;
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
  const auto cut = [](Shape3 size) {
    return Shape3{std::min<std::int64_t>(size.d, 8), std::min<std::int64_t>(size.h, 12),
                  std::min<std::int64_t>(size.w, 20)};
  };
  work.n = std::min<std::int64_t>(work.n, 2);
  work.c = std::min<std::int64_t>(work.c, 3);
  work.in = cut(work.in);
  if (work.op == Operator::kUnpool3d) work.out = {work.in.d * 2, work.in.h * 2, work.in.w * 2};
  if (work.op == Operator::kUpsample3d) work.out = {work.in.d + 3, work.in.h * 2, work.in.w * 2};
}

void size_for(const Selection& selection, Workload& work) {
  if (selection.tiny) {
    make_tiny(work);
  } else {
    shrink(work, selection.quick ? selection.fraction / 8 : selection.fraction);
  }
  if (work.op == Operator::kPool2d || work.op == Operator::kPool3d) {
    work.out = {pooled(work.in.d, work.kernel.d, work.stride.d, work.padding.d),
                pooled(work.in.h, work.kernel.h, work.stride.h, work.padding.h),
                pooled(work.in.w, work.kernel.w, work.stride.w, work.padding.w)};
  }
}

std::vector<aclDataType> types(Operator op) {
  if (op == Operator::kUnpool3d) return {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_DOUBLE, ACL_INT64};
  return {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
}

std::vector<aclDataType> index_types(Operator op, bool quick) {
  if (op == Operator::kUnpool3d) return {ACL_INT64};
  if (op == Operator::kUpsample3d) return {ACL_DT_UNDEFINED};
  if (quick) return {ACL_INT32};
  return {ACL_INT32, ACL_INT64};
}

}  // namespace

const char* operator_name(Operator op) {
  switch (op) {
    case Operator::kPool3d:
      return "MaxPool3dWithArgmax";
    case Operator::kPool2d:
      return "MaxPool2dWithIndices";
    case Operator::kUnpool3d:
      return "MaxUnpool3d";
    case Operator::kUpsample3d:
      return "UpsampleNearest3d";
  }
  return "";
}

const char* direction_name(const Case& row) { return row.is_forward() ? "forward" : "backward"; }

const char* layout_name(const Case& row) {
  const bool last = row.layout == Layout::kChannelsLast;
  if (row.work.op == Operator::kPool2d) return last ? "NHWC" : "NCHW";
  return last ? "NDHWC" : "NCDHW";
}

const char* type_name(aclDataType type) {
  switch (type) {
    case ACL_FLOAT:
      return "FLOAT";
    case ACL_FLOAT16:
      return "FLOAT16";
    case ACL_BF16:
      return "BF16";
    case ACL_DOUBLE:
      return "DOUBLE";
    case ACL_INT8:
      return "INT8";
    case ACL_INT32:
      return "INT32";
    case ACL_INT64:
      return "INT64";
    default:
      return "-";
  }
}

const char* class_name(Class goal_class) {
  switch (goal_class) {
    case Class::kStreaming:
      return "streaming";
    case Class::kOverlap:
      return "overlap";
    case Class::kHeavyOverlap:
      return "heavy overlap";
    case Class::kUnpool:
      return "unpool";
  }
  return "";
}

double goal(std::string_view device, const Case& row) {
  const bool cuda = device == "cuda";
  const bool pools = row.work.op == Operator::kPool2d || row.work.op == Operator::kPool3d;
  switch (row.work.goal_class) {
    case Class::kOverlap:
      if (row.is_forward()) return cuda ? 0.75 : 0.6;
      return cuda ? 0.85 : 0.7;
    case Class::kHeavyOverlap:
      return cuda ? 0.6 : 0.5;
    case Class::kStreaming:
    case Class::kUnpool:
      break;
  }
  if (row.is_forward()) return pools ? (cuda ? 0.85 : 0.8) : (cuda ? 0.9 : 0.85);
  return cuda ? 0.9 : 0.8;
}

std::string label(const Case& row) {
  std::string text = std::string(row.work.id) + " " + type_name(row.type) + " " + layout_name(row);
  if (row.index_type != ACL_DT_UNDEFINED) text += std::string(" ") + type_name(row.index_type);
  return text + " " + direction_name(row);
}

std::vector<Case> cases(const Selection& selection) {
  const std::regex filter(selection.filter, std::regex::icase);
  std::vector<Case> rows;
  for (const Direction direction : {Direction::kBackward, Direction::kForward}) {
    for (Workload work : kWorkloads) {
      size_for(selection, work);
      for (int layout = 0; layout < (work.both_layouts ? 2 : 1); ++layout) {
        for (const aclDataType index_type : index_types(work.op, selection.quick)) {
          for (const aclDataType type : types(work.op)) {
            const Case row{work, type, index_type,
                           layout == 0 ? Layout::kChannelsFirst : Layout::kChannelsLast, direction};
            if (std::regex_search(label(row), filter)) rows.push_back(row);
          }
        }
      }
    }
  }
  return rows;
}

}  // namespace cairn::bench
