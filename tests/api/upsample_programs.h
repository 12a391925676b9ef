#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_ops_cv.h"

// Whole programs as the vendor's pages on upsampling have them: what each prints.
namespace upsample_programs {

using Dims = std::vector<int64_t>;

// A tensor on the device whose storage is its shape.
template <typename T>
struct Tensor {
  Tensor(const Dims& shape, const std::vector<T>& values, aclDataType type, aclFormat format)
      : count(values.size()) {
    EXPECT_EQ(aclrtMalloc(&memory, count * sizeof(T), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    EXPECT_EQ(
        aclrtMemcpy(memory, count * sizeof(T), values.data(), count * sizeof(T), ACL_MEMCPY_HOST_TO_DEVICE),
        0);
    Dims strides(shape.size(), 1);
    for (size_t i = shape.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * shape[i + 1];
    handle = aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0, format, shape.data(),
                             shape.size(), memory);
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() {
    aclDestroyTensor(handle);
    aclrtFree(memory);
  }

  size_t count;
  void* memory = nullptr;
  aclTensor* handle = nullptr;
};

template <typename T>
std::vector<T> counted(size_t count, T first) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

inline size_t elements(const Dims& shape) {
  size_t count = 1;
  for (const int64_t size : shape) count *= static_cast<size_t>(size);
  return count;
}

// A whole program; what it prints. plan(input, output, workspaceSize, executor) is phase 1.
template <typename T, typename Plan, typename Phase2>
std::string program(const Dims& in, const std::vector<T>& values, const Dims& out, T before, aclFormat format,
                    const Plan& plan, Phase2* phase2) {
  constexpr bool kBytes = sizeof(T) == 1;
  EXPECT_EQ(aclInit(nullptr), 0);
  EXPECT_EQ(aclrtSetDevice(0), 0);
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), 0);
  std::string printed;
  {
    const Tensor<T> input(in, values, kBytes ? ACL_UINT8 : ACL_FLOAT, format);
    const Tensor<T> output(out, std::vector<T>(elements(out), before), kBytes ? ACL_UINT8 : ACL_FLOAT,
                           format);
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(plan(input.handle, output.handle, &workspace_size, &executor), 0) << aclGetRecentErrMsg();
    void* workspace = nullptr;
    if (workspace_size > 0) {
      EXPECT_EQ(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    }
    EXPECT_EQ(phase2(workspace, workspace_size, executor, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
    std::vector<T> result(output.count);
    EXPECT_EQ(aclrtMemcpy(result.data(), result.size() * sizeof(T), output.memory, result.size() * sizeof(T),
                          ACL_MEMCPY_DEVICE_TO_HOST),
              0);
    for (size_t i = 0; i < result.size(); ++i) {
      char line[64];
      if (kBytes) {
        std::snprintf(line, sizeof(line), "result[%zu] is: %u\n", i, static_cast<unsigned>(result[i]));
      } else {
        std::snprintf(line, sizeof(line), "result[%zu] is: %f\n", i, static_cast<double>(result[i]));
      }
      printed += line;
    }
    aclrtFree(workspace);
  }
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtResetDevice(0), 0);
  EXPECT_EQ(aclFinalize(), 0);
  return printed;
}

struct List {
  explicit List(const Dims& values) : handle(aclCreateIntArray(values.data(), values.size())) {}
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { aclDestroyIntArray(handle); }
  aclIntArray* handle;
};

template <typename T, typename Plan, typename... Scales>
std::string forward(Plan* plan, aclnnStatus (*phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream),
                    aclFormat format, const Dims& in, T first, const Dims& out, Scales... scales) {
  const List size(Dims(out.begin() + 2, out.end()));
  return program<T>(
      in, counted<T>(elements(in), first), out, 0, format,
      [&](aclTensor* self, aclTensor* result, uint64_t* bytes, aclOpExecutor** executor) {
        return plan(self, size.handle, scales..., result, bytes, executor);
      },
      phase2);
}

template <typename Plan, typename... Scales>
std::string backward(Plan* plan, aclnnStatus (*phase2)(void*, uint64_t, aclOpExecutor*, aclrtStream),
                     aclFormat format, const Dims& gradient, const std::vector<float>& values, const Dims& in,
                     float before, Scales... scales) {
  const List output_size(Dims(gradient.begin() + 2, gradient.end()));
  const List input_size(in);
  return program<float>(
      gradient, values, in, before, format,
      [&](aclTensor* large, aclTensor* small, uint64_t* bytes, aclOpExecutor** executor) {
        return plan(large, output_size.handle, input_size.handle, scales..., small, bytes, executor);
      },
      phase2);
}

// These numbers a line each.
inline std::string lines(const std::string& numbers, bool bytes = false) {
  std::istringstream words(numbers);
  std::string text;
  size_t i = 0;
  for (std::string word; words >> word; ++i) {
    char line[64];
    std::snprintf(line, sizeof(line), "result[%zu] is: ", i);
    text += line;
    if (bytes) {
      text += word + "\n";
    } else {
      std::snprintf(line, sizeof(line), "%f\n", std::stod(word));
      text += line;
    }
  }
  return text;
}

#define PHASES(name) aclnnUpsample##name##GetWorkspaceSize, aclnnUpsample##name

}  // namespace upsample_programs
