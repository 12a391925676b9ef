#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/kernel.h"
#include "common/view.h"
#include "contract/fake_bridges.h"

// What a phase 1 that succeeds leaves behind: the plan, the tensors and how they are used. The bridges are
// the test's own, so that it can look into the call.
namespace contract_test {

using cairn::Access;
using cairn::Size3;
using cairn::TensorDesc;
using cairn::View5;

class Plans : public testing::Test {
 protected:
  Plans() {
    tensors = {};
    runtime = {};
    unsetenv("CAIRN_PRODUCT");
  }
  ~Plans() override { unsetenv("CAIRN_PRODUCT"); }

  aclTensor* tensor(const Dims& dims, const Dims& strides, aclDataType type = ACL_FLOAT,
                    aclFormat format = ACL_FORMAT_ND, std::int64_t offset = 0) {
    TensorDesc desc;
    desc.dims = dims;
    desc.strides = strides;
    desc.type = type;
    desc.format = format;
    desc.offset = offset;
    return tensors.add(std::move(desc));
  }

  // Dense, channels first.
  aclTensor* tensor(const Dims& dims, aclDataType type = ACL_FLOAT, aclFormat format = ACL_FORMAT_ND) {
    Dims strides(dims.size(), 1);
    for (std::size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
    return tensor(dims, strides, type, format);
  }

  aclIntArray* array(const Dims& values) { return tensors.add(values); }

  template <typename Plan>
  Plan plan() const {
    Plan result;
    EXPECT_EQ(tensors.planned->plan.size(), sizeof(Plan));
    __builtin_memcpy(&result, tensors.planned->plan.data(), sizeof(Plan));
    return result;
  }

  // The plan with these storage bases in the places of the tensors.
  template <typename Plan>
  Plan bound(std::initializer_list<void*> addresses) const {
    Plan result = plan<Plan>();
    tensors.planned->bind(&result, addresses.begin(), nullptr);
    return result;
  }

  std::uint64_t workspace_size = 99;
  aclOpExecutor* executor = nullptr;
};

// Of a pooling, forward or backward.
class PoolPlans : public Plans {
 protected:
  struct Windows {
    Dims kernel_size, stride, padding, dilation;
    bool ceil_mode = false;
  };
};

inline void expect_size(const Size3& size, std::int64_t d, std::int64_t h, std::int64_t w) {
  EXPECT_EQ(size.d, d);
  EXPECT_EQ(size.h, h);
  EXPECT_EQ(size.w, w);
}

template <typename Plan>
void expect_windows(const Plan& plan, const Dims& kernel, const Dims& stride, const Dims& padding,
                    const Dims& dilation) {
  expect_size(plan.kernel, kernel[0], kernel[1], kernel[2]);
  expect_size(plan.stride, stride[0], stride[1], stride[2]);
  expect_size(plan.padding, padding[0], padding[1], padding[2]);
  expect_size(plan.dilation, dilation[0], dilation[1], dilation[2]);
}

template <typename Plan>
void expect_planes(const Plan& plan, std::int64_t n, std::int64_t c) {
  EXPECT_EQ(plan.n, n);
  EXPECT_EQ(plan.c, c);
}

inline void expect_view(const View5& view, const Dims& strides, std::int64_t offset) {
  EXPECT_EQ((Dims{view.n, view.c, view.d, view.h, view.w}), strides);
  EXPECT_EQ(view.offset, offset);
}

inline void expect_uses(const Dims& accesses, const std::vector<std::string>& names) {
  const auto& uses = tensors.planned->tensors;
  ASSERT_EQ(uses.size(), names.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    EXPECT_EQ(uses[i].argument, names[i]);
    EXPECT_EQ(static_cast<std::int64_t>(uses[i].access), accesses[i]);
    EXPECT_EQ(uses[i].desc, tensors.find_tensor(uses[i].tensor));
  }
}

inline constexpr auto kRead = static_cast<std::int64_t>(Access::kRead);
inline constexpr auto kGather = static_cast<std::int64_t>(Access::kGather);
inline constexpr auto kWrite = static_cast<std::int64_t>(Access::kWrite);
inline constexpr auto kUnused = static_cast<std::int64_t>(Access::kUnused);

}  // namespace contract_test
