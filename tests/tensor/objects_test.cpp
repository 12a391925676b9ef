#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "tensor/bridge.h"
#include "tensor/support.h"

// What the PyTorch adapter looks up by name; no header declares them.
extern "C" {
int InitHugeMemThreadLocal(void*, bool);
void UnInitHugeMemThreadLocal(void*, bool);
void ReleaseHugeMem(void*, bool);
bool CanUsePTACache(const char*);
aclOpExecutor* PTAGetExecCache(std::uint64_t, std::uint64_t*);
aclOpExecutor* PTAFindExecCache(std::uint8_t*, std::size_t, std::uint64_t*);
}

namespace cairn::test {
namespace {

TEST(Handles, DestroyingNullSucceeds) {
  EXPECT_EQ(aclDestroyTensor(nullptr), OK);
  EXPECT_EQ(aclDestroyScalar(nullptr), OK);
  EXPECT_EQ(aclDestroyIntArray(nullptr), OK);
  EXPECT_EQ(aclDestroyFloatArray(nullptr), OK);
  EXPECT_EQ(aclDestroyBoolArray(nullptr), OK);
  EXPECT_EQ(aclDestroyTensorList(nullptr), OK);
  EXPECT_EQ(aclDestroyScalarList(nullptr), OK);
}

TEST(Handles, DestroyingTwiceIsRefused) {
  float value = 1;
  aclTensor* tensor = make_tensor({2});
  aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);
  aclIntArray* ints = aclCreateIntArray(nullptr, 0);
  aclFloatArray* floats = aclCreateFloatArray(nullptr, 0);
  aclBoolArray* bools = aclCreateBoolArray(nullptr, 0);
  aclTensorList* tensors = aclCreateTensorList(nullptr, 0);
  aclScalarList* scalars = aclCreateScalarList(nullptr, 0);
  const auto destroy_all = [&] {
    return std::array{aclDestroyTensor(tensor),     aclDestroyScalar(scalar),   aclDestroyIntArray(ints),
                      aclDestroyFloatArray(floats), aclDestroyBoolArray(bools), aclDestroyTensorList(tensors),
                      aclDestroyScalarList(scalars)};
  };
  for (const aclnnStatus status : destroy_all()) EXPECT_EQ(status, OK);
  for (const aclnnStatus status : destroy_all()) EXPECT_EQ(status, 161002);
  EXPECT_NE(recent_error().find("no live object"), std::string::npos);
}

TEST(Handles, AnIntArrayIsNotATensor) {
  aclIntArray* array = aclCreateIntArray(nullptr, 0);
  const auto* disguised = reinterpret_cast<const aclTensor*>(array);
  EXPECT_EQ(cairn_tensor_bridge().find_tensor(disguised), nullptr);
  EXPECT_STREQ(cairn_tensor_bridge().describe(disguised), "an aclIntArray");
  std::int64_t offset = 0;
  expect_refused(aclGetViewOffset(disguised, &offset), 161002, "is an aclIntArray, but must be an aclTensor");
  expect_refused(aclDestroyTensor(disguised), 161002, "is an aclIntArray");
  EXPECT_EQ(aclDestroyIntArray(array), OK) << "the wrong destroy must not have touched it";
}

TEST(Handles, AMadeUpPointerIsNotFound) {
  int local = 0;
  for (void* pointer : {static_cast<void*>(&local), address(1), address(8), address(~std::uintptr_t{0}),
                        address(0xCA50000010000000U), address(0xCA5FFFFFFFFFFFF0U)}) {
    EXPECT_EQ(cairn_tensor_bridge().find_tensor(static_cast<aclTensor*>(pointer)), nullptr);
    EXPECT_EQ(cairn_tensor_bridge().find_int_array(static_cast<aclIntArray*>(pointer)), nullptr);
    expect_refused(aclDestroyTensor(static_cast<aclTensor*>(pointer)), 161002, "no live object");
  }
}

TEST(Handles, SeveralAreFoundAtOnceWhicheverThreadMadeThem) {
  aclTensor* tensor = make_tensor({2});
  aclTensor* stale = make_tensor({2});
  aclDestroyTensor(stale);
  aclIntArray* array = nullptr;
  std::thread([&] { array = aclCreateIntArray(nullptr, 0); }).join();
  using Lookup = cairn::TensorBridge::Lookup;
  using cairn::HandleKind;
  std::array<Lookup, 5> lookups = {Lookup{tensor, HandleKind::kTensor}, Lookup{array, HandleKind::kIntArray},
                                   Lookup{stale, HandleKind::kTensor}, Lookup{array, HandleKind::kTensor},
                                   Lookup{tensor, HandleKind::kTensor}};
  cairn_tensor_bridge().find(lookups);
  EXPECT_EQ(lookups[0].found, cairn_tensor_bridge().find_tensor(tensor));
  EXPECT_EQ(lookups[1].found, cairn_tensor_bridge().find_int_array(array));
  EXPECT_EQ(lookups[2].found, nullptr);
  EXPECT_EQ(lookups[3].found, nullptr) << "it is no tensor";
  EXPECT_EQ(lookups[4].found, lookups[0].found);
  EXPECT_EQ(aclDestroyTensor(tensor), OK);
  EXPECT_EQ(aclDestroyIntArray(array), OK);
}

TEST(Handles, AStaleTensorStaysStaleWhenOthersAreCreated) {
  aclTensor* stale = make_tensor({2});
  aclDestroyTensor(stale);
  std::vector<aclTensor*> others;
  for (int i = 0; i < 200; ++i) {
    others.push_back(make_tensor({3}));
    EXPECT_NE(others.back(), stale);
  }
  EXPECT_EQ(cairn_tensor_bridge().find_tensor(stale), nullptr);
  for (aclTensor* tensor : others) EXPECT_EQ(aclDestroyTensor(tensor), OK);
}

// The stranger is refused by every function, and the message says by which.
TEST(Messages, BeginWithTheFunctionThatWasCalled) {
  void* const stranger = address(8);
  auto* tensor = static_cast<aclTensor*>(stranger);
  auto* executor = static_cast<aclOpExecutor*>(stranger);
  std::int64_t* values = nullptr;
  std::uint64_t count = 0;
  std::int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  aclDataType type = ACL_FLOAT;
  void* data = nullptr;
  const std::vector<std::pair<std::string, std::function<void()>>> calls = {
      {"aclCreateTensor",
       [] { aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr); }},
      {"aclInitTensor",
       [&] { aclInitTensor(tensor, nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr); }},
      {"aclCreateScalar", [] { aclCreateScalar(nullptr, ACL_FLOAT); }},
      {"aclCreateIntArray", [&] { aclCreateIntArray(&offset, ~std::uint64_t{0}); }},
      {"aclDestroyTensor", [&] { aclDestroyTensor(tensor); }},
      {"aclDestroyScalar", [&] { aclDestroyScalar(static_cast<aclScalar*>(stranger)); }},
      {"aclDestroyIntArray", [&] { aclDestroyIntArray(static_cast<aclIntArray*>(stranger)); }},
      {"aclDestroyFloatArray", [&] { aclDestroyFloatArray(static_cast<aclFloatArray*>(stranger)); }},
      {"aclDestroyBoolArray", [&] { aclDestroyBoolArray(static_cast<aclBoolArray*>(stranger)); }},
      {"aclDestroyTensorList", [&] { aclDestroyTensorList(static_cast<aclTensorList*>(stranger)); }},
      {"aclDestroyScalarList", [&] { aclDestroyScalarList(static_cast<aclScalarList*>(stranger)); }},
      {"aclGetViewShape", [&] { aclGetViewShape(tensor, &values, &count); }},
      {"aclGetStorageShape", [&] { aclGetStorageShape(tensor, &values, &count); }},
      {"aclGetViewStrides", [&] { aclGetViewStrides(tensor, &values, &count); }},
      {"aclGetViewOffset", [&] { aclGetViewOffset(tensor, &offset); }},
      {"aclGetFormat", [&] { aclGetFormat(tensor, &format); }},
      {"aclGetDataType", [&] { aclGetDataType(tensor, &type); }},
      {"aclGetIntArraySize", [&] { aclGetIntArraySize(static_cast<aclIntArray*>(stranger), &count); }},
      {"aclGetTensorListSize", [&] { aclGetTensorListSize(static_cast<aclTensorList*>(stranger), &count); }},
      {"aclSetRawTensorAddr", [&] { aclSetRawTensorAddr(tensor, stranger); }},
      {"aclGetRawTensorAddr", [&] { aclGetRawTensorAddr(tensor, &data); }},
      {"aclSetAclOpExecutorRepeatable", [&] { aclSetAclOpExecutorRepeatable(executor); }},
      {"aclDestroyAclOpExecutor", [&] { aclDestroyAclOpExecutor(executor); }},
      {"aclSetTensorAddr", [&] { aclSetTensorAddr(executor, 0, tensor, nullptr); }},
      {"aclSetDynamicInputTensorAddr",
       [&] { aclSetDynamicInputTensorAddr(executor, 0, 0, nullptr, nullptr); }}};
  for (const auto& [name, call] : calls) {
    call();
    const std::string message = recent_error();
    EXPECT_NE(message.find(" " + name + ": "), std::string::npos) << name << " said: " << message;
  }
}

