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

reference::Triple triple(Shape3 size) { return {size.d, size.h, size.w}; }

void run_forward(const Case& row, const HostData& data, Result& result) {
  const reference::View self = view(row, row.work.in, row.type, data.values);
  const reference::View out = view(row, row.work.out, row.type, result.values);
  switch (row.work.op) {
    case Operator::kPool2d:
    case Operator::kPool3d:
      reference::max_pool(self, {triple(row.work.kernel), triple(row.work.stride), triple(row.work.padding)},
                          out, view(row, row.indices(), row.index_type, result.indices));
      break;
    case Operator::kUnpool3d:
      reference::max_unpool(self, view(row, row.indices(), row.index_type, data.indices), out);
      break;
    case Operator::kUpsample3d:
      reference::upsample_nearest(
          self, out, reference::upsample_steps(triple(row.work.in), triple(row.work.out), {0.0, 0.0, 0.0}));
      break;
  }
}

void run_backward(const Case& row, const HostData& data, Result& result) {
  const reference::View gradients = view(row, row.work.out, row.type, data.values);
  const reference::View out = view(row, row.work.in, row.type, result.values);
  switch (row.work.op) {
    case Operator::kPool2d:
    case Operator::kPool3d:
      reference::max_pool_backward(gradients, view(row, row.indices(), row.index_type, data.indices), out,
                                   row.layout == Layout::kChannelsLast);
      break;
    case Operator::kUnpool3d:
      reference::max_unpool_backward(gradients, view(row, row.indices(), row.index_type, data.indices), out);
      break;
    case Operator::kUpsample3d:
      reference::upsample_nearest_backward(
          gradients, out,
          reference::upsample_scales(triple(row.work.in), triple(row.work.out), {0.0, 0.0, 0.0}));
      break;
  }
}

std::string difference(const std::vector<std::byte>& expected, const std::vector<std::byte>& got,
                       std::int64_t size, const char* what) {
  if (got.size() % expected.size() != 0) return std::string("another size of ") + what;
  std::size_t at = 0;
  while (at < got.size() && std::memcmp(expected.data(), got.data() + at, expected.size()) == 0)
    at += expected.size();
  if (at == got.size()) return {};
  while (expected[at % expected.size()] == got[at]) ++at;
  return "element " + std::to_string(at / static_cast<std::size_t>(size)) + " of " +
         std::to_string(got.size() / static_cast<std::size_t>(size)) + " " + what + " differs";
}

}  // namespace

Result reference_result(const Case& row, const HostData& data) {
  Result result{
      std::vector<std::byte>(static_cast<std::size_t>(row.elements(row.result()) * size_of(row.type))), {}};
  if (row.makes_indices())
    result.indices.resize(static_cast<std::size_t>(row.elements(row.indices()) * size_of(row.index_type)));
  row.is_forward() ? run_forward(row, data, result) : run_backward(row, data, result);
  return result;
}

std::string difference(const Case& row, const Result& expected, const Result& got) {
  std::string problem = difference(expected.values, got.values, size_of(row.type), "values");
  if (!problem.empty() || got.indices.empty()) return problem;
  return difference(expected.indices, got.indices, size_of(row.index_type), "indices");
}

}  // namespace cairn::bench
