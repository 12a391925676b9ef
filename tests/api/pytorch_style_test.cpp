#include <dlfcn.h>
#include <gtest/gtest.h>

#include "api/support.h"

// The operators as the PyTorch adapter uses them: through dlsym, with its kind of descriptors, and with its
// mistake.
namespace api_test {
namespace {

class PytorchStyle : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    library_ = dlopen("libopapi_nn.so", RTLD_LAZY);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  void TearDown() override {
    if (library_ != nullptr) dlclose(library_);
  }

  template <typename Function>
  Function* symbol(const char* name) const {
    void* address = dlsym(library_, name);
    EXPECT_NE(address, nullptr) << name;
    return reinterpret_cast<Function*>(address);
  }

  void* library_ = nullptr;
};

using CreateTensor = aclTensor*(const std::int64_t*, std::uint64_t, aclDataType, const std::int64_t*,
                                std::int64_t, aclFormat, const std::int64_t*, std::uint64_t, void*);
using CreateIntArray = aclIntArray*(const std::int64_t*, std::uint64_t);
using DestroyTensor = aclnnStatus(const aclTensor*);
using DestroyIntArray = aclnnStatus(const aclIntArray*);
using RunPhase2 = aclnnStatus(void*, std::uint64_t, aclOpExecutor*, aclrtStream);
using PoolPhase1 = aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const aclIntArray*,
                               const aclIntArray*, const aclIntArray*, const aclIntArray*, bool, aclTensor*,
                               std::uint64_t*, aclOpExecutor**);

TEST_F(PytorchStyle, FindsEverySymbolThroughTheOperatorLibrary) {
  for (const char* name : {"aclnnMaxPool3dWithArgmaxBackward",
                           "aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize",
                           "aclnnMaxPool2dWithIndicesBackward",
                           "aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize",
                           "aclnnMaxUnpool3dBackward",
                           "aclnnMaxUnpool3dBackwardGetWorkspaceSize",
                           "aclnnUpsampleNearest3dBackward",
                           "aclnnUpsampleNearest3dBackwardGetWorkspaceSize",
                           "aclCreateTensor",
                           "aclCreateScalar",
                           "aclCreateIntArray",
                           "aclCreateFloatArray",
                           "aclCreateBoolArray",
                           "aclCreateTensorList",
                           "aclCreateScalarList",
                           "aclDestroyTensor",
                           "aclDestroyScalar",
                           "aclDestroyIntArray",
                           "aclDestroyFloatArray",
                           "aclDestroyBoolArray",
                           "aclDestroyTensorList",
                           "aclDestroyScalarList",
                           "InitHugeMemThreadLocal",
                           "UnInitHugeMemThreadLocal",
                           "ReleaseHugeMem"})
    EXPECT_NE(dlsym(library_, name), nullptr) << name;
}

TEST_F(PytorchStyle, PoolsAChannelsLastTensorDescribedByItsStrides) {
  // gradOutput: a slice at offset 4 of a 1-D storage, channels last; the tag says NCHW because the rank is 4.
  std::vector<float> grad_storage(4 + 8, -1.0F);
  for (std::size_t i = 0; i < 8; ++i) grad_storage[4 + i] = static_cast<float>(i + 1);
  const std::vector<std::int32_t> index_storage{0, 1, 2, 3,
                                                4, 5, 6, 7};  // two cells a channel follow each other
  const std::vector<float> result_storage(32, -9.0F);
  const Buffer grad_buffer(grad_storage.size() * 4, grad_storage.data());
  const Buffer index_buffer(index_storage.size() * 4, index_storage.data());
  const Buffer result_buffer(result_storage.size() * 4, result_storage.data());

  auto* create = symbol<CreateTensor>("aclCreateTensor");
  auto* destroy = symbol<DestroyTensor>("aclDestroyTensor");
  auto* create_array = symbol<CreateIntArray>("aclCreateIntArray");
  auto* destroy_array = symbol<DestroyIntArray>("aclDestroyIntArray");
  auto* phase1 = symbol<PoolPhase1>("aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize");
  auto* phase2 = symbol<RunPhase2>("aclnnMaxPool2dWithIndicesBackward");
  ASSERT_FALSE(HasFailure());

  // N 1, C 2, H 2, W 2 out of H 4, W 4.
  const std::int64_t out_dims[] = {1, 2, 2, 2};
  const std::int64_t out_strides[] = {8, 1, 4, 2};
  const std::int64_t in_dims[] = {1, 2, 4, 4};
  const std::int64_t in_strides[] = {32, 16, 4, 1};
  const std::int64_t grad_size = 12;
  const std::int64_t index_size = 8;
  const std::int64_t result_size = 32;
  aclTensor* grad =
      create(out_dims, 4, ACL_FLOAT, out_strides, 4, ACL_FORMAT_NCHW, &grad_size, 1, grad_buffer.address());
  aclTensor* index =
      create(out_dims, 4, ACL_INT32, out_strides, 0, ACL_FORMAT_NCHW, &index_size, 1, index_buffer.address());
  aclTensor* self =
      create(in_dims, 4, ACL_FLOAT, in_strides, 0, ACL_FORMAT_NCHW, &result_size, 1, result_buffer.address());
  aclTensor* result =
      create(in_dims, 4, ACL_FLOAT, in_strides, 0, ACL_FORMAT_NCHW, &result_size, 1, result_buffer.address());
  const std::int64_t two[] = {2, 2};
  const std::int64_t zero[] = {0, 0};
  const std::int64_t one[] = {1, 1};
  aclIntArray* kernel = create_array(two, 2);
  aclIntArray* stride = create_array(nullptr, 0);  // an empty list means the kernel's size
  aclIntArray* padding = create_array(zero, 2);
  aclIntArray* dilation = create_array(one, 2);

  std::uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(
      phase1(grad, self, index, kernel, stride, padding, dilation, false, result, &workspace_size, &executor),
      0)
      << recent_message();
  const Buffer workspace(workspace_size);
  ASSERT_EQ(phase2(workspace.address(), workspace_size, executor, stream), 0) << recent_message();
  // The adapter lets go of everything before it waits.
  for (aclTensor* tensor : {grad, index, self, result}) EXPECT_EQ(destroy(tensor), 0);
  for (aclIntArray* array : {kernel, stride, padding, dilation}) EXPECT_EQ(destroy_array(array), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream), 0);

  std::vector<float> wanted(32, 0.0F);
  for (std::size_t i = 0; i < 8; ++i) wanted[i % 2 * 16 + i] = static_cast<float>(i + 1);
  std::vector<float> found(32);
  result_buffer.download(found.data());
  EXPECT_EQ(found, wanted);
}