TEST(Arrays, CopyTheirValues) {
  Sizes values = {3, -1, 4};
  aclIntArray* array = aclCreateIntArray(values.data(), 3);
  values = {0, 0, 0};
  EXPECT_EQ(*cairn_tensor_bridge().find_int_array(array), (Sizes{3, -1, 4}));
  aclDestroyIntArray(array);
  EXPECT_EQ(cairn_tensor_bridge().find_int_array(array), nullptr);
}

TEST(Arrays, KnowTheirSize) {
  const Sizes ints = {1, 2, 3};
  const float floats[] = {1, 2};
  const bool bools[] = {true, false, true, true};
  aclIntArray* int_array = aclCreateIntArray(ints.data(), 3);
  aclFloatArray* float_array = aclCreateFloatArray(floats, 2);
  aclBoolArray* bool_array = aclCreateBoolArray(bools, 4);
  std::uint64_t size = 0;
  EXPECT_EQ(aclGetIntArraySize(int_array, &size), OK);
  EXPECT_EQ(size, 3U);
  EXPECT_EQ(aclGetFloatArraySize(float_array, &size), OK);
  EXPECT_EQ(size, 2U);
  EXPECT_EQ(aclGetBoolArraySize(bool_array, &size), OK);
  EXPECT_EQ(size, 4U);
  expect_refused(aclGetIntArraySize(nullptr, &size), 161001, "array is null");
  expect_refused(aclGetIntArraySize(int_array, nullptr), 161001, "size is null");
  expect_refused(aclGetFloatArraySize(reinterpret_cast<aclFloatArray*>(int_array), &size), 161002,
                 "an aclIntArray");
  aclDestroyIntArray(int_array);
  aclDestroyFloatArray(float_array);
  aclDestroyBoolArray(bool_array);
  expect_refused(aclGetBoolArraySize(bool_array, &size), 161002, "no live object");
}

