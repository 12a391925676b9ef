#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "reference/number.h"

// Descriptors that destroy themselves.
namespace api_test {

inline aclDataType to_acl(reference::Type type) {
  static constexpr aclDataType kTypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8, ACL_UINT8,
                                           ACL_INT16, ACL_UINT16,  ACL_INT32, ACL_INT64,  ACL_BOOL};
  return kTypes[static_cast<int>(type)];
}

inline std::optional<reference::Type> reference_type(aclDataType type) {
  for (int i = 0; i <= static_cast<int>(reference::Type::kBool); ++i)
    if (to_acl(static_cast<reference::Type>(i)) == type) return static_cast<reference::Type>(i);
  return std::nullopt;
}

struct TensorSpec {
  std::vector<std::int64_t> dims;
  aclDataType type = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  std::vector<std::int64_t> strides{};  // empty: none given
  std::int64_t offset = 0;
  std::vector<std::int64_t> storage{};  // empty: none given
};

class Tensor {
 public:
  Tensor(const TensorSpec& spec, void* address)
      : tensor_(aclCreateTensor(spec.dims.data(), spec.dims.size(), spec.type,
                                spec.strides.empty() ? nullptr : spec.strides.data(), spec.offset,
                                spec.format, spec.storage.empty() ? nullptr : spec.storage.data(),
                                spec.storage.size(), address)) {}
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() { aclDestroyTensor(tensor_); }
  operator aclTensor*() const { return tensor_; }  // NOLINT(google-explicit-constructor)

 private:
  aclTensor* tensor_;
};

class IntArray {
 public:
  explicit IntArray(const std::vector<std::int64_t>& values)
      : array_(aclCreateIntArray(values.data(), values.size())) {}
  IntArray(const IntArray&) = delete;
  IntArray& operator=(const IntArray&) = delete;
  ~IntArray() { aclDestroyIntArray(array_); }
  operator aclIntArray*() const { return array_; }  // NOLINT(google-explicit-constructor)

 private:
  aclIntArray* array_;
};

class FloatArray {
 public:
  explicit FloatArray(const std::vector<float>& values)
      : array_(aclCreateFloatArray(values.data(), values.size())) {}
  FloatArray(const FloatArray&) = delete;
  FloatArray& operator=(const FloatArray&) = delete;
  ~FloatArray() { aclDestroyFloatArray(array_); }
  operator aclFloatArray*() const { return array_; }  // NOLINT(google-explicit-constructor)

 private:
  aclFloatArray* array_;
};

}  // namespace api_test
