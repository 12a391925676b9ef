// A call of linear, cubic or antialiased upsampling that breaks two rules is refused by the earlier one.

#include "contract/order_test.h"
#include "contract/upsample_linear_cases.h"

namespace contract_test {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

template <typename Case>
std::function<void(Case&)> sized(const Dims& input, const Dims& output) {
  return [=](Case& call) { call.set_sizes(input, output); };
}

template <typename Case>
std::function<void(Case&)> scaled(double scale) {
  return [=](Case& call) { call.scales.fill(scale); };
}

template <typename Case>
Breakers<Case> of_direction() {
  if constexpr (Case::kBackward) {
    return {{"input_size_length", [](Case& call) { call.input_size.values = {}; }},
            {"input_size_positive",
             [](Case& call) {
               call.input_size.values = Case::cut({2, 3, 0, 0, 0});
             }},
            {"grad_input_shape", [](Case& call) { call.input_size.values = Dims(Case::kRank, 1); }},
            {"grad_out_shape",
             [](Case& call) {
               call.grad_out.dims = Case::cut({1, 2, 1, 1, 1});
             }},
            {"out_type", [](Case& call) { call.grad_input.type = ACL_BF16; }},
            {"ratios_within_limit", scaled<Case>(600)},
            {"rows_within_limit", Case::kSpatial == 3   ? sized<Case>({1024, 1, 64, 32, 1}, {2048, 1024, 1})
                                  : Case::kSpatial == 2 ? sized<Case>({2048, 1024, 1, 32, 1}, {1, 1024, 1})
                                                        : sized<Case>({2048, kMebi, 1, 1, 1}, {1, 1, 1})},
            {"plane_within_limit", sized<Case>({1, 1, 1, 65536, 32768}, {1, 2048, 1024})}};
  } else {
    return {{"only_batch_empty",
             [](Case& call) {
               call.self.dims = Case::cut({2, 0, 2, 3, 4});
             }},
            {"out_shape", [](Case& call) { call.out.dims = Dims(Case::kRank, 1); }},
            {"ratios_within_limit",
             Case::kSpatial == 3 ? sized<Case>({2, 3, 1, 1, 51}, {1, 1, 1}) : scaled<Case>(0.01)},
            {"rows_within_limit", Case::kSpatial == 3 ? sized<Case>({1024, 1, 2048, 1024, 1}, {64, 32, 1})
                                                      : sized<Case>({2048, 1024, 1, 1024, 1}, {1, 32, 1})},
            {"plane_within_limit", sized<Case>({1, 1, 1, 2048, 1024}, {1, 65536, 32768})}};
  }
}

// An operator has some of these rules. `longest`: what no dimension is above.
template <typename Case>
void in_order(const std::string& names, std::int64_t longest = kMebi) {
  Breakers<Case> breakers{
      {"data_type_supported", [](Case& call) { call.tensors()[0]->type = ACL_INT8; }},
      {"formats_agree", [](Case& call) { call.outputs()[0]->format = Case::kLastFormat; }},
      {"formats_allowed", [](Case& call) { call.small().format = call.large().format = ACL_FORMAT_HWCN; }},
      {"formats_equal", [](Case& call) { call.outputs()[0]->format = ACL_FORMAT_ND; }},
      {"double_channels_last",
       [](Case& call) { call.tensors()[0]->type = call.tensors()[1]->type = ACL_DOUBLE; }},
      {"ranks_allowed", [](Case& call) { call.tensors()[0]->dims = {4}; }},
      {"output_not_overlapping", overlap<Case>},
      {"output_size_length", [](Case& call) { call.output_size.values = {}; }},
      {"output_size_positive", [](Case& call) { call.output_size.values = Dims(Case::kSpatial, 0); }},
      {"not_empty", sized<Case>({0, 3, 2, 3, 4}, {4, 6, 8})},
      {"axes_within_limit", sized<Case>({2, 3, 1, 1, longest + 1}, {1, 1, 1})},
      {"memory_within_limit", sized<Case>({kMebi, kMebi, 1, 1, 1}, {1, 1, 1})},
      {"scales_within_limit", scaled<Case>(60)},
      {"scales_not_negative", scaled<Case>(-1)},
      {"scales_give_sizes", scaled<Case>(9)}};
  breakers.merge(of_direction<Case>());
  expect_in_order<Case>(with_common(std::move(breakers)), names);
}

const std::string kTypes = kOpening + "data_type_supported data_types_equal formats_public ";
const std::string kThree = "formats_agree formats_allowed formats_equal ";
const std::string kTwo = "formats_agree formats_allowed ";
const std::string kViews = "ranks_allowed " + kGeometry + "output_not_overlapping output_size_length ";
const std::string kForward = kViews + "output_size_positive only_batch_empty out_shape ";
const std::string kBackward =
    kViews + "input_size_length output_size_positive input_size_positive grad_input_shape grad_out_shape ";
const std::string kBuffers = "axes_within_limit memory_within_limit rows_within_limit ";
const std::string kLengths = "axes_within_limit rows_within_limit ";
const std::string kScales = "scales_not_negative scales_give_sizes";

TEST(Order, UpsampleLinear1d) { in_order<UpsampleLinear1d>(kTypes + kForward + "scales_give_sizes"); }
TEST(Order, UpsampleBilinear2d) {
  in_order<UpsampleBilinear2d>(kTypes + kTwo + "double_channels_last " + kForward + "scales_not_negative");
}
TEST(Order, UpsampleTrilinear3d) {
  in_order<UpsampleTrilinear3d>(kTypes + kTwo + kForward + kBuffers +
                                "plane_within_limit ratios_within_limit scales_within_limit "
                                "scales_give_sizes");
}
TEST(Order, UpsampleBicubic2d) {
  in_order<UpsampleBicubic2d>(kTypes + kThree + kForward + kBuffers + "scales_give_sizes");
}
TEST(Order, UpsampleBilinear2dAA) {
  in_order<UpsampleBilinear2dAA>(
      kTypes + kThree + kForward + "not_empty " + kLengths + "ratios_within_limit " + kScales, INT32_MAX);
}
TEST(Order, UpsampleBicubic2dAA) {
  in_order<UpsampleBicubic2dAA>(kTypes + kTwo + kForward + kBuffers +
                                "ratios_within_limit scales_give_sizes");
}

TEST(Order, UpsampleLinear1dBackward) {
  in_order<UpsampleLinear1dBackward>(kTypes + kBackward + kBuffers + "ratios_within_limit");
}
TEST(Order, UpsampleBilinear2dBackward) {
  in_order<UpsampleBilinear2dBackward>(kOpening + "data_type_supported out_type formats_public " + kTwo +
                                       kBackward);
}
TEST(Order, UpsampleBilinear2dBackwardV2) {
  in_order<UpsampleBilinear2dBackwardV2>(kTypes + kTwo + kBackward + kBuffers);
}
TEST(Order, UpsampleTrilinear3dBackward) {
  in_order<UpsampleTrilinear3dBackward>(kTypes + kTwo + kBackward + kBuffers +
                                        "plane_within_limit scales_give_sizes");
}
TEST(Order, UpsampleBicubic2dBackward) {
  in_order<UpsampleBicubic2dBackward>(kTypes + kThree + kBackward + kLengths, INT32_MAX);
}
TEST(Order, UpsampleBilinear2dAABackward) {
  in_order<UpsampleBilinear2dAABackward>(
      kTypes + kThree + kBackward + "not_empty " + kLengths + "ratios_within_limit " + kScales, INT32_MAX);
}
TEST(Order, UpsampleBicubic2dAAGrad) {
  in_order<UpsampleBicubic2dAAGrad>(kTypes + kThree + kBackward + "not_empty " + kBuffers +
                                    "ratios_within_limit " + kScales);
}

}  // namespace
}  // namespace contract_test
