#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "backend/kernel.h"
#include "runtime/fake_kernel.h"
#include "tensor/bridge.h"
#include "tensor/support.h"

namespace cairn::test {

// out[i] = self[i] + 1, over dense floats; every byte of the workspace becomes 7.
struct AddOnePlan {
  const float* self = nullptr;
  const void* hint = nullptr;
  float* out = nullptr;
  std::byte* workspace = nullptr;
  std::uint64_t workspace_size = 0;
  std::int64_t count = 0;
};

inline std::optional<IndexFault> add_one(const void* plan_bytes, Workers& /*workers*/) {
  const auto& plan = *static_cast<const AddOnePlan*>(plan_bytes);
  for (std::int64_t i = 0; i < plan.count; ++i) plan.out[i] = plan.self[i] + 1;
  for (std::uint64_t i = 0; i < plan.workspace_size; ++i) plan.workspace[i] = std::byte{7};
  return std::nullopt;
}

inline const FakeKernel kAddOne = {"aclnnAddOne", add_one};
inline const FakeKernel kOther = {"aclnnOther", add_one};

inline TensorUse use(const char* argument, const aclTensor* tensor, Access access) {
  return {tensor, argument, access, cairn_tensor_bridge().find_tensor(tensor)};
}

inline PlannedCall add_one_call(const aclTensor* self, const aclTensor* hint, const aclTensor* out,
                                std::uint64_t workspace_size = 0) {
  PlannedCall call;
  call.kernel = &kAddOne;
  call.tensors = {use("self", self, Access::kRead), use("hint", hint, Access::kUnused),
                  use("out", out, Access::kWrite)};
  call.workspace_size = workspace_size;
  AddOnePlan plan;
  plan.count = 1;
  for (const std::int64_t dim : call.tensors[2].desc->dims) plan.count *= dim;
  plan.workspace_size = workspace_size;
  call.plan.set(plan);
  call.bind = [](void* bytes, void* const* addresses, void* workspace) {
    auto& bound = *static_cast<AddOnePlan*>(bytes);
    bound.self = static_cast<const float*>(addresses[0]);
    bound.hint = addresses[1];
    bound.out = static_cast<float*>(addresses[2]);
    bound.workspace = static_cast<std::byte*>(workspace);
  };
  return call;
}

inline aclnnStatus run(aclOpExecutor* executor, void* workspace = nullptr, std::uint64_t workspace_size = 0,
                       void* stream = nullptr) {
  return cairn_tensor_bridge().run(executor, kAddOne, workspace, workspace_size, stream);
}

// Whether the executor is still there: destroying it is how a program finds out.
inline bool consumed(aclOpExecutor* executor) {
  const aclnnStatus status = aclDestroyAclOpExecutor(executor);
  recent_error();
  return status == 561000;
}

class Buffer {
 public:
  explicit Buffer(std::size_t bytes) {
    EXPECT_EQ(aclrtMalloc(&data_, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS) << "aclrtFree does not wait for work on the memory";
    EXPECT_EQ(aclrtFree(data_), ACL_SUCCESS);
  }

  void* data(std::size_t offset = 0) const { return static_cast<std::byte*>(data_) + offset; }

  void set(const std::vector<float>& values) const {
    const std::size_t bytes = values.size() * sizeof(float);
    ASSERT_EQ(aclrtMemcpy(data_, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  }
  std::vector<float> get(std::size_t count) const {
    std::vector<float> values(count);
    const std::size_t bytes = count * sizeof(float);
    EXPECT_EQ(aclrtMemcpy(values.data(), bytes, data_, bytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return values;
  }

 private:
  void* data_ = nullptr;
};

// Four floats in, four out, on a device.
class AddOneTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    input.emplace(16);
    output.emplace(16);
    input->set({1, 2, 3, 4});
    output->set({-1, -1, -1, -1});
    self = make_tensor({4}, input->data());
    hint = make_tensor({4});
    out = make_tensor({4}, output->data());
    recent_error();
  }

  void TearDown() override {
    for (const aclTensor* tensor : {self, hint, out}) aclDestroyTensor(tensor);
    input.reset();
    output.reset();
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  }

  aclOpExecutor* plan(std::uint64_t workspace_size = 0) const {
    return cairn_tensor_bridge().create_executor(add_one_call(self, hint, out, workspace_size));
  }

  std::vector<float> result() const {
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    return output->get(4);
  }

  // Phase 2 is refused, has queued nothing, and the executor is used up.
  void expect_refused_and_consumed(aclOpExecutor* executor, aclnnStatus status, const std::string& words,
                                   void* workspace = nullptr, std::uint64_t workspace_size = 0) const {
    expect_refused(run(executor, workspace, workspace_size), status, words);
    EXPECT_TRUE(consumed(executor));
    EXPECT_EQ(result(), (std::vector<float>{-1, -1, -1, -1}));
  }

  std::optional<Buffer> input;
  std::optional<Buffer> output;
  aclTensor* self = nullptr;
  aclTensor* hint = nullptr;
  aclTensor* out = nullptr;
};

}  // namespace cairn::test
