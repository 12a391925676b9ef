#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "tensor/bridge.h"
#include "tensor/support.h"

namespace cairn::test {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

using Getter = aclnnStatus (*)(const aclTensor*, std::int64_t**, std::uint64_t*);

// What one of the array getters hands out; the memory is freed as the API says.
Sizes get(Getter getter, const aclTensor* tensor) {
  std::int64_t* values = nullptr;
  std::uint64_t count = 0;
  EXPECT_EQ(getter(tensor, &values, &count), OK);
  const std::unique_ptr<std::int64_t[]> owner(values);
  return {values, values + count};
}

// One description for the tests of aclInitTensor, of which each changes a part.
aclTensor* strided_tensor() {
  const Sizes dims = {2, 3};
  const Sizes strides = {8, 2};
  const Sizes storage = {40};
  return aclCreateTensor(dims.data(), 2, ACL_FLOAT16, strides.data(), 5, ACL_FORMAT_NCHW, storage.data(), 1,
                         address(4096));
}

TEST(Tensor, RemembersWhatItWasCreatedWith) {
  aclTensor* tensor = strided_tensor();
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(get(aclGetViewShape, tensor), (Sizes{2, 3}));
  EXPECT_EQ(get(aclGetViewStrides, tensor), (Sizes{8, 2}));
  EXPECT_EQ(get(aclGetStorageShape, tensor), (Sizes{40}));
  std::int64_t offset = 0;
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), OK);
  EXPECT_EQ(offset, 5);
  aclFormat format = ACL_FORMAT_UNDEFINED;
  EXPECT_EQ(aclGetFormat(tensor, &format), OK);
  EXPECT_EQ(format, ACL_FORMAT_NCHW);
  aclDataType type = ACL_DT_UNDEFINED;
  EXPECT_EQ(aclGetDataType(tensor, &type), OK);
  EXPECT_EQ(type, ACL_FLOAT16);
  void* data = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &data), OK);
  EXPECT_EQ(data, address(4096));
  EXPECT_EQ(aclDestroyTensor(tensor), OK);
}

TEST(Tensor, CopiesDimsAndStrides) {
  Sizes dims = {2, 3};
  Sizes strides = {3, 1};
  aclTensor* tensor = make_tensor(dims, nullptr, ACL_FLOAT, strides.data());
  dims = {7, 7};
  strides = {9, 9};
  EXPECT_EQ(get(aclGetViewShape, tensor), (Sizes{2, 3}));
  EXPECT_EQ(get(aclGetViewStrides, tensor), (Sizes{3, 1}));
  aclDestroyTensor(tensor);
}

TEST(Tensor, WithoutStridesIsContiguous) {
  aclTensor* tensor = make_tensor({2, 3, 4, 5});
  EXPECT_EQ(get(aclGetViewStrides, tensor), (Sizes{60, 20, 5, 1}));
  aclDestroyTensor(tensor);
}

TEST(Tensor, ContiguousStridesOfHugeDimsStopAtTheEndOfTheRange) {
  aclTensor* tensor = make_tensor({2, kMax, 3});
  EXPECT_EQ(get(aclGetViewStrides, tensor), (Sizes{kMax, 3, 1}));
  aclDestroyTensor(tensor);
}

TEST(Tensor, MayHaveNoDimsOrNoElements) {
  aclTensor* scalar = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
  ASSERT_NE(scalar, nullptr);
  EXPECT_EQ(get(aclGetViewShape, scalar), Sizes{});
  EXPECT_FALSE(cairn_tensor_bridge().find_tensor(scalar)->has_storage);
  aclTensor* empty = make_tensor({2, 0, 3});
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(get(aclGetViewShape, empty), (Sizes{2, 0, 3}));
  aclDestroyTensor(scalar);
  aclDestroyTensor(empty);
}

TEST(Tensor, IsNotCreatedFromNullDims) {
  const Sizes dims = {2};
  EXPECT_EQ(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims.data(), 1, nullptr),
            nullptr);
  EXPECT_NE(recent_error().find("viewDims is null"), std::string::npos);
  EXPECT_EQ(aclCreateTensor(dims.data(), 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr),
            nullptr);
  EXPECT_NE(recent_error().find("storageDims is null"), std::string::npos);
}

TEST(Tensor, HasAtMost25Dims) {
  aclTensor* tensor = make_tensor(Sizes(25, 1));
  EXPECT_NE(tensor, nullptr);
  aclDestroyTensor(tensor);
  EXPECT_EQ(make_tensor(Sizes(26, 1)), nullptr);
  EXPECT_NE(recent_error().find("viewDimsNum is 26"), std::string::npos);
  const Sizes dims(26, 1);
  EXPECT_EQ(aclCreateTensor(dims.data(), 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims.data(), 26, nullptr),
            nullptr);
  EXPECT_NE(recent_error().find("storageDimsNum is 26"), std::string::npos);
}

TEST(Tensor, IsCreatedWithAnyTypeFormatSizeAndOffset) {
  const Sizes dims = {-3};
  const auto type = static_cast<aclDataType>(55);
  const auto format = static_cast<aclFormat>(61);
  aclTensor* tensor = aclCreateTensor(dims.data(), 1, type, dims.data(), -7, format, nullptr, 0, nullptr);
  ASSERT_NE(tensor, nullptr) << "operators judge descriptions, not aclCreateTensor";
  aclDataType stored = ACL_FLOAT;
  EXPECT_EQ(aclGetDataType(tensor, &stored), OK);
  EXPECT_EQ(stored, type);
  aclDestroyTensor(tensor);
}

