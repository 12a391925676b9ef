// What the programs of this folder share. Each owner gives back what it holds, so that a program is wrong in
// one place only.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"

inline void must(int status) {
  if (status == 0) return;
  const char* message = aclGetRecentErrMsg();
  std::printf("%d %s\n", status, message != nullptr ? message : "");
  std::exit(3);
}

struct Device {
  Device() {
    must(aclInit(nullptr));
    must(aclrtSetDevice(0));
  }
  ~Device() {
    aclrtResetDevice(0);
    aclFinalize();
  }
};

struct Stream {
  Stream() { must(aclrtCreateStream(&handle)); }
  ~Stream() { aclrtDestroyStream(handle); }
  void wait() const { must(aclrtSynchronizeStream(handle)); }
  operator aclrtStream() const { return handle; }
  aclrtStream handle = nullptr;
};

struct Event {
  Event() { must(aclrtCreateEventWithFlag(&handle, ACL_EVENT_SYNC)); }
  ~Event() { aclrtDestroyEvent(handle); }
  operator aclrtEvent() const { return handle; }
  aclrtEvent handle = nullptr;
};

// Device memory.
struct Memory {
  explicit Memory(size_t bytes) : size(bytes) { must(aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST)); }
  ~Memory() {
    if (data != nullptr) aclrtFree(data);
  }
  void* release() {
    void* released = data;
    data = nullptr;
    return released;
  }
  void fill(int value) const { must(aclrtMemset(data, size, value, size)); }
  void upload(const void* from, size_t bytes) const {
    must(aclrtMemcpy(data, size, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  float* floats() const { return static_cast<float*>(data); }
  void* data = nullptr;
  size_t size;
};

struct Pinned {
  explicit Pinned(size_t bytes) : size(bytes) { must(aclrtMallocHost(&data, bytes)); }
  ~Pinned() {
    if (data != nullptr) aclrtFreeHost(data);
  }
  float* floats() const { return static_cast<float*>(data); }
  void* data = nullptr;
  size_t size;
};

// A row of elements as an operator takes it: [1,1,1,1,width], or [1,1,1,width].
inline aclTensor* row(void* data, int64_t width, aclDataType type = ACL_FLOAT, int rank = 5,
                      int64_t offset = 0, int64_t step = 1) {
  std::vector<int64_t> dims(rank, 1);
  std::vector<int64_t> strides(rank, width * step);
  dims.back() = width;
  strides.back() = step;
  const int64_t storage = offset + (width - 1) * step + 1;
  return aclCreateTensor(dims.data(), dims.size(), type, strides.data(), offset, ACL_FORMAT_ND, &storage, 1,
                         data);
}

struct Tensor {
  explicit Tensor(aclTensor* made) : handle(made) {}
  Tensor(void* data, int64_t width) : handle(row(data, width)) {}
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() {
    if (handle != nullptr) aclDestroyTensor(handle);
  }
  operator aclTensor*() const { return handle; }
  aclTensor* release() {
    aclTensor* released = handle;
    handle = nullptr;
    return released;
  }
  aclTensor* handle;
};

struct Ints {
  explicit Ints(const std::vector<int64_t>& values)
      : handle(aclCreateIntArray(values.data(), values.size())) {}
  ~Ints() { aclDestroyIntArray(handle); }
  operator aclIntArray*() const { return handle; }
  aclIntArray* handle;
};

// An operator's two phases with the workspace between them, which lives as long as the object.
struct Phases {
  ~Phases() {
    if (workspace != nullptr) aclrtFree(workspace);
  }
  void* space() {
    if (size > 0 && workspace == nullptr) must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    return workspace;
  }
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;
};

// out is self with every element twice.
struct Twice : Phases {
  Twice(const aclTensor* self, aclTensor* out, int64_t width) : sizes({1, 1, 2 * width}) {
    must(plan(self, out));
  }
  int plan(const aclTensor* self, aclTensor* out) {
    return aclnnUpsampleNearest3dGetWorkspaceSize(self, sizes, 0, 0, 0, out, &size, &executor);
  }
  void run(aclrtStream stream) { must(aclnnUpsampleNearest3d(space(), size, executor, stream)); }
  Ints sizes;
};
