#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "observe/watch.h"
#include "tensor/registry.h"

namespace cairn {
namespace {

template <typename Element>
using Array = std::vector<Element>;

template <typename Handle, typename Element>
Handle* create_array(const char* function, HandleKind kind, const Element* values, std::uint64_t size) {
  if (values == nullptr && size > 0) {
    fail(function, ACLNN_ERR_PARAM_NULLPTR, text("value is null, but size is ", size));
    return nullptr;
  }
  if (size > Array<Element>().max_size()) {
    fail(function, ACLNN_ERR_PARAM_INVALID, text("size is ", size, ", more than fits into memory"));
    return nullptr;
  }
  return guarded<Handle*>(function, nullptr, [&] {
    Handle* made = publish<Handle>(function, kind, std::make_shared<Array<Element>>(values, values + size));
    if constexpr (std::is_pointer_v<Element>) {
      if (Observer* watcher = observer())
        std::for_each(values, values + size, [&](Element element) { watcher->owned(made, element); });
    }
    return made;
  });
}

template <typename Element>
Status array_size(const char* function, HandleKind kind, const char* argument, const void* array,
                  std::uint64_t* size) {
  if (array == nullptr) return null_argument(function, argument);
  if (size == nullptr) return null_argument(function, "size");
  const auto found = objects().find<const Array<Element>>(array, kind);
  if (found == nullptr) return wrong_handle(function, argument, array, kind);
  *size = found->size();
  return OK;
}

// A list owns its elements; one that the program has destroyed on its own is no longer there to be ended.
template <typename Element>
Status destroy_list(const char* function, HandleKind list_kind, HandleKind element_kind, const void* list) {
  if (list == nullptr) return OK;
  const auto elements = objects().remove<Array<Element>>(list, list_kind);
  if (elements == nullptr) return wrong_handle(function, "array", list, list_kind);
  Observer* const watcher = observer();
  for (const Element element : *elements) {
    if (objects().remove(element, element_kind) != nullptr && watcher != nullptr)
      watcher->ended(element_kind, element);
  }
  if (watcher != nullptr) watcher->ended(list_kind, list);
  return OK;
}

struct Scalar {
  aclDataType type;
  alignas(16) std::array<std::byte, 16> value;
};

// aclDataTypeSize answers 8 for what it does not know and for types of 4 and 6 bits, of which a program gives
// one byte: more than it has must not be read.
std::size_t scalar_size(aclDataType type) {
  if (type >= ACL_FLOAT6_E3M2 && type <= ACL_FLOAT4_E1M2) return 1;
  return type > ACL_FLOAT4_E1M2 || type < 0 ? 0 : aclDataTypeSize(type);
}

}  // namespace
}  // namespace cairn

using namespace cairn;

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  CAIRN_WATCH(value, size);
  return create_array<aclIntArray>(__func__, HandleKind::kIntArray, value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  CAIRN_WATCH(value, size);
  return create_array<aclFloatArray>(__func__, HandleKind::kFloatArray, value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  CAIRN_WATCH(value, size);
  return create_array<aclBoolArray>(__func__, HandleKind::kBoolArray, value, size);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
  CAIRN_WATCH(value, size);
  return create_array<aclTensorList>(__func__, HandleKind::kTensorList, value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
  CAIRN_WATCH(value, size);
  return create_array<aclScalarList>(__func__, HandleKind::kScalarList, value, size);
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  CAIRN_WATCH(value, dataType);
  const char* const function = __func__;
  if (value == nullptr) {
    null_argument(function, "value");
    return nullptr;
  }
  return guarded<aclScalar*>(function, nullptr, [&] {
    auto scalar = std::make_shared<Scalar>();
    scalar->type = dataType;
    std::memcpy(scalar->value.data(), value, scalar_size(dataType));
    return publish<aclScalar>(function, HandleKind::kScalar, std::move(scalar));
  });
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  CAIRN_WATCH(array);
  return destroy(__func__, HandleKind::kIntArray, "array", array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  CAIRN_WATCH(array);
  return destroy(__func__, HandleKind::kFloatArray, "array", array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  CAIRN_WATCH(array);
  return destroy(__func__, HandleKind::kBoolArray, "array", array);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  CAIRN_WATCH(scalar);
  return destroy(__func__, HandleKind::kScalar, "scalar", scalar);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  CAIRN_WATCH(array);
  return destroy_list<const aclTensor*>(__func__, HandleKind::kTensorList, HandleKind::kTensor, array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  CAIRN_WATCH(array);
  return destroy_list<const aclScalar*>(__func__, HandleKind::kScalarList, HandleKind::kScalar, array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  CAIRN_WATCH(array, size);
  return array_size<std::int64_t>(__func__, HandleKind::kIntArray, "array", array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
  CAIRN_WATCH(array, size);
  return array_size<float>(__func__, HandleKind::kFloatArray, "array", array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  CAIRN_WATCH(array, size);
  return array_size<bool>(__func__, HandleKind::kBoolArray, "array", array, size);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList, uint64_t* size) {
  CAIRN_WATCH(tensorList, size);
  return array_size<const aclTensor*>(__func__, HandleKind::kTensorList, "tensorList", tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList, uint64_t* size) {
  CAIRN_WATCH(scalarList, size);
  return array_size<const aclScalar*>(__func__, HandleKind::kScalarList, "scalarList", scalarList, size);
}
