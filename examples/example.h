// What the examples share: a check of every status, a tensor with its device memory, phase 2.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

inline void check(int status, const char* what) {
  if (status == 0) return;
  const char* message = aclGetRecentErrMsg();
  std::printf("%s: %d\n%s\n", what, status, message != nullptr ? message : "");
  std::exit(1);
}
#define CHECK(call) check((call), #call)

inline aclDataType type_of(float) { return ACL_FLOAT; }
inline aclDataType type_of(int8_t) { return ACL_INT8; }
inline aclDataType type_of(int32_t) { return ACL_INT32; }
inline aclDataType type_of(int64_t) { return ACL_INT64; }

template <typename T>
struct Tensor {
  Tensor(const std::vector<int64_t>& shape, const std::vector<T>& values, aclFormat format = ACL_FORMAT_ND)
      : count(values.size()) {
    CHECK(aclrtMalloc(&memory, bytes(), ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(memory, bytes(), values.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE));
    // No strides: the elements lie one after the other.
    handle = aclCreateTensor(shape.data(), shape.size(), type_of(T()), nullptr, 0, format, shape.data(),
                             shape.size(), memory);
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() {
    aclDestroyTensor(handle);
    aclrtFree(memory);
  }

  void print(const char* name) const {
    std::vector<T> values(count);
    CHECK(aclrtMemcpy(values.data(), bytes(), memory, bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
    std::printf("%s:", name);
    for (const T value : values) std::printf(" %g", static_cast<double>(value));
    std::printf("\n");
  }

  size_t bytes() const { return count * sizeof(T); }

  size_t count;
  void* memory = nullptr;
  aclTensor* handle = nullptr;
};

struct IntArray {
  explicit IntArray(const std::vector<int64_t>& values)
      : handle(aclCreateIntArray(values.data(), values.size())) {}
  IntArray(const IntArray&) = delete;
  IntArray& operator=(const IntArray&) = delete;
  ~IntArray() { aclDestroyIntArray(handle); }

  aclIntArray* handle;
};

// Phase 2 of any operator: gives it the workspace that phase 1 asked for, and waits for the result.
inline void run(aclnnStatus (*op)(void*, uint64_t, aclOpExecutor*, aclrtStream), uint64_t workspace_size,
                aclOpExecutor* executor) {
  void* workspace = nullptr;
  if (workspace_size > 0) CHECK(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));
  CHECK(op(workspace, workspace_size, executor, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtDestroyStream(stream));
  if (workspace != nullptr) CHECK(aclrtFree(workspace));
}
