#pragma once

#include "aclnnop/aclnn_ops_cv.h"
#include "api/values.h"

// Calls of nearest upsampling and its gradients, whatever scales an operator has.
namespace api_test {

using Dims = std::vector<std::int64_t>;

// The two functions of an operator, as the calls below take them.
#define UPSAMPLE(name) aclnnUpsample##name##GetWorkspaceSize, aclnnUpsample##name

template <typename Plan, typename... Scales>
Outcome upsample(Plan* plan, Phase2 phase2, aclTensor* self, const Dims& output_size, aclTensor* out,
                 aclrtStream stream, Scales... scales) {
  const IntArray sizes(output_size);
  return run([&](std::uint64_t* size,
                 aclOpExecutor** executor) { return plan(self, sizes, scales..., out, size, executor); },
             phase2, stream);
}

template <typename Plan, typename... Scales>
Outcome upsample_backward(Plan* plan, Phase2 phase2, aclTensor* gradient, const Dims& output_size,
                          const Dims& input_size, aclTensor* result, aclrtStream stream, Scales... scales) {
  const IntArray large(output_size);
  const IntArray small(input_size);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return plan(gradient, large, small, scales..., result, size, executor);
      },
      phase2, stream);
}

// Only phase 1, of tensors without memory.
template <typename Plan, typename... Scales>
aclnnStatus status_of(Plan* plan, Phase2 /*phase2*/, const TensorSpec& self, const Dims& output_size,
                      const TensorSpec& out, Scales... scales) {
  const Tensor small(self, nullptr);
  const Tensor large(out, nullptr);
  const IntArray sizes(output_size);
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus status = plan(small, sizes, scales..., large, &size, &executor);
  if (status == 0) aclDestroyAclOpExecutor(executor);
  return status;
}

template <typename Plan, typename... Scales>
aclnnStatus backward_status_of(Plan* plan, Phase2 /*phase2*/, const TensorSpec& gradient,
                               const Dims& output_size, const Dims& input_size, const TensorSpec& result,
                               Scales... scales) {
  const Tensor large(gradient, nullptr);
  const Tensor small(result, nullptr);
  const IntArray outputs(output_size);
  const IntArray inputs(input_size);
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus status = plan(large, outputs, inputs, scales..., small, &size, &executor);
  if (status == 0) aclDestroyAclOpExecutor(executor);
  return status;
}

// Chooses a product until the object goes.
class OnProduct {
 public:
  explicit OnProduct(const char* name) { setenv("CAIRN_PRODUCT", name, 1); }
  OnProduct(const OnProduct&) = delete;
  OnProduct& operator=(const OnProduct&) = delete;
  ~OnProduct() { unsetenv("CAIRN_PRODUCT"); }
};

}  // namespace api_test
