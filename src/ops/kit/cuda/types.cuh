#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "common/data_type.h"

// The CUDA backend's one way from a type known at run time to a C++ type. A body is a generic lambda that
// takes a tag: [&]<typename T>(cuda::Tag<T>) { return start<T>(…); }. Kernels, too, may choose: constexpr
// functions are for both sides.
namespace cairn::cuda {

template <typename T>
struct Tag {
  using Type = T;
};

template <typename... T>
struct Types {};

template <typename A, typename B>
struct JoinTypes;
template <typename... A, typename... B>
struct JoinTypes<Types<A...>, Types<B...>> {
  using Type = Types<A..., B...>;
};
template <typename A, typename B>
using Joined = typename JoinTypes<A, B>::Type;

using FloatTypes = Types<float, __half, __nv_bfloat16>;
using FloatOrDoubleTypes = Types<float, __half, __nv_bfloat16, double>;
using IndexTypes = Types<std::int32_t, std::int64_t>;
// An element of BOOL.
struct Bool {
  std::uint8_t byte;
};
using IntegerTypes = Types<std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t, Bool>;
using WordTypes = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;

template <typename T>
inline constexpr DataType kTypeOf = static_cast<DataType>(-1);
template <>
inline constexpr DataType kTypeOf<float> = DataType::kFloat;
template <>
inline constexpr DataType kTypeOf<__half> = DataType::kFloat16;
template <>
inline constexpr DataType kTypeOf<__nv_bfloat16> = DataType::kBf16;
template <>
inline constexpr DataType kTypeOf<double> = DataType::kDouble;
template <>
inline constexpr DataType kTypeOf<std::int8_t> = DataType::kInt8;
template <>
inline constexpr DataType kTypeOf<std::uint8_t> = DataType::kUint8;
template <>
inline constexpr DataType kTypeOf<std::int16_t> = DataType::kInt16;
template <>
inline constexpr DataType kTypeOf<Bool> = DataType::kBool;
template <>
inline constexpr DataType kTypeOf<std::int32_t> = DataType::kInt32;
template <>
inline constexpr DataType kTypeOf<std::int64_t> = DataType::kInt64;

// What a choice gives where no type of the list is meant; only a program error leads there.
template <typename Result>
inline constexpr Result kUnknownType = Result{};
template <>
inline constexpr cudaError_t kUnknownType<cudaError_t> = cudaErrorInvalidValue;
template <>
inline constexpr const char* kUnknownType<const char*> = "not a type it knows";

// body(Tag<T>) of the first T of the list with is(Tag<T>).
template <typename Is, typename Body, typename Result, typename First, typename... Rest>
constexpr Result first_type(Types<First, Rest...> /*list*/, const Is& is, const Body& body,
                            Result otherwise) {
  if (is(Tag<First>{})) return body(Tag<First>{});
  if constexpr (sizeof...(Rest) > 0) {
    return first_type(Types<Rest...>{}, is, body, otherwise);
  } else {
    return otherwise;
  }
}
template <typename Is, typename Body, typename First, typename... Rest>
constexpr auto first_type(Types<First, Rest...> list, const Is& is, const Body& body) {
  return first_type(list, is, body, kUnknownType<decltype(body(Tag<First>{}))>);
}

// The type of the list that is this one.
template <typename List, typename Body>
constexpr auto by_type(DataType type, const Body& body) {
  return first_type(
      List{}, [type]<typename T>(Tag<T>) { return kTypeOf<T> == type; }, body);
}
template <typename Body>
auto by_float_type(DataType type, const Body& body) {
  return by_type<FloatTypes>(type, body);
}
template <typename Body>
auto by_real_type(DataType type, const Body& body) {
  return by_type<FloatOrDoubleTypes>(type, body);
}
template <typename Body>
auto by_index_type(DataType type, const Body& body) {
  return by_type<IndexTypes>(type, body);
}

// The unsigned type as large as an element of this one, for kernels that only copy bits.
template <typename Body>
constexpr auto by_element_size(DataType type, const Body& body) {
  return first_type(
      WordTypes{}, [size = size_of(type)]<typename T>(Tag<T>) { return sizeof(T) == size; }, body);
}

// The type of sizes and offsets in a plane.
template <typename Body>
auto by_coordinate(bool narrow, const Body& body) {
  return narrow ? body(Tag<int>{}) : body(Tag<std::int64_t>{});
}

}  // namespace cairn::cuda
