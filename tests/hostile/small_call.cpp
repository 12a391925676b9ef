#include "hostile/small_call.h"

#include <array>
#include <cstring>

#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "hostile/support.h"

namespace hostile_test {
namespace {

constexpr std::array<std::int64_t, 5> kSmallDims = {1, 1, 2, 2, 2};
constexpr std::array<std::int64_t, 5> kLargeDims = {1, 1, 4, 4, 4};
constexpr std::array<float, 8> kOnes = {1, 1, 1, 1, 1, 1, 1, 1};
constexpr std::array<std::int32_t, 8> kIndices = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr std::int32_t kOutside = 999;

bool upload(void** memory, const void* content, std::size_t bytes) {
  return aclrtMalloc(memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0 &&
         aclrtMemcpy(*memory, bytes, content, bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0;
}

aclTensor* tensor(const std::array<std::int64_t, 5>& dims, aclDataType type, void* memory) {
  return aclCreateTensor(dims.data(), dims.size(), type, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, memory);
}

aclIntArray* single(std::int64_t value) { return aclCreateIntArray(&value, 1); }

template <typename T, typename Destroy>
void drop(T*& object, Destroy destroy) {
  if (object != nullptr) destroy(object);
  object = nullptr;
}

}  // namespace

bool SmallCall::make_memory() {
  return upload(&grad_memory_, kOnes.data(), sizeof(kOnes)) &&
         upload(&index_memory_, kIndices.data(), sizeof(kIndices)) &&
         aclrtMalloc(&result_memory_, kResultBytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0;
}

bool SmallCall::make_descriptors() {
  grad_ = tensor(kSmallDims, ACL_FLOAT, grad_memory_);
  self_ = tensor(kLargeDims, ACL_FLOAT, nullptr);
  indices_ = tensor(kSmallDims, ACL_INT32, index_memory_);
  result_ = tensor(kLargeDims, ACL_FLOAT, result_memory_);
  two_ = single(2);
  zero_ = single(0);
  one_ = single(1);
  return grad_ != nullptr && self_ != nullptr && indices_ != nullptr && result_ != nullptr &&
         two_ != nullptr && zero_ != nullptr && one_ != nullptr;
}

void SmallCall::destroy_descriptors() {
  for (aclTensor** each : {&grad_, &self_, &indices_, &result_}) drop(*each, aclDestroyTensor);
  for (aclIntArray** each : {&two_, &zero_, &one_}) drop(*each, aclDestroyIntArray);
}

void SmallCall::destroy() {
  destroy_descriptors();
  for (void** each : {&grad_memory_, &index_memory_, &result_memory_}) drop(*each, aclrtFree);
}

aclError SmallCall::spoil() const { return aclrtMemset(result_memory_, kResultBytes, 0xEE, kResultBytes); }

aclnnStatus SmallCall::phase1(aclTensor* result, std::uint64_t* size, aclOpExecutor** executor) const {
  return aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad_, self_, indices_, two_, two_, zero_, one_,
                                                          false, result, size, executor);
}

aclnnStatus SmallCall::queue(aclrtStream stream) const {
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (const aclnnStatus status = phase1(&size, &executor); status != 0) return status;
  return aclnnMaxPool3dWithArgmaxBackward(nullptr, size, executor, stream);
}

aclError SmallCall::run(aclrtStream stream) const {
  if (const aclError status = spoil(); status != 0) return status;
  if (const aclnnStatus status = queue(stream); status != 0) return status;
  return aclrtSynchronizeStream(stream);
}

bool SmallCall::right() const {
  std::array<float, 64> cells{};
  if (aclrtMemcpy(cells.data(), kResultBytes, result_memory_, kResultBytes, ACL_MEMCPY_DEVICE_TO_HOST) != 0) {
    if (on_gpu()) return true;  // the program was told, and has no other way to look
    std::memcpy(cells.data(), result_memory_, kResultBytes);
  }
  return right(cells.data());
}

bool SmallCall::right(const float* cells) {
  for (int i = 0; i < 64; ++i) {
    if (cells[i] != (i < 8 ? 1.0F : 0.0F)) return false;
  }
  return true;
}

aclError SmallCall::break_index(bool broken) const {
  const std::int32_t value = broken ? kOutside : kIndices[3];
  return aclrtMemcpy(static_cast<std::int32_t*>(index_memory_) + 3, sizeof(value), &value, sizeof(value),
                     ACL_MEMCPY_HOST_TO_DEVICE);
}

}  // namespace hostile_test
