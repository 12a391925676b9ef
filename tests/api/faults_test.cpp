#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "api/values.h"

// What a program gets back when it does something wrong, and that it can go on afterwards.
namespace api_test {
namespace {

constexpr aclnnStatus kNullPointer = 161001;
constexpr aclnnStatus kInvalid = 161002;
constexpr aclnnStatus kUnknownExecutor = 561103;
constexpr aclError kIndexFault = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;

// 2 x 2 windows on a 4 x 4 plane: 1 … 4 go to the corners.
class Pool2d {
 public:
  explicit Pool2d(const std::vector<std::int32_t>& index = {0, 3, 12, 15})
      : indices({1, 1, 2, 2}, index), self(result.spec, nullptr) {}

  aclnnStatus phase1(const aclTensor* grad_tensor, const aclTensor* index_tensor,
                     const aclIntArray* kernel_array, aclTensor* result_tensor, std::uint64_t* size,
                     aclOpExecutor** executor) const {
    return aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(grad_tensor, self, index_tensor, kernel_array,
                                                             kernel, padding, dilation, false, result_tensor,
                                                             size, executor);
  }
  aclnnStatus phase1(std::uint64_t* size, aclOpExecutor** executor) const {
    return phase1(grad.tensor, indices.tensor, kernel, result.tensor, size, executor);
  }
  Phase1 bound() const {
    return [this](std::uint64_t* size, aclOpExecutor** executor) { return phase1(size, executor); };
  }
  Outcome run_on(aclrtStream stream) const { return run(bound(), aclnnMaxPool2dWithIndicesBackward, stream); }

  Values<float> grad{{1, 1, 2, 2}, {1, 2, 3, 4}};
  Values<std::int32_t> indices;
  Values<float> result{{1, 1, 4, 4}, std::vector<float>(16, -5.0F)};
  Tensor self;
  IntArray kernel{{2, 2}};
  IntArray padding{{0, 0}};
  IntArray dilation{{1, 1}};
};

const std::vector<float> kCorners{1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class IndexFaults : public DeviceTest {};

TEST_F(IndexFaults, AreReportedOnceWithPositionValueAndRange) {
  const Pool2d faulty({0, 3, 16, -7});
  const Outcome outcome = faulty.run_on(stream);
  EXPECT_EQ(outcome.phase1, 0);
  EXPECT_EQ(outcome.phase2, 0);
  EXPECT_EQ(outcome.synchronise, kIndexFault);
  EXPECT_TRUE(contains(outcome.message, "aclnnMaxPool2dWithIndicesBackward")) << outcome.message;
  EXPECT_TRUE(contains(outcome.message, "indices[2] is 16")) << outcome.message;
  EXPECT_TRUE(contains(outcome.message, "0 to 15")) << outcome.message;
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), 0);
  EXPECT_EQ(recent_message(), "");
  // The gradients with a place got there all the same.
  EXPECT_EQ(faulty.result.read(), (std::vector<float>{1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(IndexFaults, LeaveTheStreamUsable) {
  EXPECT_EQ(Pool2d({99, 3, 12, 15}).run_on(stream).synchronise, kIndexFault);
  const Pool2d sound;
  const Outcome outcome = sound.run_on(stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(sound.result.read(), kCorners);
}

TEST_F(IndexFaults, OfTheFirstCallInTheStreamAreTheOnesReported) {
  const Pool2d sound;
  const Pool2d first({0, 3, 12, 1234});
  const Pool2d second({5678, 3, 12, 15});
  for (const Pool2d* call : {&sound, &first, &second}) {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(call->phase1(&size, &executor), 0);
    ASSERT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), 0);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream), kIndexFault);
  const std::string message = recent_message();
  EXPECT_TRUE(contains(message, "1234")) << message;
  EXPECT_FALSE(contains(message, "5678")) << message;
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
}

TEST_F(IndexFaults, AreReportedByADeviceSynchroniseToo) {
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const Pool2d faulty({0, 3, 12, 16});
  ASSERT_EQ(faulty.phase1(&size, &executor), 0);
  ASSERT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), 0);
  EXPECT_EQ(aclrtSynchronizeDevice(), kIndexFault);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
}

TEST_F(IndexFaults, AreNotRaisedByMinusOne) {
  const Pool2d holes({0, -1, -1, 15});
  const Outcome outcome = holes.run_on(stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(holes.result.read(), (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4}));
}

TEST_F(IndexFaults, InThe3dPoolNameTheirOperator) {
  const Values<float> grad({1, 1, 1, 1}, 5.0F);
  const Values<std::int64_t> indices({1, 1, 1, 1}, 8);
  const Values<float> result({1, 2, 2, 2}, std::vector<float>(8, 1.0F));
  const IntArray kernel({2});
  const IntArray zero({0});
  const IntArray one({1});
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad.tensor, result.tensor, indices.tensor,
                                                                kernel, kernel, zero, one, false,
                                                                result.tensor, size, executor);
      },
      aclnnMaxPool3dWithArgmaxBackward, stream);
  EXPECT_EQ(outcome.synchronise, kIndexFault) << outcome;
  EXPECT_TRUE(contains(outcome.message, "aclnnMaxPool3dWithArgmaxBackward")) << outcome.message;
  EXPECT_EQ(result.read(), std::vector<float>(8, 0.0F));
}

