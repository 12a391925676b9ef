#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "cairn/cairn.h"
#include "tensor/fake_operator.h"

namespace cairn::test {
namespace {

using Phase2 = AddOneTest;
using Values = std::vector<float>;

void reset(aclTensor*& tensor, aclTensor* other) {
  aclDestroyTensor(tensor);
  tensor = other;
}

TEST_F(Phase2, HandsTheWorkspaceToTheKernel) {
  const Buffer workspace(64);
  EXPECT_EQ(run(plan(32), workspace.data(), 64), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
  std::vector<std::uint8_t> bytes(64);
  EXPECT_EQ(aclrtMemcpy(bytes.data(), 64, workspace.data(), 64, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_EQ(bytes[31], 7);
  EXPECT_EQ(bytes[32], 0) << "more than was asked for stays untouched";
}

TEST_F(Phase2, AWorkspaceThatNobodyNeedsIsNotLookedAt) {
  EXPECT_EQ(run(plan(), address(3), 5), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
}

TEST_F(Phase2, ANullWorkspaceOfSomeSizeIsRefused) {
  expect_refused_and_consumed(plan(64), 161001, "workspace is null, but workspaceSize is 64", nullptr, 64);
  expect_refused_and_consumed(plan(), 161001, "workspace is null", nullptr, 1);
}

TEST_F(Phase2, AWorkspaceSmallerThanAskedForIsRefused) {
  const Buffer workspace(64);
  expect_refused_and_consumed(plan(64), 161002, "workspaceSize is 63, but phase 1 asked for 64",
                              workspace.data(), 63);
  expect_refused_and_consumed(plan(64), 161002, "workspaceSize is 0", nullptr, 0);
}

TEST_F(Phase2, AWorkspaceLargerInNameThanItsMemoryIsRefused) {
  const Buffer workspace(64);
  expect_refused_and_consumed(plan(4096), 161002, "workspace reaches ", workspace.data(), 4096);
  expect_refused_and_consumed(plan(std::numeric_limits<std::uint64_t>::max()), 161002,
                              "end of the address space", workspace.data(),
                              std::numeric_limits<std::uint64_t>::max());
}

TEST_F(Phase2, AMisalignedWorkspaceIsRefused) {
  const Buffer workspace(128);
  expect_refused_and_consumed(plan(64), 161002, "is not aligned to 16 bytes", workspace.data(8), 64);
}

TEST_F(Phase2, AWorkspaceInsideATensorIsRefused) {
  const Buffer shared(256);
  reset(self, make_tensor({4}, shared.data(32)));
  expect_refused_and_consumed(plan(64), 161002, "workspace overlaps self", shared.data(), 64);
  expect_refused_and_consumed(plan(16), 161002, "workspace overlaps out", output->data(), 16);
  EXPECT_EQ(run(plan(32), shared.data(), 32), OK) << "side by side";
  EXPECT_EQ(run(plan(64), shared.data(48), 64), OK) << "side by side";
}

TEST_F(Phase2, ATensorDestroyedSincePhase1IsRefused) {
  aclOpExecutor* executor = plan();
  reset(self, nullptr);
  expect_refused_and_consumed(executor, 161002, "self ");
}

TEST_F(Phase2, AnUnusedTensorMayBeGone) {
  aclOpExecutor* executor = plan();
  reset(hint, nullptr);
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
}

TEST_F(Phase2, ANullAddressThatIsReadOrWrittenIsRefused) {
  reset(self, make_tensor({4}));
  expect_refused_and_consumed(plan(), 161001, "self's data address is null, but its elements are read");
  reset(self, make_tensor({4}, input->data()));
  reset(out, make_tensor({4}));
  expect_refused_and_consumed(plan(), 161001, "out's data address is null, but its elements are written");
}

TEST_F(Phase2, ANullAddressOfAnEmptyViewIsFine) {
  reset(self, make_tensor({0, 4}));
  reset(out, make_tensor({0, 4}));
  EXPECT_EQ(run(plan()), OK);
}

TEST_F(Phase2, AViewThatReachesPastItsMemoryIsRefused) {
  reset(self, make_tensor({1000}, input->data()));
  aclOpExecutor* executor = plan();
  const aclnnStatus status = run(executor);
  EXPECT_EQ(status, 161002);
  const std::string message = recent_error();
  EXPECT_NE(message.find("self reaches "), std::string::npos) << message;
  EXPECT_NE(message.find(" bytes past the end of its device memory"), std::string::npos) << message;
  EXPECT_TRUE(consumed(executor));
}

TEST_F(Phase2, HowFarAViewReachesPastItsMemoryIsCountedFromItsUsableSize) {
  // One byte asked for is at least four usable ones: a program may read its one INT32 from there.
  const Buffer tiny(1);
  reset(self, make_tensor({1}, tiny.data()));
  reset(out, make_tensor({1}, output->data()));
  EXPECT_EQ(run(plan()), OK);
  EXPECT_EQ(result()[0], 1.0F) << "device memory begins as zeros";

  std::size_t past = 0;
  for (std::int64_t floats = 1; past == 0 && floats < 1000; ++floats) {
    reset(self, make_tensor({floats}, tiny.data()));
    if (run(plan()) == OK) continue;
    const std::string message = recent_error();
    ASSERT_NE(message.find("self reaches "), std::string::npos) << message;
    past = std::stoul(message.substr(message.find("self reaches ") + 13));
  }
  EXPECT_EQ(past, 4U) << "the first float that does not fit ends four bytes past the end";
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

TEST_F(Phase2, AnOffsetBeyondTheMemoryIsRefused) {
  reset(self, make_tensor({4}, input->data(), ACL_FLOAT, nullptr, 1 << 20));
  expect_refused_and_consumed(plan(), 161002, "self reaches ");
}

TEST_F(Phase2, AViewPastTheEndOfTheAddressSpaceIsRefused) {
  reset(self, make_tensor({4}, address(~std::uintptr_t{0} - 7)));
  expect_refused_and_consumed(plan(), 161002, "self reaches past the end of the address space");
}

TEST_F(Phase2, HostMemoryIsRefusedOnADeviceStream) {
  std::vector<float> values = {5, 6, 7, 8};
  reset(self, make_tensor({4}, values.data()));
  expect_refused_and_consumed(plan(), 161002, "is host memory, expected memory of aclrtMalloc");
}

TEST_F(Phase2, HostMemoryIsTakenOnTrustOnACpuStream) {
  std::vector<float> values = {5, 6, 7, 8};
  reset(self, make_tensor({4}, values.data()));
  aclrtStream stream = nullptr;
  ASSERT_EQ(cairnCreateCpuStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(run(plan(), nullptr, 0, stream), OK);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(result(), (Values{6, 7, 8, 9}));
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(Phase2, MemoryThatBeginsBeforeItsBlockIsRefused) {
  reset(self, make_tensor({4}, address(reinterpret_cast<std::uintptr_t>(input->data()) - 8)));
  // What lies before it is another block, which it runs out of, or nothing.
  expect_refused_and_consumed(plan(), 161002, "device memory");
}

TEST_F(Phase2, AMisalignedAddressIsRefused) {
  const Buffer bytes(64);
  reset(self, make_tensor({4}, bytes.data(2)));
  expect_refused_and_consumed(plan(), 161002, "is not aligned to its 4-byte elements");
}

TEST_F(Phase2, AnOutputThatOverlapsAnInputIsRefused) {
  reset(self, make_tensor({4}, output->data()));
  expect_refused_and_consumed(plan(), 161002, "out overlaps self in memory");
  const Buffer shared(64);
  reset(self, make_tensor({4}, shared.data()));
  reset(out, make_tensor({4}, shared.data(12)));
  aclOpExecutor* executor = plan();
  expect_refused(run(executor), 161002, "out overlaps self in memory");
}

TEST_F(Phase2, AnOutputMayTouchAnInputWithoutOverlap) {
  const Buffer shared(64);
  reset(self, make_tensor({4}, shared.data()));
  reset(out, make_tensor({4}, shared.data(16)));
  EXPECT_EQ(run(plan()), OK);
}

TEST_F(Phase2, InterleavedViewsOfOneBufferAreAccepted) {
  const Buffer shared(64);
  const std::int64_t two = 2;
  reset(self, make_tensor({4}, shared.data(), ACL_FLOAT, &two, 0));
  reset(out, make_tensor({4}, shared.data(), ACL_FLOAT, &two, 1));
  EXPECT_EQ(run(plan()), OK);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

TEST_F(Phase2, AnOutputMayOverlapAnUnusedInput) {
  reset(hint, make_tensor({4}, output->data()));
  EXPECT_EQ(run(plan()), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
}

TEST_F(Phase2, TwoOutputsThatOverlapAreRefused) {
  PlannedCall call = add_one_call(self, hint, out);
  call.tensors.push_back(use("second", out, Access::kWrite));
  aclOpExecutor* executor = cairn_tensor_bridge().create_executor(std::move(call));
  expect_refused(run(executor), 161002, "out overlaps second in memory");
}

TEST_F(Phase2, TwoInputsMayBeOne) {
  PlannedCall call = add_one_call(self, hint, out);
  call.tensors.push_back(use("second", self, Access::kRead));
  EXPECT_EQ(run(cairn_tensor_bridge().create_executor(std::move(call))), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
}

TEST_F(Phase2, AnEmptyCallQueuesNothing) {
  PlannedCall call = add_one_call(self, hint, out);
  call.empty = true;
  aclOpExecutor* executor = cairn_tensor_bridge().create_executor(std::move(call));
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(result(), (Values{-1, -1, -1, -1}));
  EXPECT_TRUE(consumed(executor));
}

TEST_F(Phase2, AStreamThatIsGoneIsARuntimeError) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  aclOpExecutor* executor = plan();
  expect_refused(run(executor, nullptr, 0, stream), 361001,
                 "aclnnAddOne: could not be queued (aclError 107017)");
  EXPECT_TRUE(consumed(executor));
  EXPECT_EQ(result(), (Values{-1, -1, -1, -1}));
}

TEST(Phase2WithoutADevice, IsARuntimeError) {
  std::vector<float> values(8);
  aclTensor* self = make_tensor({4}, values.data());
  aclTensor* out = make_tensor({4}, values.data() + 4);
  aclOpExecutor* executor = cairn_tensor_bridge().create_executor(add_one_call(self, self, out));
  ASSERT_NE(executor, nullptr) << "phase 1 needs no device";
  EXPECT_EQ(run(executor), 361001);
  const std::string message = recent_error();
  EXPECT_NE(message.find("(aclError 107002)"), std::string::npos) << message;
  EXPECT_NE(message.find("aclrtSetDevice"), std::string::npos) << "the runtime's own reason: " << message;
  EXPECT_TRUE(consumed(executor));
  aclDestroyTensor(self);
  aclDestroyTensor(out);
}

}  // namespace
}  // namespace cairn::test
