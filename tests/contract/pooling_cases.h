#pragma once

#include <algorithm>

#include "contract/rule_test.h"

// Calls of pooling and unpooling.
namespace contract_test {

// The arguments that pooling has forward and backward.
struct PoolCase : CaseBase {
  TensorSpec self;
  TensorSpec indices;
  ArraySpec kernel_size;
  ArraySpec stride;
  ArraySpec padding;
  ArraySpec dilation;
  bool ceil_mode = false;

  std::vector<ArraySpec*> arrays() { return {&kernel_size, &stride, &padding, &dilation}; }

 protected:
  PoolCase(const Dims& input, const Dims& output);
};

struct PoolProducts {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
};

struct MaxPoolBackwardCase : PoolCase, PoolProducts {
  TensorSpec grad_output;
  TensorSpec grad_input;

  std::vector<TensorSpec*> tensors() { return {&grad_output, &self, &indices, &grad_input}; }
  std::vector<TensorSpec*> outputs() { return {&grad_input}; }
  std::vector<TensorSpec*> values() { return {&grad_output, &self, &grad_input}; }
  TensorSpec& pooled() { return grad_output; }
  auto arguments() const {
    return std::tie(grad_output, self, indices, kernel_size, stride, padding, dilation, ceil_mode,
                    grad_input);
  }
  void set_shapes(const Dims& input, const Dims& output) {
    self.dims = grad_input.dims = input;
    grad_output.dims = indices.dims = output;
  }

 protected:
  MaxPoolBackwardCase(const Dims& input, const Dims& output)
      : PoolCase(input, output), grad_output{"gradOutput", output}, grad_input{"gradInput", input} {}
};

struct MaxPoolForwardCase : PoolCase, PoolProducts {
  TensorSpec out;

  std::vector<TensorSpec*> tensors() { return {&self, &out, &indices}; }
  std::vector<TensorSpec*> outputs() { return {&out, &indices}; }
  std::vector<TensorSpec*> values() { return {&self, &out}; }
  TensorSpec& pooled() { return out; }
  auto arguments() const {
    return std::tie(self, kernel_size, stride, padding, dilation, ceil_mode, out, indices);
  }
  void set_shapes(const Dims& input, const Dims& output) {
    self.dims = input;
    out.dims = indices.dims = output;
  }

 protected:
  MaxPoolForwardCase(const Dims& input, const Dims& output) : PoolCase(input, output), out{"out", output} {}
};

// Calls that every product that offers the operator accepts, each named after its operator.

struct MaxPool3dWithArgmaxBackward : MaxPoolBackwardCase {
  MaxPool3dWithArgmaxBackward() : MaxPoolBackwardCase({2, 3, 8, 8, 10}, {2, 3, 4, 4, 5}) {}
  static constexpr std::size_t kSpatial = 3;
  static constexpr auto kPhase1 = aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
};

struct MaxPool2dWithIndicesBackward : MaxPoolBackwardCase {
  MaxPool2dWithIndicesBackward() : MaxPoolBackwardCase({2, 3, 8, 10}, {2, 3, 4, 5}) {}
  static constexpr std::size_t kSpatial = 2;
  static constexpr auto kPhase1 = aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize;
};

struct MaxPool3dWithArgmax : MaxPoolForwardCase {
  MaxPool3dWithArgmax() : MaxPoolForwardCase({2, 3, 8, 8, 10}, {2, 3, 4, 4, 5}) {}
  static constexpr std::size_t kSpatial = 3;
  static constexpr auto kPhase1 = aclnnMaxPool3dWithArgmaxGetWorkspaceSize;
};

struct MaxPool2dWithIndices : MaxPoolForwardCase {
  MaxPool2dWithIndices() : MaxPoolForwardCase({2, 3, 8, 10}, {2, 3, 4, 5}) {}
  static constexpr std::size_t kSpatial = 2;
  static constexpr auto kPhase1 = aclnnMaxPool2dWithIndicesGetWorkspaceSize;
};

// The shape of a mask for so many windows.
Dims mask_dims(const Dims& kernel, Dims windows);

// Indices as a mask. Unless a test gives them a shape of its own, they have the one that belongs to the call.
template <typename Case>
struct MaskCase : Case {
  static constexpr std::size_t kSpatial = 2;
  static constexpr bool kStrictFormats = true;

  MaskCase() : Case({2, 3, 8, 10}, {2, 3, 4, 5}) {
    this->indices.type = ACL_INT8;
    this->indices.dims = usual_ = mask_dims({2, 2}, {2, 3, 4, 5});
  }
  void set_shapes(const Dims& input, const Dims& output) {
    Case::set_shapes(input, output);
    this->indices.dims = usual_;
  }
  TensorSpec mask() const {
    TensorSpec mask = this->indices;
    const Dims& windows = const_cast<MaskCase*>(this)->pooled().dims;
    const Dims& kernel = this->kernel_size.values;
    const bool usual = std::all_of(kernel.begin(), kernel.end(), [](auto k) { return k > 0 && k < 100; });
    if (mask.dims == usual_ && windows.size() > 2 && windows.size() < 5 && !kernel.empty() && usual)
      mask.dims = mask_dims(kernel, windows);
    return mask;
  }

 private:
  Dims usual_;
};

struct MaxPool2dWithMask : MaskCase<MaxPoolForwardCase> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "atlas-training",
                                           "atlas-inference"};
  static constexpr std::array kRefusing = {"ascend950", "atlas-200i-500-a2", "atlas-200-300-500"};
  static constexpr auto kPhase1 = aclnnMaxPool2dWithMaskGetWorkspaceSize;
  std::vector<TensorSpec*> outputs() { return {&out}; }
  auto arguments() const {
    return std::tuple_cat(std::tie(self, kernel_size, stride, padding, dilation, ceil_mode, out),
                          std::make_tuple(mask()));
  }
};