TEST_F(IndexFaults, InUnpoolGiveZero) {
  // The low 32 bits of the second index would be valid.
  const Values<float> grad({1, 1, 2, 2}, {1, 2, 3, 4});
  const Values<std::int64_t> indices({1, 1, 1, 3}, {3, (std::int64_t{1} << 32) + 1, 0});
  const Values<float> out({1, 1, 1, 3}, {9, 9, 9});
  const IntArray sizes({1, 2, 2});
  const IntArray ones({1, 1, 1});
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad.tensor, out.tensor, indices.tensor, sizes, ones,
                                                        ones, out.tensor, size, executor);
      },
      aclnnMaxUnpool3dBackward, stream);
  EXPECT_EQ(outcome.synchronise, kIndexFault) << outcome;
  EXPECT_TRUE(contains(outcome.message, "4294967297")) << outcome.message;
  EXPECT_EQ(out.read(), (std::vector<float>{4, 0, 1}));
}

class DataAddresses : public DeviceTest {};

TEST_F(DataAddresses, ThatAreNullAreFineInPhase1AndRefusedInPhase2) {
  const Pool2d call;
  const Tensor nowhere(call.grad.spec, nullptr);
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.phase1(nowhere, call.indices.tensor, call.kernel, call.result.tensor, &size, &executor), 0);
  EXPECT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), kNullPointer);
  EXPECT_TRUE(contains(recent_message(), "gradOutput"));
  // The failed phase 2 has used the executor up.
  EXPECT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), kUnknownExecutor);

  const Tensor no_result(call.result.spec, nullptr);
  ASSERT_EQ(call.phase1(call.grad.tensor, call.indices.tensor, call.kernel, no_result, &size, &executor), 0);
  EXPECT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), kNullPointer);
  EXPECT_TRUE(contains(recent_message(), "gradInput"));
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(call.result.read(), std::vector<float>(16, -5.0F));
}

TEST_F(DataAddresses, OfEmptyTensorsMayBeNull) {
  const Tensor grad({{0, 1, 2, 2}, ACL_FLOAT}, nullptr);
  const Tensor indices({{0, 1, 2, 2}, ACL_INT32}, nullptr);
  const Tensor result({{0, 1, 4, 4}, ACL_FLOAT}, nullptr);
  const IntArray two({2});
  const IntArray zero({0});
  const IntArray one({1});
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(grad, result, indices, two, two, zero, one,
                                                                 false, result, size, executor);
      },
      aclnnMaxPool2dWithIndicesBackward, stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
}

