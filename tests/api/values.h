#pragma once

#include <vector>

#include "api/support.h"

namespace api_test {

template <typename T>
inline constexpr aclDataType kTypeOf = ACL_DT_UNDEFINED;
template <>
inline constexpr aclDataType kTypeOf<float> = ACL_FLOAT;
template <>
inline constexpr aclDataType kTypeOf<double> = ACL_DOUBLE;
template <>
inline constexpr aclDataType kTypeOf<std::int8_t> = ACL_INT8;
template <>
inline constexpr aclDataType kTypeOf<std::uint8_t> = ACL_UINT8;
template <>
inline constexpr aclDataType kTypeOf<std::int16_t> = ACL_INT16;
template <>
inline constexpr aclDataType kTypeOf<std::int32_t> = ACL_INT32;
template <>
inline constexpr aclDataType kTypeOf<std::int64_t> = ACL_INT64;

// Contiguous values on the device with their descriptor.
template <typename T>
struct Values {
  Values(const std::vector<std::int64_t>& dims, const std::vector<T>& content, aclDataType type = kTypeOf<T>)
      : buffer(content.size() * sizeof(T), content.data()),
        count(content.size()),
        spec{dims, type},
        tensor(spec, buffer.address()) {}
  // The same value everywhere: what a result must replace.
  Values(const std::vector<std::int64_t>& dims, T everywhere)
      : Values(dims, std::vector<T>(elements(dims), everywhere)) {}

  static std::size_t elements(const std::vector<std::int64_t>& dims) {
    std::size_t product = 1;
    for (const std::int64_t dim : dims) product *= static_cast<std::size_t>(dim);
    return product;
  }

  std::vector<T> read() const {
    std::vector<T> result(count);
    buffer.download(result.data());
    return result;
  }

  Buffer buffer;
  std::size_t count;
  TensorSpec spec;
  Tensor tensor;
};

}  // namespace api_test