TEST_F(PytorchStyle, AcceptsItsTagForEveryRank) {
  // Rank 3 is tagged NCL, rank 4 NCHW, rank 5 NCDHW, whatever the operator makes of the axes.
  auto* phase1_2d = symbol<PoolPhase1>("aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize");
  auto* phase2_2d = symbol<RunPhase2>("aclnnMaxPool2dWithIndicesBackward");
  auto* phase1_3d = symbol<PoolPhase1>("aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize");
  auto* phase2_3d = symbol<RunPhase2>("aclnnMaxPool3dWithArgmaxBackward");
  ASSERT_FALSE(HasFailure());
  const float gradient = 2.5F;
  const std::int32_t position = 0;
  const Buffer grad_buffer(4, &gradient);
  const Buffer index_buffer(4, &position);
  const IntArray one({1});
  const IntArray zero({0});
  for (const auto& [rank, tag] :
       {std::pair{3, ACL_FORMAT_NCL}, {4, ACL_FORMAT_NCHW}, {5, ACL_FORMAT_NCDHW}}) {
    const std::vector<std::int64_t> ones(static_cast<std::size_t>(rank), 1);
    for (const bool flat : {true, false}) {
      if (rank == (flat ? 5 : 3)) continue;
      const float before = -1.0F;
      const Buffer result_buffer(4, &before);
      const Tensor grad({ones, ACL_FLOAT, tag, ones, 0, {1}}, grad_buffer.address());
      const Tensor index({ones, ACL_INT32, tag, ones, 0, {1}}, index_buffer.address());
      const Tensor result({ones, ACL_FLOAT, tag, ones, 0, {1}}, result_buffer.address());
      const Outcome outcome = run(
          [&](std::uint64_t* size, aclOpExecutor** executor) {
            return (flat ? phase1_2d : phase1_3d)(grad, result, index, one, one, zero, one, false, result,
                                                  size, executor);
          },
          flat ? phase2_2d : phase2_3d, stream);
      EXPECT_TRUE(outcome.succeeded()) << "rank " << rank << ": " << outcome;
      float found = 0;
      result_buffer.download(&found);
      EXPECT_EQ(found, gradient);
    }
  }
}

TEST_F(PytorchStyle, AnswersItsCallWithoutIndicesWithAStatus) {
  // The adapter's out variant leaves indices out, so every later argument moves up by one and the last is
  // whatever the stack holds.
  using Shifted =
      aclnnStatus(const aclTensor*, const aclTensor*, const aclIntArray*, const aclIntArray*,
                  const aclIntArray*, const aclIntArray*, bool, aclTensor*, std::uint64_t*, aclOpExecutor**);
  auto* phase1 = symbol<Shifted>("aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize");
  ASSERT_FALSE(HasFailure());
  const float gradient = 1.0F;
  const Buffer grad_buffer(4, &gradient);
  const Buffer result_buffer(32);
  const Tensor grad({{1, 1, 1, 1, 1}}, grad_buffer.address());
  const Tensor result({{1, 1, 2, 2, 2}}, result_buffer.address());
  const IntArray two({2, 2, 2});
  const IntArray zero({0, 0, 0});
  const IntArray one({1, 1, 1});
  for (const bool ceil_mode : {false, true}) {
    std::uint64_t size = 4711;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = phase1(grad, result, two, two, zero, one, ceil_mode, result, &size, &executor);
    EXPECT_TRUE(status == 161001 || status == 161002) << status;
    EXPECT_NE(recent_message(), "");
    EXPECT_EQ(size, 4711U);
    EXPECT_EQ(executor, nullptr);
  }
}

}  // namespace
}  // namespace api_test
