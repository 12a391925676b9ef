// A call that breaks two rules is refused by the earlier one.

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>

#include "contract/rule_test.h"
#include "ops/catalogue.h"

namespace contract_test {
namespace {

// Rules that follow each other in every table.
const std::string kOpening = "arguments_not_null handles_live product_known operator_offered ";
const std::string kGeometry =
    "dims_not_negative strides_not_negative offsets_not_negative sizes_fit views_inside_storage ";

// How to break each rule, by its name.
template <typename Case>
using Breakers = std::map<std::string, std::function<void(Case&)>>;

template <typename Case>
void expect_in_order(const Breakers<Case>& breakers, const std::string& names) {
  std::istringstream words(names);
  const std::vector<std::string> order{std::istream_iterator<std::string>(words), {}};
  const std::string suite = testing::UnitTest::GetInstance()->current_test_info()->name();
  const cairn::Operator* op = cairn::find_operator("aclnn" + suite);
  ASSERT_NE(op, nullptr);
  std::vector<std::string> listed;
  for (const cairn::RuleInfo& rule : rules_of(*op)) listed.push_back(rule.name);
  EXPECT_EQ(listed, order);
  for (const std::string& rule : order) ASSERT_TRUE(breakers.contains(rule)) << rule;
  for (std::size_t late = 0; late < order.size(); ++late) {
    for (std::size_t early = 0; early <= late; ++early) {
      SCOPED_TRACE(order[early] + " before " + order[late]);
      Case call;
      call.product = "atlas-a2";
      breakers.at(order[late])(call);
      breakers.at(order[early])(call);
      expect_refused(run(call), call.product, order[early], {});
    }
  }
}

// The first tensor with elements: of the others nothing is looked at.
template <typename Case>
TensorSpec& victim(Case& call) {
  for (TensorSpec* tensor : call.tensors())
    if (std::find(tensor->dims.begin(), tensor->dims.end(), 0) == tensor->dims.end()) return *tensor;
  return *call.tensors()[0];
}

template <typename Case>
void overlap(Case& call) {
  TensorSpec& output = *call.outputs().back();
  output.dims = Dims(output.dims.size(), 2);
  output.strides = Dims(output.dims.size(), 0);
}

// What every operator has, and `more`.
template <typename Case>
Breakers<Case> with_common(Breakers<Case> more) {
  const auto private_formats = [](Case& call) {
    for (TensorSpec* tensor : call.tensors()) tensor->format = ACL_FORMAT_FRACTAL_NZ;
  };
  more.merge(Breakers<Case>{
      {"arguments_not_null", [](Case& call) { call.null_executor = true; }},
      {"handles_live", [](Case& call) { call.tensors()[0]->handle = Handle::kMadeUp; }},
      {"product_known", [](Case& call) { call.product = "Ascend910B"; }},
      {"operator_offered", [](Case& call) { call.product = Case::kRefusing.back(); }},
      {"data_types_equal", [](Case& call) { call.outputs()[0]->type = ACL_BF16; }},
      {"formats_public", private_formats},
      {"dims_not_negative", [](Case& call) { victim(call).dims[0] = -1; }},
      {"strides_not_negative", [](Case& call) { victim(call).strides = Dims(victim(call).dims.size(), -1); }},
      {"offsets_not_negative", [](Case& call) { victim(call).offset = -1; }},
      {"sizes_fit", [](Case& call) { victim(call).offset = INT64_MAX; }},
      {"views_inside_storage", [](Case& call) { victim(call).storage = Dims{0}; }}});
  return more;
}

template <typename Case>
Breakers<Case> pool(Breakers<Case> more) {
  constexpr bool kVolumes = Case::kSpatial == 3;
  more.merge(
      Breakers<Case>{{"data_type_supported", [](Case& call) { call.self.type = ACL_INT32; }},
                     {"index_type_supported", [](Case& call) { call.indices.type = ACL_INT8; }},
                     {"formats_equal", [](Case& call) { call.outputs()[0]->format = ACL_FORMAT_NCL; }},
                     {"channels_last_allowed",
                      [](Case& call) { set_format(call, kVolumes ? ACL_FORMAT_NDHWC : ACL_FORMAT_NHWC); }},
                     {"ranks_allowed", [](Case& call) { call.pooled().dims = {4}; }},
                     {"ranks_equal", [](Case& call) { call.pooled().dims = Dims(Case::kSpatial + 1, 4); }},
                     {"output_not_overlapping", overlap<Case>},
                     {"kernel_size_length", [](Case& call) { call.kernel_size.values = {}; }},
                     {"kernel_size_positive", [](Case& call) { call.kernel_size.values = {0}; }},
                     {"stride_length", [](Case& call) { call.stride.values = Dims(kVolumes ? 2 : 3, 1); }},
                     {"stride_positive", [](Case& call) { call.stride.values = {0}; }},
                     {"padding_length", [](Case& call) { call.padding.values = {}; }},
                     {"padding_within_half", [](Case& call) { call.padding.values = {INT64_MAX}; }},
                     {"dilation_length", [](Case& call) { call.dilation.values = {}; }},
                     {"dilation_positive", [](Case& call) { call.dilation.values = {0}; }},
                     {"dilation_allowed", [](Case& call) { call.dilation.values = {2}; }},
                     {"windows_exist", [](Case& call) { call.kernel_size.values = {99}; }},
                     {"indices_shape", [](Case& call) { call.indices.dims = Dims(Case::kSpatial + 2, 1); }},
                     {"formats_in_order", [](Case& call) { set_format(call, ACL_FORMAT_NHWC); }},
                     {"mask_contiguous",
                      [](Case& call) {
                        call.indices.dims = Dims(Case::kSpatial + 2, 2);
                        call.indices.strides = Dims(Case::kSpatial + 2, 0);
                      }},
                     {"mask_shape", [](Case& call) { call.indices.dims = Dims(Case::kSpatial + 2, 1); }}});
  return with_common(std::move(more));
}

// Of every unpooling; an operator has some of these rules.
template <typename Case>
Breakers<Case> unpool() {
  constexpr std::size_t kRank = Case::kSpatial + 2;
  const auto no_plane = [](Case& call) { call.output_size.values = Dims(Case::kSpatial, 9); };
  const auto other_batch = [](Case& call) { call.unpooled().dims[0] = 9; };
  const auto other_shape = [](Case& call) { call.indices.dims = Dims(kRank, 1); };
  return with_common(Breakers<Case>{
      {"data_type_supported", [](Case& call) { call.tensors()[0]->type = ACL_BF16; }},
      {"self_type", [](Case& call) { call.self.type = ACL_INT8; }},
      {"out_type", [](Case& call) { call.output().type = ACL_BOOL; }},
      {"grad_output_not_empty",
       [](Case& call) { call.unpooled().dims.back() = call.output_size.values.back() = 0; }},
      {"self_rank", [](Case& call) { call.self.dims = {4}; }},
      {"ranks_equal", [](Case& call) { call.indices.dims = Dims(kRank - 1, 4); }},
      {"index_type_supported", [](Case& call) { call.indices.type = ACL_INT8; }},
      {"out_ref_contiguous", overlap<Case>},
      {"out_contiguous", overlap<Case>},
      {"output_not_overlapping", overlap<Case>},
      {"indices_shape", other_shape},
      {"shapes_equal", other_shape},
      {"only_batch_empty",
       [](Case& call) {
         call.self.dims = call.indices.dims = Case::cut({2, 0, 2, 3, 4});
         if (call.output().dims.back() == 4) call.output().dims = call.self.dims;
       }},
      {"output_size_length", [](Case& call) { call.output_size.values = {}; }},
      {"stride_length", [](Case& call) { call.stride.values = {}; }},
      {"padding_length", [](Case& call) { call.padding.values = {}; }},
      {"stride_positive", [](Case& call) { call.stride.values = Dims(3, 0); }},
      {"output_size_positive", [](Case& call) { call.output_size.values = Dims(Case::kSpatial, 0); }},
      {"output_size_holds_self", [](Case& call) { call.output_size.values = Dims(Case::kSpatial, 1); }},
      {"out_ref_plane", no_plane},
      {"out_plane", no_plane},
      {"grad_output_plane", no_plane},
      {"out_ref_batch", other_batch},
      {"out_batch", other_batch},
      {"grad_output_batch", other_batch}});
}

template <typename Case>
Breakers<Case> upsample(Breakers<Case> more) {
  more.merge(
      Breakers<Case>{{"data_type_supported", [](Case& call) { call.tensors()[0]->type = ACL_INT8; }},
                     {"formats_agree", [](Case& call) { call.outputs()[0]->format = ACL_FORMAT_NDHWC; }},
                     {"ranks_allowed", [](Case& call) { call.tensors()[0]->dims = {4}; }},
                     {"output_not_overlapping", overlap<Case>},
                     {"output_size_length", [](Case& call) { call.output_size.values = {}; }},
                     {"output_size_positive", [](Case& call) { call.output_size.values = Dims(3, 0); }},
                     {"scales_give_sizes", [](Case& call) { call.scales.fill(9); }}});
  return with_common(std::move(more));
}

TEST(Order, MaxPool3dWithArgmax) {
  using Case = MaxPool3dWithArgmax;
  expect_in_order<Case>(
      pool<Case>({{"plane_within_index",
                   [](Case& call) {
                     call.self.dims = Dims{1, 1, 2, 32768, 32768};
                   }},
                  {"out_shape",
                   [](Case& call) {
                     call.out.dims = call.indices.dims = Dims{2, 3, 4, 4, 4};
                   }}}),
      kOpening +
          "data_type_supported index_type_supported data_types_equal formats_equal formats_public "
          "channels_last_allowed ranks_allowed ranks_equal " +
          kGeometry +
          "output_not_overlapping kernel_size_length kernel_size_positive stride_length stride_positive "
          "padding_length padding_within_half dilation_length dilation_positive dilation_allowed "
          "plane_within_index windows_exist out_shape indices_shape");
}

TEST(Order, MaxPool3dWithArgmaxBackward) {
  using Case = MaxPool3dWithArgmaxBackward;
  expect_in_order<Case>(
      pool<Case>({{"plane_within_index",
                   [](Case& call) {
                     call.self.dims = Dims{1, 1, 2, 32768, 32768};
                   }},
                  {"grad_input_shape", [](Case& call) { call.grad_input.dims = Dims(5, 1); }},
                  {"grad_output_shape",
                   [](Case& call) {
                     call.grad_output.dims = call.indices.dims = Dims{2, 3, 4, 4, 4};
                   }}}),
      kOpening +
          "data_type_supported index_type_supported data_types_equal formats_equal formats_public "
          "channels_last_allowed ranks_allowed ranks_equal " +
          kGeometry +
          "output_not_overlapping kernel_size_length kernel_size_positive stride_length stride_positive "
          "padding_length padding_within_half dilation_length dilation_positive dilation_allowed "
          "plane_within_index indices_shape grad_input_shape windows_exist grad_output_shape");
}

TEST(Order, MaxPool2dWithIndices) {
  using Case = MaxPool2dWithIndices;
  expect_in_order<Case>(
      pool<Case>({{"self_has_channels_and_plane",
                   [](Case& call) {
                     call.self.dims = Dims{2, 0, 8, 10};
                   }},
                  {"plane_within_index",
                   [](Case& call) {
                     call.self.dims = Dims{1, 1, 65536, 32768};
                   }},
                  {"out_shape",
                   [](Case& call) {
                     call.out.dims = Dims{2, 3, 4, 4};
                   }}}),
      kOpening +
          "data_type_supported data_types_equal index_type_supported formats_equal formats_public "
          "channels_last_allowed ranks_allowed ranks_equal " +
          kGeometry +
          "output_not_overlapping kernel_size_length stride_length padding_length dilation_length "
          "kernel_size_positive stride_positive padding_within_half dilation_positive dilation_allowed "
          "self_has_channels_and_plane plane_within_index windows_exist out_shape indices_shape");
}

const std::string kMaskBeginning =
    kOpening +
    "data_type_supported index_type_supported data_types_equal formats_equal formats_public formats_in_order "
    "ranks_allowed ranks_equal " +
    kGeometry +
    "mask_contiguous output_not_overlapping kernel_size_length stride_length padding_length dilation_length "
    "kernel_size_positive stride_positive padding_within_half dilation_positive dilation_allowed ";

// How to break the rules that only masks have.
template <typename Case>
Breakers<Case> mask(Breakers<Case> more) {
  more.merge(Breakers<Case>{{"index_type_supported", [](Case& call) { call.indices.type = ACL_INT32; }}});
  return pool<Case>(std::move(more));
}

TEST(Order, MaxPool2dWithMask) {
  using Case = MaxPool2dWithMask;
  expect_in_order<Case>(
      mask<Case>({{"self_has_channels_and_plane",
                   [](Case& call) {
                     call.self.dims = Dims{2, 0, 8, 10};
                   }},
                  {"plane_within_mask",
                   [](Case& call) {
                     call.self.dims = Dims{1, 1, 65536, 32768};
                   }},
                  {"out_shape",
                   [](Case& call) {
                     call.out.dims = Dims{2, 3, 4, 4};
                   }}}),
      kMaskBeginning + "self_has_channels_and_plane plane_within_mask windows_exist out_shape mask_shape");
}

TEST(Order, MaxPool2dWithMaskBackward) {
  using Case = MaxPool2dWithMaskBackward;
  expect_in_order<Case>(
      mask<Case>({{"grad_input_shape", [](Case& call) { call.grad_input.dims = Dims(4, 1); }},
                  {"self_has_channels_and_plane",
                   [](Case& call) {
                     call.self.dims = call.grad_input.dims = Dims{2, 0, 8, 10};
                   }},
                  {"plane_within_mask",
                   [](Case& call) {
                     call.self.dims = call.grad_input.dims = Dims{1, 1, 65536, 32768};
                   }},
                  {"grad_output_shape",
                   [](Case& call) {
                     call.grad_output.dims = Dims{2, 3, 4, 4};
                   }}}),
      kMaskBeginning +
          "grad_input_shape self_has_channels_and_plane plane_within_mask windows_exist grad_output_shape "
          "mask_shape");
}

TEST(Order, MaxPool2dWithIndicesBackward) {
  using Case = MaxPool2dWithIndicesBackward;
  expect_in_order<Case>(
      pool<Case>({{"grad_input_shape", [](Case& call) { call.grad_input.dims = Dims(4, 1); }},
                  {"self_has_channels_and_plane",
                   [](Case& call) {
                     call.self.dims = call.grad_input.dims = Dims{2, 0, 8, 10};
                   }},
                  {"plane_within_index",
                   [](Case& call) {
                     call.self.dims = call.grad_input.dims = Dims{1, 1, 65536, 32768};
                   }},
                  {"grad_output_shape",
                   [](Case& call) {
                     call.grad_output.dims = Dims{2, 3, 4, 4};
                   }}}),
      kOpening +
          "data_type_supported data_types_equal index_type_supported formats_equal formats_public "
          "channels_last_allowed ranks_allowed ranks_equal " +
          kGeometry +
          "output_not_overlapping kernel_size_length stride_length padding_length dilation_length "
          "kernel_size_positive stride_positive padding_within_half dilation_positive dilation_allowed "
          "grad_input_shape self_has_channels_and_plane plane_within_index windows_exist grad_output_shape "
          "indices_shape");
}

TEST(Order, MaxUnpool3d) {
  using Case = MaxUnpool3d;
  expect_in_order<Case>(
      unpool<Case>(),
      kOpening +
          "data_type_supported data_types_equal index_type_supported formats_public self_rank ranks_equal " +
          kGeometry +
          "out_ref_contiguous indices_shape only_batch_empty output_size_length stride_length padding_length "
          "stride_positive output_size_positive output_size_holds_self out_ref_plane out_ref_batch");
}

TEST(Order, MaxUnpool2d) {
  expect_in_order<MaxUnpool2d>(
      unpool<MaxUnpool2d>(),
      kOpening +
          "data_type_supported data_types_equal index_type_supported formats_public self_rank ranks_equal " +
          kGeometry +
          "output_not_overlapping output_size_length output_size_positive indices_shape only_batch_empty "
          "output_size_holds_self out_plane out_batch");
}

TEST(Order, MaxUnpool2dBackward) {
  expect_in_order<MaxUnpool2dBackward>(
      unpool<MaxUnpool2dBackward>(),
      kOpening +
          "data_type_supported self_type out_type index_type_supported formats_public self_rank "
          "ranks_equal " +
          kGeometry +
          "output_not_overlapping output_size_length grad_output_batch shapes_equal grad_output_plane "
          "grad_output_not_empty");
}

TEST(Order, MaxUnpool3dBackward) {
  using Case = MaxUnpool3dBackward;
  expect_in_order<Case>(
      unpool<Case>(),
      kOpening +
          "data_type_supported data_types_equal index_type_supported formats_public self_rank ranks_equal " +
          kGeometry +
          "out_contiguous shapes_equal only_batch_empty output_size_length stride_length padding_length "
          "stride_positive output_size_positive output_size_holds_self grad_output_plane grad_output_batch");
}

TEST(Order, UpsampleNearest3d) {
  using Case = UpsampleNearest3d;
  expect_in_order<Case>(
      upsample<Case>({{"only_batch_empty",
                       [](Case& call) {
                         call.self.dims = Dims{2, 0, 2, 3, 4};
                       }},
                      {"out_shape", [](Case& call) { call.out.dims = Dims(5, 1); }}}),
      kOpening + "data_type_supported data_types_equal formats_public formats_agree ranks_allowed " +
          kGeometry +
          "output_not_overlapping output_size_length output_size_positive only_batch_empty out_shape "
          "scales_give_sizes");
}

TEST(Order, UpsampleNearest3dBackward) {
  using Case = UpsampleNearest3dBackward;
  const auto sized = [](const Dims& input, const Dims& output) {
    return [=](Case& call) { call.set_sizes(input, output); };
  };
  expect_in_order<Case>(
      upsample<Case>({{"input_size_length", [](Case& call) { call.input_size.values = {}; }},
                      {"input_size_positive",
                       [](Case& call) {
                         call.input_size.values = Dims{2, 3, 0, 0, 0};
                       }},
                      {"grad_input_shape", [](Case& call) { call.input_size.values = Dims(5, 1); }},
                      {"grad_out_shape",
                       [](Case& call) {
                         call.grad_out.dims = Dims{1, 2, 1, 1, 1};
                       }},
                      {"axes_within_limit", sized({2, 3, 1, 1, 1048577}, {1, 1, 1})},
                      {"memory_within_limit", sized({1048576, 1048576, 1, 1, 1}, {1, 1, 1})},
                      {"rows_within_limit", sized({1024, 1, 1, 1, 1}, {2048, 1024, 1})},
                      {"plane_within_limit", sized({1, 1, 1, 65536, 32768}, {1, 1, 1})}}),
      kOpening + "data_type_supported data_types_equal formats_public formats_agree ranks_allowed " +
          kGeometry +
          "output_not_overlapping output_size_length input_size_length output_size_positive "
          "input_size_positive grad_input_shape grad_out_shape axes_within_limit memory_within_limit "
          "rows_within_limit plane_within_limit scales_give_sizes");
}

}  // namespace
}  // namespace contract_test
