#include "workload.h"

namespace cairn::bench {
namespace {

// 2x3x4; of an image 3x4.
std::string text_of(const Case& row, const Shape3& size) {
  if (row.is_line()) return std::to_string(size.w);
  const std::string flat = std::to_string(size.h) + "x" + std::to_string(size.w);
  return row.is_flat() ? flat : std::to_string(size.d) + "x" + flat;
}

bool are_all(const Shape3& size, std::int64_t value) {
  return size.d == value && size.h == value && size.w == value;
}

std::string window_text(const Case& row) {
  const Workload& work = row.work;
  std::string text = ", kernel " + text_of(row, work.kernel) + ", stride " + text_of(row, work.stride);
  if (!are_all(work.padding, 0)) text += ", padding " + text_of(row, work.padding);
  if (!are_all(work.dilation, 1)) text += ", dilation " + text_of(row, work.dilation);
  return text + (work.ceil_mode ? ", ceil mode" : "");
}

const char* indices_text(Indices indices) {
  switch (indices) {
    case Indices::kArgmax:
      return "";
    case Indices::kAnywhere:
      return ", indices anywhere in the plane";
    case Indices::kOneStray:
      return ", an index outside its window in each plane";
    case Indices::kNone:
      return ", all indices -1";
  }
  return "";
}

}  // namespace

const char* operator_name(Operator op) {
  switch (op) {
    case Operator::kPool3d:
      return "MaxPool3dWithArgmax";
    case Operator::kPool2d:
      return "MaxPool2dWithIndices";
    case Operator::kAdaptiveMax3d:
      return "AdaptiveMaxPool3d";
    case Operator::kAdaptiveMax2d:
      return "AdaptiveMaxPool2d";
    case Operator::kPoolValues:
      return "MaxPool";
    case Operator::kUnpool3d:
      return "MaxUnpool3d";
    case Operator::kUnpool2d:
      return "MaxUnpool2d";
    case Operator::kMean3d:
      return "AvgPool3d";
    case Operator::kMean2d:
      return "AvgPool2d";
    case Operator::kAdaptiveMean3d:
      return "AdaptiveAvgPool3d";
    case Operator::kAdaptiveMean2d:
      return "AdaptiveAvgPool2d";
    case Operator::kUpsample3d:
      return "UpsampleNearest3d";
    case Operator::kUpsample2d:
      return "UpsampleNearest2d";
    case Operator::kUpsample1d:
      return "UpsampleNearest1d";
    case Operator::kExact3d:
      return "UpsampleNearestExact3d";
    case Operator::kExact2d:
      return "UpsampleNearestExact2d";
    case Operator::kTrilinear3d:
      return "UpsampleTrilinear3d";
    case Operator::kBilinear2d:
      return "UpsampleBilinear2d";
    case Operator::kLinear1d:
      return "UpsampleLinear1d";
    case Operator::kBicubic2d:
      return "UpsampleBicubic2d";
    case Operator::kBilinear2dAA:
      return "UpsampleBilinear2dAA";
    case Operator::kBicubic2dAA:
      return "UpsampleBicubic2dAA";
  }
  return "";
}

const char* direction_name(const Case& row) { return row.is_forward() ? "forward" : "backward"; }

const char* layout_name(const Case& row) {
  const bool last = row.layout == Layout::kChannelsLast;
  if (row.is_line()) return "NCL";
  if (row.is_flat()) return last ? "NHWC" : "NCHW";
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
    case ACL_UINT8:
      return "UINT8";
    case ACL_INT16:
      return "INT16";
    case ACL_INT32:
      return "INT32";
    case ACL_INT64:
      return "INT64";
    default:
      return "-";
  }
}

std::string label(const Case& row) {
  std::string text = std::string(row.work.id) + " " + type_name(row.type) + " " + layout_name(row);
  if (row.index_type != ACL_DT_UNDEFINED) text += std::string(" ") + type_name(row.index_type);
  return text + " " + direction_name(row);
}

std::string shape(const Case& row) {
  const Workload& work = row.work;
  std::string text = std::to_string(work.n) + " x " + std::to_string(work.c) + " planes, " +
                     text_of(row, work.in) + " -> " + text_of(row, work.out);
  if (has_windows(work.op)) text += window_text(row);
  if (!row.makes_indices()) text += indices_text(work.indices);
  if (work.transposed == Transposed::kSource) text += ", input transposed";
  if (work.transposed == Transposed::kResult) text += ", output transposed";
  return text;
}

}  // namespace cairn::bench