TEST(Arrays, OfNullAndASizeAreRefused) {
  EXPECT_EQ(aclCreateIntArray(nullptr, 5), nullptr);
  EXPECT_NE(recent_error().find("aclCreateIntArray: value is null, but size is 5"), std::string::npos);
  EXPECT_EQ(aclCreateFloatArray(nullptr, 1), nullptr);
  EXPECT_NE(recent_error().find("aclCreateFloatArray: value is null"), std::string::npos);
  EXPECT_EQ(aclCreateBoolArray(nullptr, 1), nullptr);
  EXPECT_NE(recent_error().find("aclCreateBoolArray: value is null"), std::string::npos);
  EXPECT_EQ(aclCreateTensorList(nullptr, 3), nullptr);
  EXPECT_NE(recent_error().find("aclCreateTensorList: value is null"), std::string::npos);
  EXPECT_EQ(aclCreateScalarList(nullptr, 3), nullptr);
  EXPECT_NE(recent_error().find("aclCreateScalarList: value is null"), std::string::npos);
}

TEST(Arrays, OfNoValuesAreEmptyObjects) {
  const std::int64_t value = 1;
  for (aclIntArray* array : {aclCreateIntArray(&value, 0), aclCreateIntArray(nullptr, 0)}) {
    ASSERT_NE(array, nullptr);
    std::uint64_t size = 9;
    EXPECT_EQ(aclGetIntArraySize(array, &size), OK);
    EXPECT_EQ(size, 0U);
    aclDestroyIntArray(array);
  }
}

TEST(Arrays, LargerThanMemoryAreRefused) {
  const std::int64_t value = 1;
  EXPECT_EQ(aclCreateIntArray(&value, std::numeric_limits<std::uint64_t>::max()), nullptr);
  EXPECT_NE(recent_error().find("size is 18446744073709551615"), std::string::npos);
}

TEST(Scalar, IsNotCreatedFromNull) {
  EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
  EXPECT_NE(recent_error().find("value is null"), std::string::npos);
}

