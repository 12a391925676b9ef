#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "api/support.h"
#include "cairn/cairn.h"
#include "cuda/gpu.h"

// What tests of the CUDA backend need around a call.
namespace cuda_test {

using api_test::recent_message;

// A device and a stream of it; without a GPU every test says so and is over.
class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const char* name = cairnGetBackendName();
    if (name == nullptr || std::string(name) != "cuda") {
      if (!gpu_expected()) GTEST_SKIP() << kNoGpu;
      FAIL() << "there is a GPU, but the backend is "
             << (name != nullptr ? name : "none: " + recent_message());
    }
    ASSERT_EQ(aclrtSetDevice(0), 0);
    ASSERT_EQ(aclrtCreateStream(&stream), 0);
    recent_message();
  }
  void TearDown() override {
    if (stream == nullptr) return;
    EXPECT_EQ(aclrtDestroyStream(stream), 0);
    EXPECT_EQ(aclrtResetDevice(0), 0);
  }

  aclrtStream stream = nullptr;
};

// aclnnMaxUnpool3dBackward over 4 cells of a plane of 8: out[i] = values[indices[i]], wherever the three lie.
class Gather {
 public:
  static constexpr std::size_t kValues = 8;
  static constexpr std::size_t kCells = 4;

  Gather(const void* values, const void* indices, void* out)
      : values_({{1, 1, 2, 2, 2}, ACL_FLOAT}, const_cast<void*>(values)),
        indices_({{1, 1, 1, 2, 2}, ACL_INT32}, const_cast<void*>(indices)),
        self_({{1, 1, 1, 2, 2}, ACL_FLOAT}, nullptr),
        out_({{1, 1, 1, 2, 2}, ACL_FLOAT}, out) {}

  aclnnStatus run(aclrtStream stream) const {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = aclnnMaxUnpool3dBackwardGetWorkspaceSize(
        values_, self_, indices_, size_, ones_, zeros_, out_, &size, &executor);
    return status != 0 ? status : aclnnMaxUnpool3dBackward(nullptr, size, executor, stream);
  }

 private:
  api_test::Tensor values_;
  api_test::Tensor indices_;
  api_test::Tensor self_;
  api_test::Tensor out_;
  api_test::IntArray size_{{2, 2, 2}};
  api_test::IntArray ones_{{1, 1, 1}};
  api_test::IntArray zeros_{{0, 0, 0}};
};

inline const std::vector<float> kInput{0, 10, 20, 30, 40, 50, 60, 70};
inline const std::vector<std::int32_t> kIndices{7, 0, 3, 1};
inline const std::vector<std::int32_t> kWrongIndices{7, 0, 9, 1};
inline const std::vector<float> kGathered{70, 0, 30, 10};

// The three operands in device memory of aclrtMalloc.
struct Operands {
  explicit Operands(const std::vector<std::int32_t>& index = kIndices)
      : indices(index.size() * sizeof(std::int32_t), index.data()) {}

  std::vector<float> result() const {
    std::vector<float> cells(Gather::kCells);
    out.download(cells.data());
    return cells;
  }

  api_test::Buffer values{kInput.size() * sizeof(float), kInput.data()};
  api_test::Buffer indices;
  api_test::Buffer out{Gather::kCells * sizeof(float)};
  Gather call{values.address(), indices.address(), out.address()};
};

}  // namespace cuda_test
