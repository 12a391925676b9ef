#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "aclnn/acl_meta.h"
#include "observe/observer.h"

namespace cairn {

inline constexpr HandleKind kNoHandleKind{};

template <typename T>
constexpr HandleKind handle_kind_of() {
  if constexpr (std::is_same_v<T, aclTensor>) return HandleKind::kTensor;
  if constexpr (std::is_same_v<T, aclTensorList>) return HandleKind::kTensorList;
  if constexpr (std::is_same_v<T, aclScalar>) return HandleKind::kScalar;
  if constexpr (std::is_same_v<T, aclScalarList>) return HandleKind::kScalarList;
  if constexpr (std::is_same_v<T, aclIntArray>) return HandleKind::kIntArray;
  if constexpr (std::is_same_v<T, aclFloatArray>) return HandleKind::kFloatArray;
  if constexpr (std::is_same_v<T, aclBoolArray>) return HandleKind::kBoolArray;
  if constexpr (std::is_same_v<T, aclOpExecutor>) return HandleKind::kExecutor;
  return kNoHandleKind;
}

template <typename T>
ApiValue api_value(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return {ApiValue::Kind::kFlag, kNoHandleKind, value ? 1U : 0U};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {ApiValue::Kind::kReal, kNoHandleKind, std::bit_cast<std::uint64_t>(static_cast<double>(value))};
  } else if constexpr (std::is_enum_v<T> || std::is_signed_v<T>) {
    return {ApiValue::Kind::kInt, kNoHandleKind,
            static_cast<std::uint64_t>(static_cast<std::int64_t>(value))};
  } else if constexpr (std::is_unsigned_v<T>) {
    return {ApiValue::Kind::kUnsigned, kNoHandleKind, value};
  } else {
    using Pointee = std::remove_pointer_t<T>;
    const auto bits = reinterpret_cast<std::uint64_t>(value);
    constexpr HandleKind kHandle = handle_kind_of<std::remove_cv_t<Pointee>>();
    if constexpr (kHandle != kNoHandleKind) return {ApiValue::Kind::kHandle, kHandle, bits};
    if constexpr (std::is_same_v<Pointee, const char>) return {ApiValue::Kind::kText, kNoHandleKind, bits};
    constexpr bool kPlain =
        std::is_void_v<Pointee> || std::is_function_v<Pointee> || std::is_const_v<Pointee>;
    return {kPlain ? ApiValue::Kind::kAddress : ApiValue::Kind::kOut, kNoHandleKind, bits};
  }
}

// One call of an exported function, as tools see it, from here to the end of the function.
template <std::size_t kCount>
class Watch {
 public:
  template <typename... Values>
  explicit Watch(const char* function, const char* names, const Values&... values) noexcept
      : observer_(observer()) {
    if (observer_ == nullptr) [[likely]]
      return;
    function_ = function;
    names_ = names;
    values_ = {api_value(values)...};
    observer_->begin({function_, names_, values_});
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (observer_ != nullptr) [[unlikely]]
      observer_->end({function_, names_, values_});
  }

 private:
  Observer* const observer_;
  const char* function_;
  const char* names_;
  std::array<ApiValue, kCount> values_;
};

template <typename... Values>
Watch(const char*, const char*, const Values&...) -> Watch<sizeof...(Values)>;

}  // namespace cairn

// The first line of an exported function, with the names of its arguments.
#define CAIRN_WATCH(...) const ::cairn::Watch cairn_watch(__func__, #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__)
