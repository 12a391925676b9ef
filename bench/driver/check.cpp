#include "check.h"

#include <cstring>

#include "data.h"
#include "reference/oracle.h"

namespace cairn::bench {
namespace {

reference::Type reference_type(aclDataType type) {
  switch (type) {
    case ACL_FLOAT16:
      return reference::Type::kFloat16;
    case ACL_BF16:
      return reference::Type::kBf16;
    case ACL_DOUBLE:
      return reference::Type::kDouble;
    case ACL_INT8:
      return reference::Type::kInt8;
    case ACL_INT32:
      return reference::Type::kInt32;
    case ACL_INT64:
      return reference::Type::kInt64;
    default:
      return reference::Type::kFloat;
  }
}

reference::View view(const Case& row, Shape3 size, aclDataType type, const std::vector<std::byte>& bytes) {
  reference::View result;
  result.origin = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
  result.type = reference_type(type);
  result.size = {row.work.n, row.work.c, size.d, size.h, size.w};
  const std::int64_t plane = size.count();
  const std::int64_t c = row.work.c;
  if (row.layout == Layout::kChannelsFirst) {
    result.stride = {c * plane, plane, size.h * size.w, size.w, 1};
  } else {
    result.stride = {c * plane, 1, size.h * size.w * c, size.w * c, c};
  }
  return result;
}

}  // namespace

std::vector<std::byte> reference_result(const Case& row, const HostData& data) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(row.in_elements() * size_of(row.type)));
  const reference::View gradients = view(row, row.work.out, row.type, data.gradients);
  const reference::View result = view(row, row.work.in, row.type, bytes);
  switch (row.work.op) {
    case Operator::kPool2d:
    case Operator::kPool3d:
      reference::max_pool_backward(gradients, view(row, row.work.out, row.index_type, data.indices), result,
                                   row.layout == Layout::kChannelsLast);
      break;
    case Operator::kUnpool3d:
      reference::max_unpool_backward(gradients, view(row, row.work.in, row.index_type, data.indices), result);
      break;
    case Operator::kUpsample3d:
      reference::upsample_nearest_backward(
          gradients, result,
          reference::upsample_scales({row.work.in.d, row.work.in.h, row.work.in.w},
                                     {row.work.out.d, row.work.out.h, row.work.out.w}, {0.0, 0.0, 0.0}));
      break;
  }
  return bytes;
}

std::string difference(const Case& row, const std::vector<std::byte>& expected,
                       const std::vector<std::byte>& got) {
  if (got.size() % expected.size() != 0) return "another size";
  std::size_t at = 0;
  while (at < got.size() && std::memcmp(expected.data(), got.data() + at, expected.size()) == 0)
    at += expected.size();
  if (at == got.size()) return {};
  while (expected[at % expected.size()] == got[at]) ++at;
  return "element " + std::to_string(at / static_cast<std::size_t>(size_of(row.type))) + " of " +
         std::to_string(got.size() / static_cast<std::size_t>(size_of(row.type))) + " differs";
}

}  // namespace cairn::bench
