#pragma once

#include "aclnnop/aclnn_ops_nn.h"
#include "api/values.h"

// Calls of mean pooling over values on the device, FLOAT unless a type is given.
namespace api_test {

using Dims = std::vector<std::int64_t>;
using Floats = std::vector<float>;

struct MeanWindow {
  Dims kernel;
  Dims stride{};
  Dims padding{0};
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::int64_t divisor = 0;
  std::int8_t cube_math_type = 0;
};

inline Outcome avg_pool(const Tensor& self, const MeanWindow& by, const Tensor& out, aclrtStream stream,
                        bool volumes = false) {
  const IntArray kernel(by.kernel), stride(by.stride), padding(by.padding);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        if (volumes)
          return aclnnAvgPool3dGetWorkspaceSize(self, kernel, stride, padding, by.ceil_mode,
                                                by.count_include_pad, by.divisor, out, size, executor);
        return aclnnAvgPool2dGetWorkspaceSize(self, kernel, stride, padding, by.ceil_mode,
                                              by.count_include_pad, by.divisor, by.cube_math_type, out, size,
                                              executor);
      },
      volumes ? aclnnAvgPool3d : aclnnAvgPool2d, stream);
}

inline Outcome avg_pool_backward(const Tensor& grad, const Tensor& self, const MeanWindow& by,
                                 const Tensor& out, aclrtStream stream, bool volumes = false) {
  const IntArray kernel(by.kernel), stride(by.stride), padding(by.padding);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        if (volumes)
          return aclnnAvgPool3dBackwardGetWorkspaceSize(grad, self, kernel, stride, padding, by.ceil_mode,
                                                        by.count_include_pad, by.divisor, out, size,
                                                        executor);
        return aclnnAvgPool2dBackwardGetWorkspaceSize(grad, self, kernel, stride, padding, by.ceil_mode,
                                                      by.count_include_pad, by.divisor, by.cube_math_type,
                                                      out, size, executor);
      },
      volumes ? aclnnAvgPool3dBackward : aclnnAvgPool2dBackward, stream);
}

inline Outcome adaptive_pool(const Tensor& self, const Dims& output_size, const Tensor& out,
                             aclrtStream stream) {
  const IntArray sizes(output_size);
  const bool volumes = output_size.size() == 3;
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return volumes ? aclnnAdaptiveAvgPool3dGetWorkspaceSize(self, sizes, out, size, executor)
                       : aclnnAdaptiveAvgPool2dGetWorkspaceSize(self, sizes, out, size, executor);
      },
      volumes ? aclnnAdaptiveAvgPool3d : aclnnAdaptiveAvgPool2d, stream);
}

inline Outcome adaptive_pool_backward(const Tensor& grad, const Tensor& self, const Tensor& out,
                                      aclrtStream stream, bool volumes = false) {
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return volumes ? aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize(grad, self, out, size, executor)
                       : aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(grad, self, out, size, executor);
      },
      volumes ? aclnnAdaptiveAvgPool3dBackward : aclnnAdaptiveAvgPool2dBackward, stream);
}

}  // namespace api_test
