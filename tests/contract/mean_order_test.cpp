// A call of mean pooling that breaks two rules is refused by the earlier one.

#include "contract/mean_cases.h"
#include "contract/order_test.h"

namespace contract_test {
namespace {

// Of every mean pooling; an operator has some of these rules.
template <typename Case>
Breakers<Case> mean(Breakers<Case> more = {}) {
  constexpr std::size_t kRank = Case::kRank;
  more.merge(Breakers<Case>{
      {"data_type_supported", [](Case& call) { call.self.type = ACL_INT32; }},
      {"formats_equal", [](Case& call) { call.outputs()[0]->format = ACL_FORMAT_NC; }},
      {"formats_allowed", [](Case& call) { set_format(call, ACL_FORMAT_ND); }},
      {"channels_last_allowed", [](Case& call) { set_format(call, Case::kLastFormat); }},
      {"ranks_allowed", [](Case& call) { call.pooled().dims = {4}; }},
      {"ranks_equal", [](Case& call) { call.pooled().dims = Dims(kRank - 1, 4); }},
      {"output_not_overlapping", overlap<Case>},
      {"self_has_cells", [](Case& call) { call.self.dims[2] = 0; }},
      {"self_has_plane", [](Case& call) { call.self.dims[2] = call.outputs()[0]->dims[2] = 0; }},
      {"self_has_channels_and_plane", [](Case& call) { call.self.dims[2] = call.outputs()[0]->dims[2] = 0; }},
      {"out_shape", [](Case& call) { call.pooled().dims = Dims(kRank, 1); }},
      {"grad_output_shape", [](Case& call) { call.pooled().dims = Dims(kRank, 1); }},
      {"grad_input_shape", [](Case& call) { call.outputs()[0]->dims = Dims(kRank, 1); }},
      {"grad_output_batch", [](Case& call) { call.pooled().dims[0] = 9; }},
      {"grad_output_has_windows", [](Case& call) { call.pooled().dims[2] = 0; }},
      {"single_windows", [](Case& call) { call.pooled().dims[2] = 2; }}});
  return with_common(std::move(more));
}

template <typename Case>
Breakers<Case> with_windows(Breakers<Case> more = {}) {
  constexpr std::size_t kWrong = Case::kSpatial == 3 ? 2 : 3;
  more.merge(Breakers<Case>{{"kernel_size_length", [](Case& call) { call.kernel_size.values = {}; }},
                            {"kernel_size_positive", [](Case& call) { call.kernel_size.values = {0}; }},
                            {"stride_length", [](Case& call) { call.stride.values = Dims(kWrong, 1); }},
                            {"stride_positive", [](Case& call) { call.stride.values = {0}; }},
                            {"padding_length", [](Case& call) { call.padding.values = {}; }},
                            {"padding_within_half", [](Case& call) { call.padding.values = {INT64_MAX}; }},
                            {"kernel_within_self", [](Case& call) { call.kernel_size.values = {99}; }},
                            {"windows_exist", [](Case& call) { call.kernel_size.values = {99}; }},
                            {"cube_math_type_allowed", [](Case& call) { call.cube_math_type = 9; }},
                            {"divisor_within_limit", [](Case& call) { call.divisor_override = 256; }}});
  return mean(std::move(more));
}

template <typename Case>
Breakers<Case> adaptive(Breakers<Case> more = {}) {
  more.merge(Breakers<Case>{{"output_size_length", [](Case& call) { call.output_size.values = {}; }},
                            {"output_size_allowed", [](Case& call) {
                               if (!call.output_size.values.empty()) call.output_size.values[0] = -1;
                             }}});
  return mean(std::move(more));
}

const std::string kImages =
    kOpening + "data_type_supported data_types_equal formats_public formats_equal formats_allowed " +
    "ranks_allowed ranks_equal " + kGeometry + "output_not_overlapping ";
const std::string kVolumeFlags =
    kOpening + "data_type_supported data_types_equal formats_public formats_equal channels_last_allowed ";
const std::string kVolumeViews = "ranks_allowed ranks_equal " + kGeometry + "output_not_overlapping ";
const std::string kVolumes = kVolumeFlags + kVolumeViews;
const std::string kLists =
    "kernel_size_length stride_length padding_length kernel_size_positive stride_positive "
    "padding_within_half ";
const std::string kSizes = "output_size_length output_size_allowed self_has_cells out_shape";

TEST(Order, AvgPool2d) {
  expect_in_order(
      with_windows<AvgPool2d>(),
      kImages + kLists + "self_has_channels_and_plane windows_exist out_shape cube_math_type_allowed");
}

TEST(Order, AvgPool3d) {
  expect_in_order(with_windows<AvgPool3d>(), kVolumes + kLists + "kernel_within_self out_shape");
}

TEST(Order, AvgPool2dBackward) {
  expect_in_order(with_windows<AvgPool2dBackward>(),
                  kImages + kLists +
                      "cube_math_type_allowed grad_input_shape self_has_channels_and_plane windows_exist "
                      "grad_output_shape divisor_within_limit",
                  "atlas-training");
}

TEST(Order, AvgPool3dBackward) {
  expect_in_order(with_windows<AvgPool3dBackward>(),
                  kVolumes + kLists + "grad_input_shape self_has_plane windows_exist grad_output_shape");
}

TEST(Order, AdaptiveAvgPool2d) { expect_in_order(adaptive<AdaptiveAvgPool2d>(), kImages + kSizes); }

TEST(Order, AdaptiveAvgPool3d) {
  using Case = AdaptiveAvgPool3d;
  expect_in_order(
      adaptive<Case>({{"formats_allowed", [](Case& call) { set_format(call, ACL_FORMAT_HWCN); }}}),
      kVolumeFlags + "formats_allowed " + kVolumeViews + kSizes, "ascend950");
}

TEST(Order, AdaptiveAvgPool2dBackward) {
  expect_in_order(mean<AdaptiveAvgPool2dBackward>(), kVolumes + "grad_input_shape grad_output_batch");
}

TEST(Order, AdaptiveAvgPool3dBackward) {
  expect_in_order(mean<AdaptiveAvgPool3dBackward>(),
                  kVolumes +
                      "self_has_cells grad_output_has_windows grad_input_shape grad_output_batch "
                      "single_windows",
                  "atlas-training");
}

}  // namespace
}  // namespace contract_test