TEST(Tensor, GettersRefuseNull) {
  aclTensor* tensor = make_tensor({2});
  std::int64_t* values = nullptr;
  std::uint64_t count = 0;
  for (const Getter getter : {aclGetViewShape, aclGetViewStrides, aclGetStorageShape}) {
    expect_refused(getter(nullptr, &values, &count), 161001, "tensor is null");
    expect_refused(getter(tensor, nullptr, &count), 161001, " is null");
    expect_refused(getter(tensor, &values, nullptr), 161001, "Num is null");
  }
  expect_refused(aclGetViewOffset(tensor, nullptr), 161001, "offset is null");
  expect_refused(aclGetFormat(tensor, nullptr), 161001, "format is null");
  expect_refused(aclGetDataType(tensor, nullptr), 161001, "dataType is null");
  expect_refused(aclGetRawTensorAddr(tensor, nullptr), 161001, "addr is null");
  std::int64_t offset = 0;
  expect_refused(aclGetViewOffset(nullptr, &offset), 161001, "tensor is null");
  expect_refused(aclSetRawTensorAddr(nullptr, address(64)), 161001, "tensor is null");
  expect_refused(aclSetRawTensorAddr(tensor, nullptr), 161001, "addr is null");
  EXPECT_EQ(values, nullptr);
  aclDestroyTensor(tensor);
}

TEST(Tensor, TakesAnotherAddress) {
  aclTensor* tensor = make_tensor({2}, address(64));
  const auto before = cairn_tensor_bridge().find_tensor(tensor);
  EXPECT_EQ(aclSetRawTensorAddr(tensor, address(128)), OK);
  void* data = nullptr;
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &data), OK);
  EXPECT_EQ(data, address(128));
  EXPECT_EQ(before->address, address(64)) << "who holds the old description keeps it";
  aclDestroyTensor(tensor);
}

TEST(InitTensor, ReplacesTheWholeDescription) {
  aclTensor* tensor = strided_tensor();
  const Sizes dims = {4, 5, 6};
  EXPECT_EQ(aclInitTensor(tensor, dims.data(), 3, ACL_INT32, nullptr, 1, ACL_FORMAT_ND, dims.data(), 3,
                          address(64)),
            OK);
  EXPECT_EQ(get(aclGetViewShape, tensor), dims);
  EXPECT_EQ(get(aclGetViewStrides, tensor), (Sizes{30, 6, 1}));
  EXPECT_EQ(get(aclGetStorageShape, tensor), dims);
  const auto desc = cairn_tensor_bridge().find_tensor(tensor);
  EXPECT_EQ(desc->type, ACL_INT32);
  EXPECT_EQ(desc->format, ACL_FORMAT_ND);
  EXPECT_EQ(desc->offset, 1);
  EXPECT_EQ(desc->address, address(64));
  aclDestroyTensor(tensor);
}

TEST(InitTensor, KeepsDimsAndAddressThatAreNotGiven) {
  aclTensor* tensor = strided_tensor();
  EXPECT_EQ(aclInitTensor(tensor, nullptr, 0, ACL_INT16, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr), OK);
  const auto desc = cairn_tensor_bridge().find_tensor(tensor);
  EXPECT_EQ(desc->dims, (Sizes{2, 3}));
  EXPECT_EQ(desc->strides, (Sizes{8, 2}));
  EXPECT_EQ(desc->storage_dims, (Sizes{40}));
  EXPECT_TRUE(desc->has_storage);
  EXPECT_EQ(desc->address, address(4096));
  EXPECT_EQ(desc->type, ACL_INT16);
  EXPECT_EQ(desc->offset, 0);
  aclDestroyTensor(tensor);
}

TEST(InitTensor, TakesStridesForTheDimsItKeeps) {
  aclTensor* tensor = strided_tensor();
  const Sizes strides = {3, 1};
  EXPECT_EQ(
      aclInitTensor(tensor, nullptr, 2, ACL_FLOAT16, strides.data(), 0, ACL_FORMAT_ND, nullptr, 0, nullptr),
      OK);
  EXPECT_EQ(get(aclGetViewStrides, tensor), strides);
  expect_refused(
      aclInitTensor(tensor, nullptr, 1, ACL_FLOAT16, strides.data(), 0, ACL_FORMAT_ND, nullptr, 0, nullptr),
      161002, "the tensor has 2 dims");
  aclDestroyTensor(tensor);
}

TEST(InitTensor, RefusesNullStaleAndTooManyDims) {
  const Sizes dims(26, 1);
  expect_refused(
      aclInitTensor(nullptr, nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr), 161001,
      "tensor is null");
  aclTensor* tensor = make_tensor({2});
  expect_refused(
      aclInitTensor(tensor, dims.data(), 26, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr),
      161002, "viewDimsNum is 26");
  EXPECT_EQ(get(aclGetViewShape, tensor), Sizes{2});
  aclDestroyTensor(tensor);
  expect_refused(
      aclInitTensor(tensor, dims.data(), 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr),
      161002, "no live object");
}

}  // namespace
}  // namespace cairn::test
