#include "cuda/large.h"

#include <gtest/gtest.h>

#include <functional>

#include "backend/candidate_choice.h"
#include "conformance/subjects.h"
#include "cuda/device.h"
#include "cuda/gpu.h"

// The CUDA candidates over tensors of more than 2^31 elements, in many planes and in one.
namespace cuda_test {
namespace {

using conformance::Case;
using conformance::Role;
using conformance::TensorArgument;
using Numbers = std::vector<std::int64_t>;

class CudaPast2To31 : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_expected()) GTEST_SKIP() << kNoGpu;
    std::size_t free = 0;
    std::size_t total = 0;
    expect(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (free >> 30 < 16) GTEST_SKIP() << "needs 16 GiB of free memory, there are " << (free >> 30);
  }
};

// The call with the candidate that such a call gets, followed by `check`, which counts cells that are wrong.
// Others could take it too, but may look at every window for each part of a plane.
class Caller {
 public:
  // `addresses` by argument.
  void run(const Case& it, const std::vector<void*>& addresses,
           const std::function<void(unsigned long long* wrong, cudaStream_t stream)>& check) {
    std::vector<reference::View> views(it.arguments.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      const auto* tensor = std::get_if<TensorArgument>(&it.arguments[i]);
      if (tensor != nullptr && tensor->role != Role::kShape)
        views[i] = view_of(it, i, static_cast<unsigned char*>(addresses[i]));
    }
    conformance::PlanBytes plan;
    it.subject->cases->plan(it, views, plan);
    const auto family = static_cast<std::size_t>(it.subject->cases->family);
    cairn::Choice choice;
    const auto& candidate = cairn::choose(cairn::cuda::candidates_of(family), plan.get(), choice);
    expect(cudaMemsetAsync(counter_.data(), 0, counter_.size(), stream_.get()), "cudaMemsetAsync");
    soil(it, views);
    stream_.run(candidate, plan.get());
    check(reinterpret_cast<unsigned long long*>(counter_.data()), stream_.get());
    stream_.synchronise();
    expect(cudaGetLastError(), candidate.name);
    unsigned long long wrong = 0;
    expect(cudaMemcpy(&wrong, counter_.data(), sizeof(wrong), cudaMemcpyDeviceToHost), "cudaMemcpy");
    EXPECT_EQ(wrong, 0U) << "cells, candidate " << candidate.name << " of " << describe(it);
    EXPECT_FALSE(stream_.take_fault().has_value()) << candidate.name << " of " << describe(it);
  }
  cudaStream_t stream() const { return stream_.get(); }

 private:
  // So that a cell left unwritten is seen.
  void soil(const Case& it, const std::vector<reference::View>& views) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      const auto* tensor = std::get_if<TensorArgument>(&it.arguments[i]);
      if (tensor == nullptr || tensor->role != Role::kOutput) continue;
      const auto bytes = static_cast<std::size_t>(views[i].count() * size_of(views[i].type));
      expect(cudaMemsetAsync(views[i].origin, 0xa5, bytes, stream_.get()), "cudaMemsetAsync");
    }
  }

  Stream stream_;
  DeviceMemory counter_{sizeof(unsigned long long)};
};

template <typename Index>
void check_forwards(const Shape& shape, aclDataType index_type) {
  const auto cells = static_cast<std::size_t>(shape.cells());
  const auto windows = static_cast<std::size_t>(shape.windows());
  const DeviceMemory self(cells * sizeof(Half));
  const DeviceMemory out(cells * sizeof(Half));
  const DeviceMemory values(windows * sizeof(Half));
  const DeviceMemory indices(windows * sizeof(Index));
  auto* whole = reinterpret_cast<Half*>(self.data());
  auto* result = reinterpret_cast<Half*>(out.data());
  auto* found = reinterpret_cast<Half*>(values.data());
  auto* places = reinterpret_cast<Index*>(indices.data());
  Caller caller;
  fill_cells(whole, shape.cells(), caller.stream());

  const Numbers large{1, shape.planes, shape.d, shape.h, shape.w};
  const Numbers small{1, shape.planes, shape.d / 2, shape.h / 2, shape.w / 2};
  const Numbers size{shape.d, shape.h, shape.w};
  const Numbers two{2, 2, 2};
  const Numbers zero{0, 0, 0};
  const Numbers one{1, 1, 1};
  const auto read = [](const auto& dims, aclDataType type) {
    return TensorArgument{Role::kInput, {dims, type}};
  };
  const auto written = [](const auto& dims, aclDataType type) {
    return TensorArgument{Role::kOutput, {dims, type}};
  };

  const Case pool{&conformance::subject_named("aclnnMaxPool3dWithArgmax"),
                  {read(large, ACL_FLOAT16), two, two, zero, one, false, written(small, ACL_FLOAT16),
                   written(small, index_type)}};
  caller.run(pool, {whole, nullptr, nullptr, nullptr, nullptr, nullptr, found, places},
             [&](auto* wrong, auto stream) { check_pool(whole, found, places, shape, wrong, stream); });

  const Case unpool{
      &conformance::subject_named("aclnnMaxUnpool3d"),
      {read(small, ACL_FLOAT16), read(small, index_type), size, two, zero, written(large, ACL_FLOAT16)}};
  caller.run(unpool, {found, places, nullptr, nullptr, nullptr, result},
             [&](auto* wrong, auto stream) { check_unpool(result, found, places, shape, wrong, stream); });

  const Case upsample{&conformance::subject_named("aclnnUpsampleNearest3d"),
                      {read(small, ACL_FLOAT16), size, 0.0, 0.0, 0.0, written(large, ACL_FLOAT16)}};
  caller.run(upsample, {found, nullptr, nullptr, nullptr, nullptr, result},
             [&](auto* wrong, auto stream) { check_upsample(result, found, shape, wrong, stream); });
}

TEST_F(CudaPast2To31, ForwardsAreRightInManyPlanes) {
  check_forwards<std::int32_t>({1040, 128, 128, 128}, ACL_INT32);
}

TEST_F(CudaPast2To31, ForwardsAreRightInOnePlane) {
  check_forwards<std::int64_t>({1, 1300, 1290, 1290}, ACL_INT64);
}

}  // namespace
}  // namespace cuda_test