struct MaxPool2dWithMaskBackward : MaskCase<MaxPoolBackwardCase> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "atlas-training"};
  static constexpr std::array kRefusing = {"ascend950", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
  static constexpr auto kPhase1 = aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize;
  auto arguments() const {
    return std::tuple_cat(std::tie(grad_output, self), std::make_tuple(mask()),
                          std::tie(kernel_size, stride, padding, dilation, ceil_mode, grad_input));
  }
};

struct MaxPool : CaseBase {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950", "atlas-training"};
  static constexpr std::array kRefusing = {"atlas-inference", "atlas-200i-500-a2", "atlas-200-300-500"};
  static constexpr bool kStrictFormats = true;
  static constexpr auto kPhase1 = aclnnMaxPoolGetWorkspaceSize;

  std::vector<TensorSpec*> tensors() { return {&self, &out}; }
  std::vector<TensorSpec*> outputs() { return {&out}; }
  std::vector<TensorSpec*> values() { return {&self, &out}; }
  std::vector<ArraySpec*> arrays() { return {&kernel_shape, &strides, &pads, &dilations}; }
  auto arguments() const {
    return std::tie(self, kernel_shape, strides, auto_pad, pads, dilations, ceil_mode, out);
  }
  void set_shapes(const Dims& input, const Dims& output) {
    self.dims = input;
    out.dims = output;
  }

  TensorSpec self{"self", {2, 3, 8, 10}, ACL_FLOAT16};
  ArraySpec kernel_shape{"kernelShape", {2, 2}};
  ArraySpec strides{"strides", {2, 2}};
  std::int64_t auto_pad = 0;
  ArraySpec pads{"pads", {0, 0, 0, 0}};
  ArraySpec dilations{"dilations", {1, 1}};
  std::int64_t ceil_mode = 0;
  TensorSpec out{"out", {2, 3, 4, 5}, ACL_FLOAT16};
};

// Written for volumes: images have the same numbers without those of D.
template <std::size_t kAxes>
struct UnpoolCase : CaseBase {
  static constexpr std::size_t kSpatial = kAxes;

  static Dims cut(Dims dims) {
    if (kSpatial == 2 && dims.size() > 2) dims.erase(dims.end() - 3);
    return dims;
  }
  std::vector<ArraySpec*> arrays() {
    if (kSpatial == 2) return {&output_size};
    return {&output_size, &stride, &padding};
  }

  TensorSpec self{"self", cut({2, 3, 2, 3, 4})};
  TensorSpec indices{"indices", cut({2, 3, 2, 3, 4}), ACL_INT64};
  ArraySpec output_size{"outputSize", cut({4, 6, 8})};
  ArraySpec stride{"stride", {2, 2, 2}};
  ArraySpec padding{"padding", {0, 0, 0}};
};

template <std::size_t kAxes>
struct UnpoolBackwardCase : UnpoolCase<kAxes> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950", "atlas-training"};
  static constexpr std::array kRefusing = {"atlas-inference", "atlas-200i-500-a2", "atlas-200-300-500"};

  std::vector<TensorSpec*> tensors() { return {&grad_output, &this->self, &this->indices, &out}; }
  std::vector<TensorSpec*> outputs() { return {&out}; }
  std::vector<TensorSpec*> values() { return {&grad_output, &this->self, &out}; }
  TensorSpec& unpooled() { return grad_output; }
  TensorSpec& output() { return out; }
  void set_shapes(const Dims& pooled_dims, const Dims& unpooled_dims) {
    this->self.dims = this->indices.dims = out.dims = this->cut(pooled_dims);
    grad_output.dims = this->cut(unpooled_dims);
  }

  TensorSpec grad_output{"gradOutput", this->cut({2, 3, 4, 6, 8})};
  TensorSpec out{"out", this->cut({2, 3, 2, 3, 4})};
};

template <std::size_t kAxes>
struct UnpoolForwardCase : UnpoolCase<kAxes> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};

  std::vector<TensorSpec*> tensors() { return {&this->self, &this->indices, &out}; }
  std::vector<TensorSpec*> outputs() { return {&out}; }
  std::vector<TensorSpec*> values() { return {&this->self, &out}; }
  TensorSpec& unpooled() { return out; }
  TensorSpec& output() { return out; }
  void set_shapes(const Dims& pooled_dims, const Dims& unpooled_dims) {
    this->self.dims = this->indices.dims = this->cut(pooled_dims);
    out.dims = this->cut(unpooled_dims);
  }

  TensorSpec out{kAxes == 3 ? "outRef" : "out", this->cut({2, 3, 4, 6, 8})};
};

struct MaxUnpool3dBackward : UnpoolBackwardCase<3> {
  static constexpr auto kPhase1 = aclnnMaxUnpool3dBackwardGetWorkspaceSize;
  auto arguments() const { return std::tie(grad_output, self, indices, output_size, stride, padding, out); }
};

struct MaxUnpool3d : UnpoolForwardCase<3> {
  static constexpr auto kPhase1 = aclnnMaxUnpool3dGetWorkspaceSize;
  auto arguments() const { return std::tie(self, indices, output_size, stride, padding, out); }
};

struct MaxUnpool2dBackward : UnpoolBackwardCase<2> {
  static constexpr auto kPhase1 = aclnnMaxUnpool2dBackwardGetWorkspaceSize;
  auto arguments() const { return std::tie(grad_output, self, indices, output_size, out); }
};

struct MaxUnpool2d : UnpoolForwardCase<2> {
  static constexpr auto kPhase1 = aclnnMaxUnpool2dGetWorkspaceSize;
  auto arguments() const { return std::tie(self, indices, output_size, out); }
};

}  // namespace contract_test
