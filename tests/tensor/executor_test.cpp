#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "cairn/cairn.h"
#include "tensor/fake_operator.h"

namespace cairn::test {
namespace {

using Executor = AddOneTest;
using Repeatable = AddOneTest;
using AtAddresses = AddOneTest;
using Values = std::vector<float>;

TEST_F(Executor, RunsOnce) {
  aclOpExecutor* executor = plan();
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
  expect_refused(run(executor), 561103, "aclnnAddOne: executor (");
  EXPECT_TRUE(consumed(executor));
}

TEST_F(Executor, NullIsRefused) { expect_refused(run(nullptr), 161001, "aclnnAddOne: executor is null"); }

TEST_F(Executor, OfAnotherKindIsRefused) {
  expect_refused(run(reinterpret_cast<aclOpExecutor*>(self)), 561103, "is an aclTensor");
  expect_refused(run(static_cast<aclOpExecutor*>(input->data())), 561103, "no live object");
}

TEST_F(Executor, OfAnotherOperatorIsRefusedAndKept) {
  aclOpExecutor* executor = plan();
  expect_refused(cairn_tensor_bridge().run(executor, kOther, nullptr, 0, nullptr), 561103,
                 "was made by aclnnAddOneGetWorkspaceSize, expected one of aclnnOtherGetWorkspaceSize");
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
}

TEST_F(Executor, OfAnotherOperatorIsRefusedBeforeTheWorkspaceIsLookedAt) {
  aclOpExecutor* executor = plan();
  expect_refused(cairn_tensor_bridge().run(executor, kOther, nullptr, 64, nullptr), 561103, "aclnnOther");
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(Executor, NeverRunIsDestroyed) {
  aclOpExecutor* executor = plan();
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
  expect_refused(run(executor), 561103, "no live object");
  expect_refused(aclDestroyAclOpExecutor(executor), 561000, "no live object");
}

TEST_F(Executor, DestroyingNullOrAStrangerIsRefused) {
  expect_refused(aclDestroyAclOpExecutor(nullptr), 561103, "executor is null");
  expect_refused(aclDestroyAclOpExecutor(reinterpret_cast<aclOpExecutor*>(self)), 561000, "is an aclTensor");
}

TEST_F(Executor, MakingNullOrAUsedOneRepeatableIsRefused) {
  expect_refused(aclSetAclOpExecutorRepeatable(nullptr), 561103, "executor is null");
  aclOpExecutor* executor = plan();
  EXPECT_EQ(run(executor), OK);
  expect_refused(aclSetAclOpExecutorRepeatable(executor), 561000, "no live object");
}

TEST_F(Executor, ReadsTheAddressATensorHasNow) {
  const Buffer other(16);
  other.set({10, 20, 30, 40});
  aclOpExecutor* executor = plan();
  EXPECT_EQ(aclSetRawTensorAddr(self, other.data()), OK);
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(result(), (Values{11, 21, 31, 41}));
}

TEST_F(Executor, NeedsNoDescriptorOncePhase2HasReturned) {
  EXPECT_EQ(run(plan()), OK);
  for (aclTensor** tensor : {&self, &hint, &out}) {
    EXPECT_EQ(aclDestroyTensor(*tensor), OK);
    *tensor = nullptr;
  }
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
}

TEST_F(Repeatable, RunsUntilItIsDestroyed) {
  aclOpExecutor* executor = plan();
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), OK);
  for (int i = 0; i < 3; ++i) {
    output->set({0, 0, 0, 0});
    EXPECT_EQ(run(executor), OK);
    EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
  }
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
  expect_refused(run(executor), 561103, "no live object");
}

TEST_F(Repeatable, SurvivesAFailingRun) {
  aclOpExecutor* executor = plan(64);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), OK);
  expect_refused(run(executor, nullptr, 64), 161001, "workspace is null");
  const Buffer workspace(64);
  EXPECT_EQ(run(executor, workspace.data(), 64), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(Repeatable, TakesOtherAddresses) {
  const Buffer other_input(16);
  const Buffer other_output(16);
  other_input.set({10, 20, 30, 40});
  aclOpExecutor* executor = plan();
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), OK);
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(aclSetInputTensorAddr(executor, 0, self, other_input.data()), OK);
  EXPECT_EQ(aclSetOutputTensorAddr(executor, 0, out, other_output.data()), OK);
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5})) << "the first run's output";
  EXPECT_EQ(other_output.get(4), (Values{11, 21, 31, 41}));
  EXPECT_EQ(aclSetTensorAddr(executor, 2, out, output->data()), OK);
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(result(), (Values{11, 21, 31, 41}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(Repeatable, CapitalNamesAreTheSameFunctions) {
  aclOpExecutor* executor = plan();
  void* data = nullptr;
  const auto address_of = [&](const aclTensor* tensor) {
    EXPECT_EQ(aclGetRawTensorAddr(tensor, &data), OK);
    return data;
  };
  EXPECT_EQ(AclSetTensorAddr(executor, 0, self, address(64)), OK);
  EXPECT_EQ(address_of(self), address(64));
  EXPECT_EQ(AclSetInputTensorAddr(executor, 0, self, address(128)), OK);
  EXPECT_EQ(address_of(self), address(128));
  EXPECT_EQ(AclSetOutputTensorAddr(executor, 0, out, address(192)), OK);
  EXPECT_EQ(address_of(out), address(192));
  const aclTensor* elements[] = {self};
  aclTensorList* list = aclCreateTensorList(elements, 1);
  EXPECT_EQ(AclSetDynamicTensorAddr(executor, 0, 0, list, address(256)), OK);
  EXPECT_EQ(address_of(self), address(256));
  EXPECT_EQ(AclSetDynamicInputTensorAddr(executor, 0, 0, list, address(320)), OK);
  EXPECT_EQ(address_of(self), address(320));
  EXPECT_EQ(AclSetDynamicOutputTensorAddr(executor, 0, 0, list, address(384)), OK);
  EXPECT_EQ(address_of(self), address(384));
  EXPECT_EQ(aclDestroyTensorList(list), OK);
  self = nullptr;
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(Repeatable, AnIndexOutOfRangeIsRefused) {
  aclOpExecutor* executor = plan();
  EXPECT_EQ(aclSetTensorAddr(executor, 2, out, output->data()), OK) << "self, hint, out";
  expect_refused(aclSetTensorAddr(executor, 3, out, output->data()), 161002,
                 "index is 3, but aclnnAddOne has 3 tensors");
  EXPECT_EQ(aclSetInputTensorAddr(executor, 1, hint, output->data()), OK)
      << "an unused tensor counts as an input";
  expect_refused(aclSetInputTensorAddr(executor, 2, self, input->data()), 161002, "has 2 inputs");
  expect_refused(aclSetOutputTensorAddr(executor, 1, out, output->data()), 161002, "has 1 outputs");
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(Repeatable, SettingAnAddressRefusesNullAndStaleHandles) {
  aclOpExecutor* executor = plan();
  expect_refused(aclSetTensorAddr(nullptr, 0, self, input->data()), 561103, "executor is null");
  expect_refused(aclSetTensorAddr(executor, 0, nullptr, input->data()), 561103, "tensor is null");
  expect_refused(aclSetTensorAddr(reinterpret_cast<aclOpExecutor*>(self), 0, self, input->data()), 561103,
                 "is an aclTensor");
  aclTensor* stale = make_tensor({4});
  aclDestroyTensor(stale);
  expect_refused(aclSetTensorAddr(executor, 0, stale, input->data()), 161002, "no live object");
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(Repeatable, ATensorOfAnotherCallIsRefused) {
  aclOpExecutor* executor = plan();
  aclTensor* stranger = make_tensor({4}, address(64));
  expect_refused(aclSetTensorAddr(executor, 0, stranger, input->data()), 161002,
                 "none of those that aclnnAddOne was planned with");
  void* data = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(stranger, &data), OK);
  EXPECT_EQ(data, address(64));
  aclDestroyTensor(stranger);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(Repeatable, SettingAListElementsAddressRefusesWhatIsNotThere) {
  aclOpExecutor* executor = plan();
  const aclTensor* elements[] = {self};
  aclTensorList* list = aclCreateTensorList(elements, 1);
  expect_refused(aclSetDynamicTensorAddr(nullptr, 0, 0, list, input->data()), 561103, "executor is null");
  expect_refused(aclSetDynamicTensorAddr(executor, 0, 0, nullptr, input->data()), 561103, "tensors is null");
  expect_refused(
      aclSetDynamicTensorAddr(executor, 0, 0, reinterpret_cast<aclTensorList*>(self), input->data()), 161002,
      "is an aclTensor, but must be an aclTensorList");
  expect_refused(aclSetDynamicInputTensorAddr(executor, 0, 1, list, input->data()), 161002,
                 "relativeIndex is 1, but the list has 1 tensors");
  EXPECT_EQ(aclDestroyTensorList(list), OK);
  self = nullptr;
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(AtAddresses, ComputesThereWithoutTheTensors) {
  const Buffer other_input(16);
  const Buffer other_output(16);
  other_input.set({10, 20, 30, 40});
  aclOpExecutor* executor = plan();
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), OK);
  void* const addresses[] = {other_input.data(), nullptr, other_output.data()};
  EXPECT_EQ(cairnCompute(executor, addresses, 3, nullptr, 0, nullptr), OK);
  EXPECT_EQ(other_output.get(4), (Values{11, 21, 31, 41}));
  EXPECT_EQ(run(executor), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5})) << "where the tensors have been all along";
  for (aclTensor** tensor : {&self, &hint, &out}) {
    EXPECT_EQ(aclDestroyTensor(*tensor), OK);
    *tensor = nullptr;
  }
  void* const back[] = {other_output.data(), nullptr, other_input.data()};
  EXPECT_EQ(cairnLaunch(executor, back, 3, nullptr, 0, nullptr), OK);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(other_input.get(4), (Values{12, 22, 32, 42}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

TEST_F(AtAddresses, UsesAnExecutorOnceUnlessItIsRepeatable) {
  aclOpExecutor* executor = plan();
  void* const addresses[] = {input->data(), nullptr, output->data()};
  EXPECT_EQ(cairnCompute(executor, addresses, 3, nullptr, 0, nullptr), OK);
  expect_refused(cairnCompute(executor, addresses, 3, nullptr, 0, nullptr), 561103, "no live object");
}

TEST_F(AtAddresses, RefusesWhatPhase2Would) {
  aclOpExecutor* executor = plan(64);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor), OK);
  void* const addresses[] = {input->data(), nullptr, output->data()};
  expect_refused(cairnCompute(nullptr, addresses, 3, nullptr, 0, nullptr), 161001, "executor is null");
  expect_refused(cairnLaunch(executor, nullptr, 3, nullptr, 0, nullptr), 161001, "addresses is null");
  expect_refused(cairnLaunch(executor, addresses, 2, nullptr, 0, nullptr), 161002,
                 "count is 2, but aclnnAddOne was planned with 3 tensors");
  expect_refused(cairnCompute(executor, addresses, 3, nullptr, 64, nullptr), 161001, "workspace is null");
  const Buffer workspace(64);
  void* const no_output[] = {input->data(), nullptr, nullptr};
  expect_refused(cairnCompute(executor, no_output, 3, workspace.data(), 64, nullptr), 161001,
                 "out's data address is null");
  void* const in_place[] = {input->data(), nullptr, input->data()};
  expect_refused(cairnCompute(executor, in_place, 3, workspace.data(), 64, nullptr), 161002,
                 "out overlaps self");
  EXPECT_EQ(cairnCompute(executor, addresses, 3, workspace.data(), 64, nullptr), OK);
  EXPECT_EQ(result(), (Values{2, 3, 4, 5}));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor), OK);
}

}  // namespace
}  // namespace cairn::test