TEST_F(DataAddresses, OfAnOutputThatOverlapsAnInputAreRefused) {
  const Pool2d call;
  // gradOutput's four elements are the last of gradInput's sixteen.
  TensorSpec spec = call.grad.spec;
  spec.offset = 12;
  const Tensor inside(spec, call.result.buffer.address());
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.phase1(inside, call.indices.tensor, call.kernel, call.result.tensor, &size, &executor), 0);
  EXPECT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), kInvalid);
  const std::string message = recent_message();
  EXPECT_TRUE(contains(message, "gradOutput") && contains(message, "gradInput")) << message;
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(call.result.read(), std::vector<float>(16, -5.0F));
}

TEST_F(DataAddresses, MayBeSharedBySelfWhichIsNeverRead) {
  const Pool2d call;
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
            call.grad.tensor, call.result.tensor, call.indices.tensor, call.kernel, call.kernel, call.padding,
            call.dilation, false, call.result.tensor, size, executor);
      },
      aclnnMaxPool2dWithIndicesBackward, stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(call.result.read(), kCorners);
}

TEST_F(DataAddresses, OfInterleavedViewsNeverLeadOutsideTheOutput) {
  // gradOutput and gradInput are the odd and the even columns of one storage.
  std::vector<float> storage(64, -1.0F);
  for (std::size_t i = 0; i < 4; ++i) storage[2 * i + 1] = static_cast<float>(i + 1);
  const Buffer buffer(storage.size() * sizeof(float), storage.data());
  const Pool2d call;
  const Tensor grad({{1, 1, 2, 2}, ACL_FLOAT, ACL_FORMAT_NCHW, {8, 8, 4, 2}, 1, {64}}, buffer.address());
  const Tensor result({{1, 1, 4, 4}, ACL_FLOAT, ACL_FORMAT_NCHW, {32, 32, 8, 2}, 0, {64}}, buffer.address());
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
            grad, result, call.indices.tensor, call.kernel, call.kernel, call.padding, call.dilation, false,
            result, size, executor);
      },
      aclnnMaxPool2dWithIndicesBackward, stream);
  // Whether interleaved views are told apart or refused, nothing but gradInput's cells may change.
  std::vector<float> after(storage.size());
  buffer.download(after.data());
  if (outcome.succeeded()) {
    for (std::size_t i = 0; i < kCorners.size(); ++i) storage[2 * i] = kCorners[i];
  } else {
    EXPECT_EQ(outcome.phase2, kInvalid) << outcome;
  }
  EXPECT_EQ(after, storage);
}

class Handles : public DeviceTest {};

