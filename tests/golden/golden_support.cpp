#include "golden/golden_support.h"

#include <cstdlib>
#include <cstring>
#include <map>

namespace golden {

std::vector<Case> cases_of(const char* file, const char* variable) {
  const char* other = std::getenv(variable);
  return read_cases(other != nullptr ? other : file);
}

aclFormat format_of(const Case& it, bool images) {
  if (!it.channels_last) return ACL_FORMAT_ND;
  return images ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC;
}

reference::Type reference_type(std::uint32_t type) {
  static const std::map<std::uint32_t, reference::Type> kTypes{
      {ACL_FLOAT, reference::Type::kFloat}, {ACL_FLOAT16, reference::Type::kFloat16},
      {ACL_BF16, reference::Type::kBf16},   {ACL_DOUBLE, reference::Type::kDouble},
      {ACL_INT8, reference::Type::kInt8},   {ACL_UINT8, reference::Type::kUint8},
      {ACL_INT16, reference::Type::kInt16}, {ACL_INT32, reference::Type::kInt32},
      {ACL_INT64, reference::Type::kInt64}};
  return kTypes.at(type);
}

std::string first_difference(const GoldenTensor& wanted, const Bytes& found, bool exact) {
  const reference::Type type = reference_type(wanted.type);
  const auto size = static_cast<std::size_t>(size_of(type));
  for (std::size_t i = 0; i < found.size(); i += size) {
    if (std::memcmp(&found[i], &wanted.bytes[i], size) == 0) continue;
    if (!exact && is_nan(&found[i], type) && is_nan(&wanted.bytes[i], type)) continue;
    return "element " + std::to_string(i / size);
  }
  return {};
}

}  // namespace golden
