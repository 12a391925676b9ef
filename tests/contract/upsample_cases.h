#pragma once

#include "contract/rule_test.h"

namespace contract_test {

// Which products offer an operator.
struct SixProducts {
  static constexpr std::array kOffering = {"portable",  "atlas-a2",       "atlas-a3",
                                           "ascend950", "atlas-training", "atlas-inference"};
  static constexpr std::array kRefusing = {"atlas-200i-500-a2", "atlas-200-300-500"};
};
struct ExactProducts {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950",
                                           "atlas-inference"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-200i-500-a2", "atlas-200-300-500"};
};
struct ExactBackwardProducts {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
};

// Written for volumes: images have the same numbers without those of D, lines without those of D and H. Every
// product that offers an operator takes its calls as they are.
template <std::size_t kAxes, typename Scale>
struct UpsampleCase : CaseBase {
  static constexpr std::size_t kSpatial = kAxes;
  static constexpr std::size_t kRank = kAxes + 2;
  static constexpr aclDataType kType = kAxes == 3 ? ACL_FLOAT : ACL_FLOAT16;
  static constexpr std::array kFlags = {ACL_FORMAT_NCL, ACL_FORMAT_NCHW, ACL_FORMAT_ND};
  static constexpr aclFormat kFormat = kFlags[kAxes - 1];
  static constexpr aclFormat kLastFormat = kAxes == 2 ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC;
  static constexpr bool kNamesFormats = kAxes < 3;  // some product does

  // A shape (N,C,D,H,W) or a list (D,H,W).
  static Dims cut(Dims dims) {
    const auto first = dims.begin() + (dims.size() == 5 ? 2 : 0);
    dims.erase(first, first + (3 - kAxes));
    return dims;
  }
  // A shape (N,D,H,W,C).
  static Dims cut_last(Dims dims) {
    dims.erase(dims.begin() + 1, dims.begin() + 1 + (3 - kAxes));
    return dims;
  }
  void set_scales(const std::array<double, 3>& three) {
    for (std::size_t i = 0; i < kAxes; ++i) scales[i] = static_cast<Scale>(three[3 - kAxes + i]);
  }
  static bool has_limits(const std::string& product) { return product != "portable"; }
  static bool takes_empty(const std::string& /*product*/) { return true; }  // N of 0

  std::array<Scale, kAxes> scales{};
};

template <std::size_t kAxes, typename Scale = double>
struct UpsampleForwardCase : UpsampleCase<kAxes, Scale> {
  using Base = UpsampleCase<kAxes, Scale>;
  static constexpr bool kBackward = false;

  std::vector<TensorSpec*> tensors() { return {&self, &out}; }
  std::vector<TensorSpec*> outputs() { return {&out}; }
  std::vector<ArraySpec*> arrays() { return {&output_size}; }
  TensorSpec& small() { return self; }
  TensorSpec& large() { return out; }
  auto arguments() const {
    return std::tuple_cat(std::tie(self, output_size),
                          std::apply([](const auto&... each) { return std::tie(each...); }, this->scales),
                          std::tie(out));
  }
  // Shapes and sizes for (N,C,D,H,W) and (oD,oH,oW), channels second.
  void set_sizes(const Dims& input, const Dims& output) {
    self.dims = Base::cut(input);
    output_size.values = Base::cut(output);
    out.dims = Base::cut({input[0], input[1], output[0], output[1], output[2]});
  }

  TensorSpec self{"self", Base::cut({2, 3, 2, 3, 4}), Base::kType, Base::kFormat};
  ArraySpec output_size{"outputSize", Base::cut({4, 6, 8})};
  TensorSpec out{"out", Base::cut({2, 3, 4, 6, 8}), Base::kType, Base::kFormat};
};

template <std::size_t kAxes>
struct UpsampleBackwardCase : UpsampleCase<kAxes, double> {
  using Base = UpsampleCase<kAxes, double>;
  static constexpr bool kBackward = true;

  UpsampleBackwardCase(const char* gradient, const char* result)
      : grad_out{gradient, Base::cut({2, 3, 4, 6, 8}), Base::kType, Base::kFormat},
        grad_input{result, Base::cut({2, 3, 2, 3, 4}), Base::kType, Base::kFormat} {}

  std::vector<TensorSpec*> tensors() { return {&grad_out, &grad_input}; }
  std::vector<TensorSpec*> outputs() { return {&grad_input}; }
  std::vector<ArraySpec*> arrays() { return {&output_size, &input_size}; }
  TensorSpec& small() { return grad_input; }
  TensorSpec& large() { return grad_out; }
  auto arguments() const {
    return std::tuple_cat(std::tie(grad_out, output_size, input_size),
                          std::apply([](const auto&... each) { return std::tie(each...); }, this->scales),
                          std::tie(grad_input));
  }
  void set_sizes(const Dims& input, const Dims& output) {
    grad_input.dims = input_size.values = Base::cut(input);
    output_size.values = Base::cut(output);
    grad_out.dims = Base::cut({input[0], input[1], output[0], output[1], output[2]});
  }

