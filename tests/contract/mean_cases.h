#pragma once

#include "contract/rule_test.h"

// Calls of mean pooling. Every product that offers an operator takes its calls as they are.
namespace contract_test {

struct MeanOnAll {
  static constexpr std::array kOffering = {"portable",  "atlas-a2",       "atlas-a3",
                                           "ascend950", "atlas-training", "atlas-inference"};
  static constexpr std::array kRefusing = {"atlas-200i-500-a2", "atlas-200-300-500"};
};
struct MeanNotTraining {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950",
                                           "atlas-inference"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-200i-500-a2", "atlas-200-300-500"};
};
struct MeanOnLarge {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
};

// Written for volumes: images have the same numbers without those of D.
template <std::size_t kAxes>
struct MeanCase : CaseBase {
  static constexpr std::size_t kSpatial = kAxes;
  static constexpr std::size_t kRank = kAxes + 2;
  static constexpr aclFormat kFormat = kAxes == 2 ? ACL_FORMAT_NCHW : ACL_FORMAT_ND;
  static constexpr aclFormat kLastFormat = kAxes == 2 ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC;

  // A shape (N,C,D,H,W).
  static Dims cut(Dims dims) {
    if (kAxes == 2) dims.erase(dims.begin() + 2);
    return dims;
  }
  // Images without N have another flag.
  static void give(TensorSpec& tensor, const Dims& dims) {
    tensor.dims = dims;
    const bool named = tensor.format == ACL_FORMAT_NCHW || tensor.format == ACL_FORMAT_NCL;
    if (kAxes == 2 && named) tensor.format = dims.size() == 3 ? ACL_FORMAT_NCL : ACL_FORMAT_NCHW;
  }
};

template <std::size_t kAxes>
struct MeanForwardCase : MeanCase<kAxes> {
  using Base = MeanCase<kAxes>;
  static constexpr bool kBackward = false;

  std::vector<TensorSpec*> tensors() { return {&self, &out}; }
  std::vector<TensorSpec*> outputs() { return {&out}; }
  std::vector<TensorSpec*> values() { return {&self, &out}; }
  TensorSpec& pooled() { return out; }
  void set_shapes(const Dims& input, const Dims& output) {
    Base::give(self, input);
    Base::give(out, output);
  }

  TensorSpec self{"self", Base::cut({2, 3, 8, 8, 10}), ACL_FLOAT, Base::kFormat};
  TensorSpec out{"out", Base::cut({2, 3, 4, 4, 5}), ACL_FLOAT, Base::kFormat};
};

template <std::size_t kAxes>
struct MeanBackwardCase : MeanCase<kAxes> {
  using Base = MeanCase<kAxes>;
  static constexpr bool kBackward = true;

  explicit MeanBackwardCase(const char* result)
      : grad_input{result, Base::cut({2, 3, 8, 8, 10}), ACL_FLOAT, Base::kFormat} {}

  std::vector<TensorSpec*> tensors() { return {&grad_output, &self, &grad_input}; }
  std::vector<TensorSpec*> outputs() { return {&grad_input}; }
  std::vector<TensorSpec*> values() { return tensors(); }
  TensorSpec& pooled() { return grad_output; }
  void set_shapes(const Dims& input, const Dims& output) {
    Base::give(self, input);
    Base::give(grad_input, input);
    Base::give(grad_output, output);
  }

  TensorSpec grad_output{"gradOutput", Base::cut({2, 3, 4, 4, 5}), ACL_FLOAT, Base::kFormat};
  TensorSpec self{"self", Base::cut({2, 3, 8, 8, 10}), ACL_FLOAT, Base::kFormat};
  TensorSpec grad_input;
};

// What those with windows have besides; the lists' names are with an s in one operator.
template <std::size_t kAxes>
struct MeanWindows {
  explicit MeanWindows(const char* stride_name = "stride", const char* padding_name = "padding")
      : stride{stride_name, Dims(kAxes, 2)}, padding{padding_name, Dims(kAxes, 0)} {}

