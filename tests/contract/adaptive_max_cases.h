#pragma once

#include "contract/pooling_cases.h"

// Calls of adaptive max pooling that every product that offers the operator accepts.
namespace contract_test {

template <std::size_t kAxes>
struct AdaptiveMaxCase : CaseBase, PoolProducts {
  static constexpr std::size_t kSpatial = kAxes;
  static constexpr bool kVolumes = kAxes == 3;
  static constexpr aclFormat kLast = kVolumes ? ACL_FORMAT_NDHWC : ACL_FORMAT_NHWC;

  // Written for volumes: images have the same numbers without those of D.
  static Dims cut(Dims dims) {
    if (!kVolumes) dims.erase(dims.end() - 3);
    return dims;
  }
  static Dims cut_last(Dims dims) {
    if (!kVolumes) dims.erase(dims.end() - 4);
    return dims;
  }
};

template <std::size_t kAxes>
struct AdaptiveMaxForward : AdaptiveMaxCase<kAxes> {
  using Base = AdaptiveMaxCase<kAxes>;
  static constexpr bool kNamesFormats = true;

  std::vector<TensorSpec*> tensors() { return {&self, &out, &indices}; }
  std::vector<TensorSpec*> outputs() { return {&out, &indices}; }
  std::vector<TensorSpec*> values() { return {&self, &out}; }
  std::vector<ArraySpec*> arrays() { return {&output_size}; }
  auto arguments() const { return std::tie(self, output_size, out, indices); }
  void set_shapes(const Dims& input, const Dims& output) {
    self.dims = input;
    out.dims = indices.dims = output;
  }

  static constexpr aclFormat kFormat = Base::kVolumes ? ACL_FORMAT_NCDHW : ACL_FORMAT_NCHW;
  TensorSpec self{"self", Base::cut({2, 3, 7, 8, 10}), ACL_FLOAT, kFormat};
  ArraySpec output_size{"outputSize", Base::cut({3, 4, 3})};
  TensorSpec out{"outputOut", Base::cut({2, 3, 3, 4, 3}), ACL_FLOAT, kFormat};
  TensorSpec indices{"indicesOut", Base::cut({2, 3, 3, 4, 3}), Base::kVolumes ? ACL_INT32 : ACL_INT64,
                     kFormat};
};

struct AdaptiveMaxPool2d : AdaptiveMaxForward<2> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950", "atlas-training"};
  static constexpr std::array kRefusing = {"atlas-inference", "atlas-200i-500-a2", "atlas-200-300-500"};
  static constexpr auto kPhase1 = aclnnAdaptiveMaxPool2dGetWorkspaceSize;
};

struct AdaptiveMaxPool3d : AdaptiveMaxForward<3> {
  static constexpr auto kPhase1 = aclnnAdaptiveMaxPool3dGetWorkspaceSize;
};

template <std::size_t kAxes>
struct AdaptiveMaxBackward : AdaptiveMaxCase<kAxes> {
  using Base = AdaptiveMaxCase<kAxes>;

  std::vector<TensorSpec*> tensors() { return {&grad_output, &self, &indices, &grad_input}; }
  std::vector<TensorSpec*> outputs() { return {&grad_input}; }
  std::vector<TensorSpec*> values() { return {&grad_output, &self, &grad_input}; }
  std::vector<ArraySpec*> arrays() { return {}; }
  auto arguments() const { return std::tie(grad_output, self, indices, grad_input); }
  void set_shapes(const Dims& input, const Dims& output) {
    self.dims = grad_input.dims = input;
    grad_output.dims = indices.dims = output;
  }

  TensorSpec grad_output{"gradOutput", Base::cut({2, 3, 3, 4, 3})};
  TensorSpec self{"self", Base::cut({2, 3, 7, 8, 10})};
  TensorSpec indices{"indices", Base::cut({2, 3, 3, 4, 3}), ACL_INT32};
  TensorSpec grad_input{"gradInput", Base::cut({2, 3, 7, 8, 10})};
};

struct AdaptiveMaxPool2dBackward : AdaptiveMaxBackward<2> {
  static constexpr auto kPhase1 = aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize;
};

struct AdaptiveMaxPool3dBackward : AdaptiveMaxBackward<3> {
  static constexpr auto kPhase1 = aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize;
};

template <typename Case>
constexpr bool kForward = requires(Case call) {
  call.output_size;
};

// Shapes with C last, of both ranks.
template <typename Case>
void set_last(Case& call, bool whole) {
  set_format(call, Case::kLast);
  call.indices.format = Case::kLast;
  Dims input = Case::cut_last({2, 7, 8, 10, 3});
  Dims output = Case::cut_last({2, 3, 4, 3, 3});
  if (!whole) {
    input.erase(input.begin());
    output.erase(output.begin());
  }
  call.set_shapes(input, output);
}

}  // namespace contract_test