TEST_F(Handles, ThatAreMadeUpStaleOrOfAnotherKindAreRefused) {
  const Pool2d call;
  const auto* stale = aclCreateTensor(call.grad.spec.dims.data(), 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND,
                                      call.grad.spec.dims.data(), 4, call.grad.buffer.address());
  ASSERT_EQ(aclDestroyTensor(stale), 0);
  std::array<std::uint64_t, 64> block{};
  int on_stack = 0;
  // NOLINTBEGIN(performance-no-int-to-ptr): made-up handles are the point
  const std::vector<const void*> wrong{stale,
                                       static_cast<const aclIntArray*>(call.kernel),
                                       block.data(),
                                       &on_stack,
                                       reinterpret_cast<const void*>(std::uintptr_t{1}),
                                       reinterpret_cast<const void*>(std::uintptr_t{0xdeadbeef}),
                                       reinterpret_cast<const void*>(~std::uintptr_t{0}),
                                       call.grad.buffer.address()};
  // NOLINTEND(performance-no-int-to-ptr)
  for (const void* handle : wrong) {
    std::uint64_t size = 4711;
    auto* const untouched = reinterpret_cast<aclOpExecutor*>(&on_stack);
    aclOpExecutor* executor = untouched;
    const auto* tensor = static_cast<const aclTensor*>(handle);
    EXPECT_EQ(call.phase1(tensor, call.indices.tensor, call.kernel, call.result.tensor, &size, &executor),
              kInvalid);
    EXPECT_TRUE(contains(recent_message(), "gradOutput"));
    EXPECT_EQ(call.phase1(call.grad.tensor, tensor, call.kernel, call.result.tensor, &size, &executor),
              kInvalid);
    EXPECT_TRUE(contains(recent_message(), "indices"));
    if (handle != static_cast<const aclIntArray*>(call.kernel)) {
      EXPECT_EQ(call.phase1(call.grad.tensor, call.indices.tensor, static_cast<const aclIntArray*>(handle),
                            call.result.tensor, &size, &executor),
                kInvalid);
      EXPECT_TRUE(contains(recent_message(), "kernelSize"));
    }
    EXPECT_EQ(size, 4711U);
    EXPECT_EQ(executor, untouched);
  }
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const auto* tensor_as_array =
      reinterpret_cast<const aclIntArray*>(static_cast<aclTensor*>(call.grad.tensor));
  EXPECT_EQ(call.phase1(call.grad.tensor, call.indices.tensor, tensor_as_array, call.result.tensor, &size,
                        &executor),
            kInvalid);
}

class Executors : public DeviceTest {};

TEST_F(Executors, RunOnce) {
  const Pool2d call;
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.phase1(&size, &executor), 0);
  EXPECT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), 0);
  EXPECT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), kUnknownExecutor);
  EXPECT_NE(recent_message(), "");
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 561000);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(call.result.read(), kCorners);
}

TEST_F(Executors, OfAnotherOperatorAreRefusedAndKept) {
  const Pool2d call;
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.phase1(&size, &executor), 0);
  EXPECT_EQ(aclnnMaxPool3dWithArgmaxBackward(nullptr, size, executor, stream), kUnknownExecutor);
  EXPECT_EQ(aclnnMaxUnpool3dBackward(nullptr, size, executor, stream), kUnknownExecutor);
  EXPECT_EQ(aclnnUpsampleNearest3dBackward(nullptr, size, executor, stream), kUnknownExecutor);
  EXPECT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(call.result.read(), kCorners);
}

TEST_F(Executors, ThatAreNullOrMadeUpAreRefused) {
  int on_stack = 0;
  auto* const made_up = reinterpret_cast<aclOpExecutor*>(&on_stack);
  for (const Phase2 phase2 : {aclnnMaxPool2dWithIndicesBackward, aclnnMaxPool3dWithArgmaxBackward,
                              aclnnMaxUnpool3dBackward, aclnnUpsampleNearest3dBackward}) {
    EXPECT_EQ(phase2(nullptr, 0, nullptr, stream), kNullPointer);
    EXPECT_EQ(phase2(nullptr, 0, made_up, stream), kUnknownExecutor);
  }
}

TEST_F(Executors, MadeRepeatableRunAgainWithOtherAddresses) {
  const Pool2d call;
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(call.phase1(&size, &executor), 0);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), 0);
  ASSERT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), 0);

  const std::vector<float> other{10, 20, 30, 40};
  const Buffer other_grad(other.size() * sizeof(float), other.data());
  const Values<float> other_result({1, 1, 4, 4}, std::vector<float>(16, 7.0F));
  ASSERT_EQ(aclSetInputTensorAddr(executor, 0, call.grad.tensor, other_grad.address()), 0);
  ASSERT_EQ(aclSetOutputTensorAddr(executor, 0, call.result.tensor, other_result.buffer.address()), 0);
  ASSERT_EQ(aclnnMaxPool2dWithIndicesBackward(nullptr, size, executor, stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  EXPECT_EQ(call.result.read(), kCorners);
  EXPECT_EQ(other_result.read(), (std::vector<float>{10, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 40}));
}

}  // namespace
}  // namespace api_test
