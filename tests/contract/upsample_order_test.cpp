// A call of upsampling that breaks two rules is refused by the earlier one.

#include "contract/order_test.h"
#include "contract/upsample_cases.h"

namespace contract_test {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

template <typename Case>
std::function<void(Case&)> sized(const Dims& input, const Dims& output, aclDataType type = Case::kType) {
  return [=](Case& call) {
    call.set_sizes(input, output);
    for (TensorSpec* tensor : call.tensors()) tensor->type = type;
  };
}

template <typename Case>
Breakers<Case> forward() {
  if constexpr (Case::kBackward) {
    return {};
  } else {
    return {{"only_batch_empty",
             [](Case& call) {
               call.self.dims = Case::cut({2, 0, 2, 3, 4});
             }},
            {"plane_not_empty",
             [](Case& call) {
               call.self.dims = Case::cut({2, 3, 2, 3, 0});
             }},
            {"out_shape", [](Case& call) { call.out.dims = Dims(Case::kRank, 1); }}};
  }
}

template <typename Case>
Breakers<Case> backward() {
  if constexpr (!Case::kBackward) {
    return {};
  } else {
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
            {"rows_within_limit", sized<Case>({1024, 1, 64, 32, 1}, {2048, 1024, 1})},
            {"plane_within_limit", sized<Case>({1, 1, 1, 65536, 32768}, {1, 1, 1})}};
  }
}

// An operator has some of these rules. `longest`: what no dimension is above.
template <typename Case>
void in_order(const std::string& names, const char* product = "atlas-a2", std::int64_t longest = kMebi) {
  Breakers<Case> breakers{
      {"data_type_supported", [](Case& call) { call.tensors()[0]->type = ACL_INT8; }},
      {"formats_agree", [](Case& call) { call.outputs()[0]->format = Case::kLastFormat; }},
      {"formats_allowed", [](Case& call) { call.small().format = call.large().format = ACL_FORMAT_HWCN; }},
      {"formats_equal", [](Case& call) { call.outputs()[0]->format = ACL_FORMAT_ND; }},
      {"ranks_allowed", [](Case& call) { call.tensors()[0]->dims = {4}; }},
      {"output_not_overlapping", overlap<Case>},
      {"output_size_length", [](Case& call) { call.output_size.values = {}; }},
      {"output_size_positive", [](Case& call) { call.output_size.values = Dims(Case::kSpatial, 0); }},
      {"axes_within_limit", sized<Case>({2, 3, 1, 1, longest + 1}, {1, 1, 1})},
      {"memory_within_limit", sized<Case>({kMebi, kMebi, 1, 1, 1}, {1, 1, 1})},
      {"lines_within_limit", sized<Case>({2, 3, 1, 1, 16 * kMebi + 1}, {1, 1, 1}, ACL_UINT8)},
      {"ratios_within_limit", [](Case& call) { call.scales.fill(60); }},
      {"scales_not_negative", [](Case& call) { call.scales.fill(-1); }},
      {"scales_give_sizes", [](Case& call) { call.scales.fill(9); }}};
  breakers.merge(forward<Case>());
  breakers.merge(backward<Case>());
  expect_in_order<Case>(with_common(std::move(breakers)), names, product);
}

const std::string kTypes = kOpening + "data_type_supported data_types_equal formats_public ";
const std::string kViews = "ranks_allowed " + kGeometry + "output_not_overlapping output_size_length ";
const std::string kPlain = kViews + "output_size_positive only_batch_empty out_shape ";
const std::string kPlane = kViews + "output_size_positive plane_not_empty out_shape ";
const std::string kBackward =
    kViews + "input_size_length output_size_positive input_size_positive grad_input_shape grad_out_shape ";
const std::string kVolumeLimits =
    "axes_within_limit memory_within_limit rows_within_limit plane_within_limit ";

TEST(Order, UpsampleNearest3d) {
  in_order<UpsampleNearest3d>(kTypes + "formats_agree " + kPlain + "scales_give_sizes");
}
TEST(Order, UpsampleNearest1d) {
  in_order<UpsampleNearest1d>(kTypes + "formats_allowed " + kPlain + "lines_within_limit");
}
TEST(Order, UpsampleNearest2d) {
  in_order<UpsampleNearest2d>(kTypes + "formats_agree formats_allowed " + kPlain +
                              "axes_within_limit memory_within_limit");
}
TEST(Order, UpsampleNearest1dV2) {
  in_order<UpsampleNearest1dV2>(
      kTypes + "formats_allowed " + kPlain + "axes_within_limit lines_within_limit scales_give_sizes",
      "atlas-a2", INT32_MAX);
}
TEST(Order, UpsampleNearest2dV2) {
  in_order<UpsampleNearest2dV2>(kTypes + "formats_agree formats_allowed " + kPlane +
                                    "axes_within_limit lines_within_limit scales_give_sizes",
                                "atlas-a2", INT32_MAX);
}
TEST(Order, UpsampleNearestExact1d) {
  in_order<UpsampleNearestExact1d>(kTypes + "formats_allowed formats_equal " + kPlain +
                                       "axes_within_limit memory_within_limit scales_give_sizes",
                                   "ascend950");
}
TEST(Order, UpsampleNearestExact2d) {
  in_order<UpsampleNearestExact2d>(
      kTypes + "formats_agree formats_allowed formats_equal " + kPlane +
          "axes_within_limit memory_within_limit scales_not_negative scales_give_sizes",
      "ascend950");
}
TEST(Order, UpsampleNearestExact3d) {
  in_order<UpsampleNearestExact3d>(kTypes + "formats_agree " + kPlain + "axes_within_limit scales_give_sizes",
                                   "atlas-a2", INT32_MAX);
}

TEST(Order, UpsampleNearest3dBackward) {
  in_order<UpsampleNearest3dBackward>(kTypes + "formats_agree " + kBackward + kVolumeLimits +
                                      "scales_give_sizes");
}
TEST(Order, UpsampleNearest1dBackward) {
  in_order<UpsampleNearest1dBackward>(kTypes + "formats_allowed " + kBackward);
}
TEST(Order, UpsampleNearest2dBackward) {
  in_order<UpsampleNearest2dBackward>(kTypes + "formats_agree formats_allowed " + kBackward +
                                      "scales_give_sizes");
}
TEST(Order, UpsampleNearestExact1dBackward) {
  in_order<UpsampleNearestExact1dBackward>(kTypes + "formats_allowed formats_equal " + kBackward +
                                           "ratios_within_limit scales_not_negative scales_give_sizes");
}
TEST(Order, UpsampleNearestExact2dBackward) {
  in_order<UpsampleNearestExact2dBackward>(kTypes + "formats_agree formats_allowed formats_equal " +
                                           kBackward +
                                           "ratios_within_limit scales_not_negative scales_give_sizes");
}
TEST(Order, UpsampleNearestExact3dBackward) {
  in_order<UpsampleNearestExact3dBackward>(kTypes + "formats_agree " + kBackward + kVolumeLimits +
                                           "ratios_within_limit scales_give_sizes");
}

}  // namespace
}  // namespace contract_test
