#pragma once

#include <cstdint>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

namespace hostile_test {

// A pooling gradient of eight ones that go to the first eight of 64 cells. It owns device memory and
// descriptors, and uses no container, no exception and no test macro, so that it works where memory is short,
// threads are cancelled or the process is ending.
class SmallCall {
 public:
  SmallCall() = default;
  SmallCall(const SmallCall&) = delete;
  SmallCall& operator=(const SmallCall&) = delete;
  ~SmallCall() { destroy(); }

  // Memory and descriptors; false when anything was refused, and then destroy() may be called.
  bool make() { return make_memory() && make_descriptors(); }
  bool make_memory();
  bool make_descriptors();
  void destroy();
  void destroy_descriptors();

  // Marks the result as not computed.
  aclError spoil() const;
  aclnnStatus phase1(std::uint64_t* size, aclOpExecutor** executor) const {
    return phase1(result_, size, executor);
  }
  // With another tensor as gradInput.
  aclnnStatus phase1(aclTensor* result, std::uint64_t* size, aclOpExecutor** executor) const;
  aclnnStatus queue(aclrtStream stream) const;
  // Spoils, queues and synchronises; the first status that is not 0.
  aclError run(aclrtStream stream) const;
  // Whether the result lies in device memory. A copy that is refused, as it may be when the process is
  // ending, is made by hand.
  bool right() const;
  static bool right(const float* cells);
  // Turns one index into one outside the plane, or back.
  aclError break_index(bool broken) const;

  void* grad_memory() const { return grad_memory_; }
  void* result_memory() const { return result_memory_; }
  static constexpr std::size_t kResultBytes = 64 * sizeof(float);

 private:
  void* grad_memory_ = nullptr;
  void* index_memory_ = nullptr;
  void* result_memory_ = nullptr;
  aclTensor* grad_ = nullptr;
  aclTensor* self_ = nullptr;
  aclTensor* indices_ = nullptr;
  aclTensor* result_ = nullptr;
  aclIntArray* two_ = nullptr;
  aclIntArray* zero_ = nullptr;
  aclIntArray* one_ = nullptr;
};

}  // namespace hostile_test
