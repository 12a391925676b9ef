// What check_overhead.py measures. check_program seed BYTES TIMES: programs like those of an operator's page,
// one after the other: tensors are allocated and uploaded, an operator runs, its result is fetched, all is
// given back. check_program call TIMES: calls on tensors of eight elements; prints nanoseconds a call, of the
// best thousand.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"

namespace {

void require(int status) {
  if (status == ACL_SUCCESS) return;
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "status %d: %s\n", status, message != nullptr ? message : "");
  std::exit(1);
}

struct Tensor {
  Tensor(std::int64_t width, const std::vector<float>& values) : bytes(static_cast<std::size_t>(width) * 4) {
    const std::int64_t dims[5] = {1, 1, 1, 1, width};
    require(aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    require(aclrtMemcpy(data, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    handle = aclCreateTensor(dims, 5, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCDHW, dims, 5, data);
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() {
    aclDestroyTensor(handle);
    aclrtFree(data);
  }

  std::size_t bytes;
  void* data = nullptr;
  aclTensor* handle = nullptr;
};

// `out` has every element of `self` twice.
void run(const Tensor& self, const Tensor& out, aclrtStream stream) {
  const std::int64_t sizes[3] = {1, 1, static_cast<std::int64_t>(out.bytes / 4)};
  aclIntArray* const output_size = aclCreateIntArray(sizes, 3);
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  require(aclnnUpsampleNearest3dGetWorkspaceSize(self.handle, output_size, 0, 0, 0, out.handle, &size,
                                                 &executor));
  void* workspace = nullptr;
  if (size > 0) require(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
  require(aclnnUpsampleNearest3d(workspace, size, executor, stream));
  require(aclrtSynchronizeStream(stream));
  if (workspace != nullptr) require(aclrtFree(workspace));
  aclDestroyIntArray(output_size);
}

void like_a_seed(std::size_t bytes, int times, aclrtStream stream) {
  const auto width = static_cast<std::int64_t>(bytes / 4 / 2);
  std::vector<float> values(static_cast<std::size_t>(2 * width), 1.0F);
  for (int i = 0; i < times; ++i) {
    const Tensor self(width, values);
    const Tensor out(2 * width, values);
    run(self, out, stream);
    require(aclrtMemcpy(values.data(), out.bytes, out.data, out.bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  }
}

void many_calls(int times, aclrtStream stream) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCalls = 1000;
  const std::vector<float> values(16, 1.0F);
  const Tensor self(8, values);
  const Tensor out(16, values);
  double best = 1e30;
  for (int i = 0; i < times; ++i) {
    const Clock::time_point begin = Clock::now();
    for (int j = 0; j < kCalls; ++j) run(self, out, stream);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kCalls);
  }
  std::printf("%.1f\n", best);
}

}  // namespace

int main(int count, char** words) {
  aclrtStream stream = nullptr;
  require(aclInit(nullptr));
  require(aclrtSetDevice(0));
  require(aclrtCreateStream(&stream));
  if (count == 4 && std::strcmp(words[1], "seed") == 0) {
    like_a_seed(std::strtoull(words[2], nullptr, 10), std::atoi(words[3]), stream);
  } else if (count == 3 && std::strcmp(words[1], "call") == 0) {
    many_calls(std::atoi(words[2]), stream);
  } else {
    std::fputs("check_program seed BYTES TIMES | call TIMES\n", stderr);
    return 2;
  }
  require(aclrtDestroyStream(stream));
  require(aclrtResetDevice(0));
  return aclFinalize();
}