  TensorSpec grad_out;
  ArraySpec output_size{"outputSize", Base::cut({4, 6, 8})};
  ArraySpec input_size{"inputSize", Base::cut({2, 3, 2, 3, 4})};
  TensorSpec grad_input;
};

struct UpsampleNearest3d : UpsampleForwardCase<3>, SixProducts {
  static constexpr auto kPhase1 = aclnnUpsampleNearest3dGetWorkspaceSize;
};
struct UpsampleNearest1d : UpsampleForwardCase<1>, SixProducts {
  static constexpr auto kPhase1 = aclnnUpsampleNearest1dGetWorkspaceSize;
  auto arguments() const { return std::tie(self, output_size, out); }
};
struct UpsampleNearest2d : UpsampleForwardCase<2>, SixProducts {
  static constexpr auto kPhase1 = aclnnUpsampleNearest2dGetWorkspaceSize;
  auto arguments() const { return std::tie(self, output_size, out); }
};
struct UpsampleNearest1dV2 : UpsampleForwardCase<1, float>, SixProducts {
  static constexpr auto kPhase1 = aclnnUpsampleNearest1dV2GetWorkspaceSize;
};
struct UpsampleNearest2dV2 : UpsampleForwardCase<2, float>, SixProducts {
  static constexpr auto kPhase1 = aclnnUpsampleNearest2dV2GetWorkspaceSize;
};
struct UpsampleNearestExact1d : UpsampleForwardCase<1>, ExactProducts {
  static constexpr auto kPhase1 = aclnnUpsampleNearestExact1dGetWorkspaceSize;
  static bool has_limits(const std::string& product) { return product == "ascend950"; }
};
struct UpsampleNearestExact2d : UpsampleForwardCase<2>, ExactProducts {
  static constexpr auto kPhase1 = aclnnUpsampleNearestExact2dGetWorkspaceSize;
  static bool has_limits(const std::string& product) { return product == "ascend950"; }
};
struct UpsampleNearestExact3d : UpsampleForwardCase<3>, ExactProducts {
  static constexpr auto kPhase1 = aclnnUpsampleNearestExact3dGetWorkspaceSize;
};

struct UpsampleNearest3dBackward : UpsampleBackwardCase<3> {
  UpsampleNearest3dBackward() : UpsampleBackwardCase("gradOut", "gradInput") {}
  static constexpr auto kPhase1 = aclnnUpsampleNearest3dBackwardGetWorkspaceSize;
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "atlas-training"};
  static constexpr std::array kRefusing = {"ascend950", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
};
struct UpsampleNearest1dBackward : UpsampleBackwardCase<1>, SixProducts {
  UpsampleNearest1dBackward() : UpsampleBackwardCase("gradOut", "out") {}
  static constexpr auto kPhase1 = aclnnUpsampleNearest1dBackwardGetWorkspaceSize;
};
struct UpsampleNearest2dBackward : UpsampleBackwardCase<2>, SixProducts {
  UpsampleNearest2dBackward() : UpsampleBackwardCase("gradOut", "gradInput") {}
  static constexpr auto kPhase1 = aclnnUpsampleNearest2dBackwardGetWorkspaceSize;
};
struct UpsampleNearestExact1dBackward : UpsampleBackwardCase<1>, ExactBackwardProducts {
  UpsampleNearestExact1dBackward() : UpsampleBackwardCase("gradOutput", "out") {}
  static constexpr auto kPhase1 = aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize;
};
struct UpsampleNearestExact2dBackward : UpsampleBackwardCase<2>, ExactBackwardProducts {
  UpsampleNearestExact2dBackward() : UpsampleBackwardCase("gradOutput", "out") {}
  static constexpr auto kPhase1 = aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize;
};
struct UpsampleNearestExact3dBackward : UpsampleBackwardCase<3>, ExactBackwardProducts {
  UpsampleNearestExact3dBackward() : UpsampleBackwardCase("gradOut", "gradInput") {}
  static constexpr auto kPhase1 = aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize;
};

// Refused by the products that limit sizes or scales, but not by the others.
template <typename Case, typename... Words>
void limited(Case call, const Words&... words) {
  for (const char* product : Case::kOffering) {
    call.product = product;
    Case::has_limits(product) ? refuses(call, words..., "on A") : accepts(call);
  }
}

template <typename Case>
void unlimited(Case call) {
  for (const char* product : Case::kOffering) {
    call.product = product;
    accepts(call);
  }
}

template <typename Case>
void set_channels_last(Case& call) {
  call.small().format = call.large().format = Case::kLastFormat;
  call.large().dims = Case::cut_last({2, 4, 6, 8, 3});
  call.small().dims = Case::cut_last({2, 2, 3, 4, 3});
}

}  // namespace contract_test
