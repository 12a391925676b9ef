#pragma once

#include "contract/upsample_cases.h"

// Calls of linear, cubic and antialiased upsampling.
namespace contract_test {

template <std::size_t kAxes>
struct LinearForwardCase : UpsampleForwardCase<kAxes> {
  explicit LinearForwardCase(const char* name = "self") { this->self.name = name; }
  auto arguments() const {
    return std::tuple_cat(std::tie(this->self, this->output_size, align_corners),
                          std::apply([](const auto&... each) { return std::tie(each...); }, this->scales),
                          std::tie(this->out));
  }
  static constexpr bool kNamesFormats = kAxes > 1;

  bool align_corners = false;
};

template <std::size_t kAxes>
struct LinearBackwardCase : UpsampleBackwardCase<kAxes> {
  using UpsampleBackwardCase<kAxes>::UpsampleBackwardCase;
  auto arguments() const {
    return std::tuple_cat(std::tie(this->grad_out, this->output_size, this->input_size, align_corners),
                          std::apply([](const auto&... each) { return std::tie(each...); }, this->scales),
                          std::tie(this->grad_input));
  }
  static constexpr bool kNamesFormats = kAxes > 1;

  bool align_corners = false;
};

// Which products offer an operator; the antialiased ones have those of exact gradients.
struct LineProducts {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950", "atlas-training"};
  static constexpr std::array kRefusing = {"atlas-inference", "atlas-200i-500-a2", "atlas-200-300-500"};
};

struct UpsampleLinear1d : LinearForwardCase<1>, LineProducts {
  // Some products know 0 as a scale like any other.
  UpsampleLinear1d() { scales = {-1}; }
  static constexpr auto kPhase1 = aclnnUpsampleLinear1dGetWorkspaceSize;
};
struct UpsampleBilinear2d : LinearForwardCase<2>, SixProducts {
  static constexpr auto kPhase1 = aclnnUpsampleBilinear2dGetWorkspaceSize;
};
struct UpsampleTrilinear3d : LinearForwardCase<3>, SixProducts {
  static constexpr auto kPhase1 = aclnnUpsampleTrilinear3dGetWorkspaceSize;
};
struct UpsampleBicubic2d : LinearForwardCase<2> {
  static constexpr auto kPhase1 = aclnnUpsampleBicubic2dGetWorkspaceSize;
  static constexpr std::array kOffering = {"portable",         "atlas-a2",       "atlas-a3",
                                           "ascend950",        "atlas-training", "atlas-inference",
                                           "atlas-200i-500-a2"};
  static constexpr std::array kRefusing = {"atlas-200-300-500"};
};
struct UpsampleBilinear2dAA : LinearForwardCase<2>, ExactBackwardProducts {
  UpsampleBilinear2dAA() : LinearForwardCase("input") {}
  static constexpr auto kPhase1 = aclnnUpsampleBilinear2dAAGetWorkspaceSize;
  static bool has_limits(const std::string& product) { return product.starts_with("atlas"); }
  static bool takes_empty(const std::string& product) { return product == "portable"; }
};
struct UpsampleBicubic2dAA : LinearForwardCase<2>, ExactBackwardProducts {
  UpsampleBicubic2dAA() : LinearForwardCase("x") {}
  static constexpr auto kPhase1 = aclnnUpsampleBicubic2dAAGetWorkspaceSize;
};

struct UpsampleLinear1dBackward : LinearBackwardCase<1>, LineProducts {
  UpsampleLinear1dBackward() : LinearBackwardCase("gradOut", "out") {}
  static constexpr auto kPhase1 = aclnnUpsampleLinear1dBackwardGetWorkspaceSize;
};
struct UpsampleBilinear2dBackward : LinearBackwardCase<2>, SixProducts {
  UpsampleBilinear2dBackward() : LinearBackwardCase("gradOut", "out") {}
  static constexpr auto kPhase1 = aclnnUpsampleBilinear2dBackwardGetWorkspaceSize;
};
struct UpsampleBilinear2dBackwardV2 : LinearBackwardCase<2>, SixProducts {
  UpsampleBilinear2dBackwardV2() : LinearBackwardCase("gradOut", "out") {}
  static constexpr auto kPhase1 = aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize;
};
struct UpsampleTrilinear3dBackward : LinearBackwardCase<3> {
  UpsampleTrilinear3dBackward() : LinearBackwardCase("gradOut", "gradInput") {}
  static constexpr auto kPhase1 = aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize;
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "atlas-training",
                                           "atlas-inference"};
  static constexpr std::array kRefusing = {"ascend950", "atlas-200i-500-a2", "atlas-200-300-500"};
};
struct UpsampleBicubic2dBackward : LinearBackwardCase<2>, LineProducts {
  UpsampleBicubic2dBackward() : LinearBackwardCase("gradOut", "gradInput") {}
  static constexpr auto kPhase1 = aclnnUpsampleBicubic2dBackwardGetWorkspaceSize;
  static bool has_limits(const std::string& product) {
    return product == "atlas-a2" || product == "atlas-a3";
  }
};
struct AntialiasedBackwardCase : LinearBackwardCase<2>, ExactBackwardProducts {
  AntialiasedBackwardCase() : LinearBackwardCase("gradOutput", "out") {}
  static bool takes_empty(const std::string& product) { return product == "portable"; }
};
struct UpsampleBilinear2dAABackward : AntialiasedBackwardCase {
  static constexpr auto kPhase1 = aclnnUpsampleBilinear2dAABackwardGetWorkspaceSize;
  static bool has_limits(const std::string& product) { return product.starts_with("atlas"); }
};
struct UpsampleBicubic2dAAGrad : AntialiasedBackwardCase {
  static constexpr auto kPhase1 = aclnnUpsampleBicubic2dAAGradGetWorkspaceSize;
};

struct Resize : UpsampleForwardCase<2>, SixProducts {
  static constexpr auto kPhase1 = aclnnResizeGetWorkspaceSize;
  std::vector<ArraySpec*> arrays() { return {}; }
  auto arguments() const { return std::tie(self, factors, mode, out); }

  FloatArraySpec factors{"scales", {1, 1, 2, 2}};
  TextSpec mode{"bilinear"};
};
inline void set_channels_last(Resize& call) {
  set_channels_last<Resize>(call);
  call.factors.values = {1, 2, 2, 1};
}

}  // namespace contract_test