TEST(Scalar, ReadsNoMoreThanOneValue) {
  for (int type = -1; type < 60; ++type) {
    const auto dtype = static_cast<aclDataType>(type);
    const std::size_t size =
        type >= ACL_FLOAT6_E3M2 || type < 0 ? 1 : std::max<std::size_t>(aclDataTypeSize(dtype), 1);
    const auto value =
        std::make_unique<std::byte[]>(size);  // a byte more would be seen by the address sanitizer
    aclScalar* scalar = aclCreateScalar(value.get(), dtype);
    EXPECT_NE(scalar, nullptr);
    EXPECT_EQ(aclDestroyScalar(scalar), OK);
  }
}

TEST(Lists, DestroyTheirElements) {
  const aclTensor* tensors[] = {make_tensor({1}), make_tensor({2})};
  aclTensorList* list = aclCreateTensorList(tensors, 2);
  std::uint64_t size = 0;
  EXPECT_EQ(aclGetTensorListSize(list, &size), OK);
  EXPECT_EQ(size, 2U);
  EXPECT_EQ(aclDestroyTensorList(list), OK);
  EXPECT_EQ(cairn_tensor_bridge().find_tensor(tensors[0]), nullptr);
  EXPECT_EQ(cairn_tensor_bridge().find_tensor(tensors[1]), nullptr);

  float value = 1;
  const aclScalar* scalars[] = {aclCreateScalar(&value, ACL_FLOAT)};
  aclScalarList* scalar_list = aclCreateScalarList(scalars, 1);
  EXPECT_EQ(aclGetScalarListSize(scalar_list, &size), OK);
  EXPECT_EQ(size, 1U);
  EXPECT_EQ(aclDestroyScalarList(scalar_list), OK);
  expect_refused(aclDestroyScalar(scalars[0]), 161002, "no live object");
}

TEST(Lists, SkipElementsThatAreGone) {
  const aclTensor* tensors[] = {make_tensor({1}), nullptr, make_tensor({2})};
  aclTensorList* list = aclCreateTensorList(tensors, 3);
  aclDestroyTensor(tensors[0]);
  EXPECT_EQ(aclDestroyTensorList(list), OK);
  EXPECT_EQ(cairn_tensor_bridge().find_tensor(tensors[2]), nullptr);
}

TEST(Lists, OfNoElementsAreEmptyObjects) {
  aclTensorList* list = aclCreateTensorList(nullptr, 0);
  std::uint64_t size = 9;
  EXPECT_EQ(aclGetTensorListSize(list, &size), OK);
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(aclDestroyTensorList(list), OK);
}

TEST(Init, SucceedsInAnyOrder) {
  EXPECT_EQ(aclnnInit(nullptr), OK);
  EXPECT_EQ(aclnnInit(""), OK);
  EXPECT_EQ(aclnnFinalize(), OK);
  EXPECT_EQ(aclnnFinalize(), OK);
}

TEST(PyTorchAdapter, IsToldToTakeThePathWithoutACache) {
  EXPECT_EQ(InitHugeMemThreadLocal(nullptr, false), 0);
  EXPECT_FALSE(CanUsePTACache("aclnnMaxPool3dWithArgmaxBackward"));
  std::uint64_t workspace_size = 11;
  std::uint8_t key = 0;
  EXPECT_EQ(PTAGetExecCache(1, &workspace_size), nullptr);
  EXPECT_EQ(PTAFindExecCache(&key, 1, &workspace_size), nullptr);
  EXPECT_EQ(workspace_size, 11U);
  UnInitHugeMemThreadLocal(nullptr, false);
  ReleaseHugeMem(nullptr, false);
}

// A thread that holds the table's lock at the moment of the fork must not leave it locked in the child.
TEST(Fork, HandlesLiveOnInTheChild) {
  aclTensor* tensor = make_tensor({2, 3});
  std::atomic<bool> begun{false};
  const std::jthread busy([tensor, &begun](const std::stop_token& stop) {
    std::int64_t offset = 0;
    for (; !stop.stop_requested(); begun = true) aclGetViewOffset(tensor, &offset);
  });
  // A sanitizer's malloc may be locked while a thread starts.
  while (!begun) std::this_thread::yield();
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    ASSERT_NE(child, -1);
    if (child == 0) {
      alarm(10);
      std::int64_t offset = -1;
      bool good = aclGetViewOffset(tensor, &offset) == OK && offset == 0 && aclDestroyTensor(tensor) == OK;
      for (int j = 0; j < 64; ++j) good = good && aclDestroyTensor(make_tensor({1})) == OK;
      _exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  void* data = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &data), OK) << "what the child destroys is the child's own";
}

}  // namespace
}  // namespace cairn::test