  std::vector<ArraySpec*> arrays() { return {&kernel_size, &stride, &padding}; }

  ArraySpec kernel_size{"kernelSize", Dims(kAxes, 2)};
  ArraySpec stride;
  ArraySpec padding;
  bool ceil_mode = false;
  bool count_include_pad = true;
  std::int64_t divisor_override = 0;
  std::int8_t cube_math_type = 2;
};

struct AvgPool2d : MeanForwardCase<2>, MeanWindows<2>, MeanOnAll {
  AvgPool2d() : MeanWindows("strides", "paddings") {}
  static constexpr bool kNamesFormats = true;
  static constexpr auto kPhase1 = aclnnAvgPool2dGetWorkspaceSize;
  auto arguments() const {
    return std::tie(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override,
                    cube_math_type, out);
  }
};

struct AvgPool3d : MeanForwardCase<3>, MeanWindows<3>, MeanNotTraining {
  static constexpr auto kPhase1 = aclnnAvgPool3dGetWorkspaceSize;
  auto arguments() const {
    return std::tie(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, out);
  }
};

struct AvgPool2dBackward : MeanBackwardCase<2>, MeanWindows<2>, MeanOnAll {
  AvgPool2dBackward() : MeanBackwardCase("gradInput") {}
  static constexpr bool kNamesFormats = true;
  static constexpr auto kPhase1 = aclnnAvgPool2dBackwardGetWorkspaceSize;
  // stride may be null on some products, which has tests of its own.
  std::vector<ArraySpec*> arrays() { return {&kernel_size, &padding}; }
  auto arguments() const {
    return std::tie(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                    divisor_override, cube_math_type, grad_input);
  }
};

struct AvgPool3dBackward : MeanBackwardCase<3>, MeanWindows<3>, MeanOnLarge {
  AvgPool3dBackward() : MeanBackwardCase("output") {}
  static constexpr auto kPhase1 = aclnnAvgPool3dBackwardGetWorkspaceSize;
  auto arguments() const {
    return std::tie(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                    divisor_override, grad_input);
  }
};

template <std::size_t kAxes>
struct AdaptiveForwardCase : MeanForwardCase<kAxes> {
  std::vector<ArraySpec*> arrays() { return {&output_size}; }
  auto arguments() const { return std::tie(this->self, output_size, this->out); }

  ArraySpec output_size{"outputSize", kAxes == 2 ? Dims{4, 5} : Dims{4, 4, 5}};
};

struct AdaptiveAvgPool2d : AdaptiveForwardCase<2>, MeanOnAll {
  static constexpr bool kNamesFormats = true;
  static constexpr auto kPhase1 = aclnnAdaptiveAvgPool2dGetWorkspaceSize;
};

struct AdaptiveAvgPool3d : AdaptiveForwardCase<3>, MeanNotTraining {
  static constexpr bool kNamesFormats = true;  // one product does
  static constexpr auto kPhase1 = aclnnAdaptiveAvgPool3dGetWorkspaceSize;
};

template <std::size_t kAxes>
struct AdaptiveBackwardCase : MeanBackwardCase<kAxes>, MeanOnAll {
  AdaptiveBackwardCase() : MeanBackwardCase<kAxes>("out") {}
  std::vector<ArraySpec*> arrays() { return {}; }
  auto arguments() const { return std::tie(this->grad_output, this->self, this->grad_input); }
};

struct AdaptiveAvgPool2dBackward : AdaptiveBackwardCase<2> {
  static constexpr auto kPhase1 = aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize;
};

// One window a plane: the training product has no more.
struct AdaptiveAvgPool3dBackward : AdaptiveBackwardCase<3> {
  AdaptiveAvgPool3dBackward() { grad_output.dims = {2, 3, 1, 1, 1}; }
  static constexpr auto kPhase1 = aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize;
};

}  // namespace contract_test
