// A call that breaks two rules is refused by the earlier one.

#include <functional>

#include "contract/rule_test.h"
#include "ops/operators.h"

namespace contract_test {
namespace {

template <typename Case>
struct Breaker {
  const char* rule;
  std::function<void(Case&)> apply;
};

template <typename Case>
void expect_in_order(cairn::Operator op, const std::vector<Breaker<Case>>& breakers) {
  for (const cairn::OperatorInfo& info : cairn::operators()) {
    if (info.op != op) continue;
    const std::vector<cairn::RuleInfo> rules = info.rules();
    ASSERT_EQ(rules.size(), breakers.size());
    for (std::size_t i = 0; i < breakers.size(); ++i) EXPECT_STREQ(rules[i].name, breakers[i].rule);
  }
  for (std::size_t late = 0; late < breakers.size(); ++late) {
    for (std::size_t early = 0; early <= late; ++early) {
      SCOPED_TRACE(std::string(breakers[early].rule) + " before " + breakers[late].rule);
      Case call;
      call.product = "atlas-a2";
      breakers[late].apply(call);
      breakers[early].apply(call);
      expect_refused(run(call), call.product, breakers[early].rule, {});
    }
  }
}

// Rules up to the geometry, the same for every operator but for what lies between.
template <typename Case>
void break_null(Case& call) {
  call.null_executor = true;
}
template <typename Case>
void break_handle(Case& call) {
  call.tensors()[0]->handle = Handle::kMadeUp;
}
template <typename Case>
void break_product(Case& call) {
  call.product = "Ascend910B";
}
template <typename Case>
void break_offer(Case& call) {
  call.product = Case::kRefusing.back();
}
template <typename Case>
void break_format(Case& call) {
  for (TensorSpec* tensor : call.tensors()) tensor->format = ACL_FORMAT_FRACTAL_NZ;
}
template <typename Case>
void break_dims(Case& call) {
  call.tensors()[0]->dims[0] = -1;
}
template <typename Case>
void break_strides(Case& call) {
  call.tensors()[0]->strides = Dims(call.tensors()[0]->dims.size(), -1);
}
template <typename Case>
void break_offset(Case& call) {
  call.tensors()[0]->offset = -1;
}
template <typename Case>
void break_size(Case& call) {
  call.tensors()[0]->offset = INT64_MAX;
}
template <typename Case>
void break_storage(Case& call) {
  call.tensors()[0]->storage = Dims{0};
}
template <typename Case>
void break_overlap(Case& call) {
  call.output().dims = Dims(call.output().dims.size(), 2);
  call.output().strides = Dims(call.output().dims.size(), 0);
}

TEST(Order, MaxPool3dWithArgmaxBackward) {
  using Case = MaxPool3dCase;
  expect_in_order<Case>(cairn::Operator::kMaxPool3dWithArgmaxBackward,
                        {{"arguments_not_null", break_null<Case>},
                         {"handles_live", break_handle<Case>},
                         {"product_known", break_product<Case>},
                         {"operator_offered", break_offer<Case>},
                         {"data_type_supported", [](Case& call) { call.self.type = ACL_DOUBLE; }},
                         {"index_type_supported", [](Case& call) { call.indices.type = ACL_INT64; }},
                         {"data_types_equal", [](Case& call) { call.grad_input.type = ACL_BF16; }},
                         {"formats_equal", [](Case& call) { call.grad_input.format = ACL_FORMAT_NCDHW; }},
                         {"formats_public", break_format<Case>},
                         {"channels_last_allowed",
                          [](Case& call) {
                            call.grad_output.format = call.self.format = call.grad_input.format =
                                ACL_FORMAT_NDHWC;
                          }},
                         {"ranks_allowed", [](Case& call) { call.grad_output.dims = {4}; }},
                         {"ranks_equal",
                          [](Case& call) {
                            call.grad_output.dims = {3, 4, 4, 5};
                          }},
                         {"dims_not_negative", break_dims<Case>},
                         {"strides_not_negative", break_strides<Case>},
                         {"offsets_not_negative", break_offset<Case>},
                         {"sizes_fit", break_size<Case>},
                         {"views_inside_storage", break_storage<Case>},
                         {"output_not_overlapping", break_overlap<Case>},
                         {"kernel_size_length", [](Case& call) { call.kernel_size.values = {}; }},
                         {"kernel_size_positive", [](Case& call) { call.kernel_size.values = {0}; }},
                         {"stride_length",
                          [](Case& call) {
                            call.stride.values = {1, 1};
                          }},
                         {"stride_positive", [](Case& call) { call.stride.values = {0}; }},
                         {"padding_length", [](Case& call) { call.padding.values = {}; }},
                         {"padding_within_half", [](Case& call) { call.padding.values = {INT64_MAX}; }},
                         {"dilation_length", [](Case& call) { call.dilation.values = {}; }},
                         {"dilation_positive", [](Case& call) { call.dilation.values = {0}; }},
                         {"dilation_allowed", [](Case& call) { call.dilation.values = {2}; }},
                         {"plane_within_index",
                          [](Case& call) {
                            call.self.dims = {1, 1, 2, 32768, 32768};
                          }},
                         {"indices_shape",
                          [](Case& call) {
                            call.indices.dims = {1, 1, 1, 1, 1};
                          }},
                         {"grad_input_shape",
                          [](Case& call) {
                            call.grad_input.dims = {1, 1, 1, 1, 1};
                          }},
                         {"windows_exist", [](Case& call) { call.kernel_size.values = {99}; }},
                         {"grad_output_shape", [](Case& call) {
                            call.grad_output.dims = call.indices.dims = {2, 3, 4, 4, 4};
                          }}});
}

TEST(Order, MaxPool2dWithIndicesBackward) {
  using Case = MaxPool2dCase;
  expect_in_order<Case>(cairn::Operator::kMaxPool2dWithIndicesBackward,
                        {{"arguments_not_null", break_null<Case>},
                         {"handles_live", break_handle<Case>},
                         {"product_known", break_product<Case>},
                         {"operator_offered", break_offer<Case>},
                         {"data_type_supported", [](Case& call) { call.self.type = ACL_DOUBLE; }},
                         {"data_types_equal", [](Case& call) { call.grad_input.type = ACL_BF16; }},
                         {"index_type_supported", [](Case& call) { call.indices.type = ACL_INT64; }},
                         {"formats_equal", [](Case& call) { call.grad_input.format = ACL_FORMAT_NCHW; }},
                         {"formats_public", break_format<Case>},
                         {"channels_last_allowed",
                          [](Case& call) {
                            call.grad_output.format = call.self.format = call.grad_input.format =
                                ACL_FORMAT_NHWC;
                          }},
                         {"ranks_allowed", [](Case& call) { call.grad_output.dims = {4}; }},
                         {"ranks_equal",
                          [](Case& call) {
                            call.grad_output.dims = {3, 4, 5};
                          }},
                         {"dims_not_negative", break_dims<Case>},
                         {"strides_not_negative", break_strides<Case>},
                         {"offsets_not_negative", break_offset<Case>},
                         {"sizes_fit", break_size<Case>},
                         {"views_inside_storage", break_storage<Case>},
                         {"output_not_overlapping", break_overlap<Case>},
                         {"kernel_size_length", [](Case& call) { call.kernel_size.values = {}; }},
                         {"stride_length",
                          [](Case& call) {
                            call.stride.values = {1, 1, 1};
                          }},
                         {"padding_length", [](Case& call) { call.padding.values = {}; }},
                         {"dilation_length", [](Case& call) { call.dilation.values = {}; }},
                         {"kernel_size_positive", [](Case& call) { call.kernel_size.values = {0}; }},
                         {"stride_positive", [](Case& call) { call.stride.values = {0}; }},
                         {"padding_within_half", [](Case& call) { call.padding.values = {INT64_MAX}; }},
                         {"dilation_positive", [](Case& call) { call.dilation.values = {0}; }},
                         {"dilation_allowed", [](Case& call) { call.dilation.values = {2}; }},
                         {"grad_input_shape",
                          [](Case& call) {
                            call.grad_input.dims = {1, 1, 1, 1};
                          }},
                         {"self_has_channels_and_plane",
                          [](Case& call) {
                            call.self.dims = call.grad_input.dims = {2, 0, 8, 10};
                          }},
                         {"plane_within_index",
                          [](Case& call) {
                            call.self.dims = call.grad_input.dims = {1, 1, 65536, 32768};
                          }},
                         {"windows_exist", [](Case& call) { call.kernel_size.values = {99}; }},
                         {"grad_output_shape",
                          [](Case& call) {
                            call.grad_output.dims = {2, 3, 4, 4};
                          }},
                         {"indices_shape", [](Case& call) {
                            call.indices.dims = {1, 1, 1, 1};
                          }}});
}

TEST(Order, MaxUnpool3dBackward) {
  using Case = MaxUnpool3dCase;
  expect_in_order<Case>(cairn::Operator::kMaxUnpool3dBackward,
                        {{"arguments_not_null", break_null<Case>},
                         {"handles_live", break_handle<Case>},
                         {"product_known", break_product<Case>},
                         {"operator_offered", break_offer<Case>},
                         {"data_type_supported", [](Case& call) { call.grad_output.type = ACL_BF16; }},
                         {"data_types_equal", [](Case& call) { call.out.type = ACL_BF16; }},
                         {"index_type_supported", [](Case& call) { call.indices.type = ACL_INT32; }},
                         {"formats_public", break_format<Case>},
                         {"self_rank", [](Case& call) { call.self.dims = {4}; }},
                         {"ranks_equal",
                          [](Case& call) {
                            call.grad_output.dims = {3, 4, 4, 5};
                          }},
                         {"dims_not_negative", break_dims<Case>},
                         {"strides_not_negative", break_strides<Case>},
                         {"offsets_not_negative", break_offset<Case>},
                         {"sizes_fit", break_size<Case>},
                         {"views_inside_storage", break_storage<Case>},
                         {"out_contiguous", break_overlap<Case>},
                         {"shapes_equal",
                          [](Case& call) {
                            call.indices.dims = {1, 1, 1, 1, 1};
                          }},
                         {"only_batch_empty",
                          [](Case& call) {
                            call.self.dims = call.indices.dims = call.out.dims = {2, 0, 2, 3, 4};
                          }},
                         {"output_size_length", [](Case& call) { call.output_size.values = {}; }},
                         {"stride_length", [](Case& call) { call.stride.values = {}; }},
                         {"padding_length", [](Case& call) { call.padding.values = {}; }},
                         {"stride_positive",
                          [](Case& call) {
                            call.stride.values = {0, 0, 0};
                          }},
                         {"output_size_positive",
                          [](Case& call) {
                            call.output_size.values = {0, 0, 0};
                          }},
                         {"output_size_holds_self",
                          [](Case& call) {
                            call.output_size.values = {1, 1, 1};
                          }},
                         {"grad_output_plane",
                          [](Case& call) {
                            call.output_size.values = {9, 9, 9};
                          }},
                         {"grad_output_batch", [](Case& call) { call.grad_output.dims[0] = 9; }}});
}

TEST(Order, UpsampleNearest3dBackward) {
  using Case = UpsampleNearest3dCase;
  const auto set_sizes = [](Case& call, const Dims& input, const Dims& output) {
    call.grad_input.dims = call.input_size.values = input;
    call.output_size.values = output;
    call.grad_out.dims = {input[0], input[1], output[0], output[1], output[2]};
  };
  expect_in_order<Case>(cairn::Operator::kUpsampleNearest3dBackward,
                        {{"arguments_not_null", break_null<Case>},
                         {"handles_live", break_handle<Case>},
                         {"product_known", break_product<Case>},
                         {"operator_offered", break_offer<Case>},
                         {"data_type_supported", [](Case& call) { call.grad_out.type = ACL_INT8; }},
                         {"data_types_equal", [](Case& call) { call.grad_input.type = ACL_BF16; }},
                         {"formats_public", break_format<Case>},
                         {"formats_agree", [](Case& call) { call.grad_input.format = ACL_FORMAT_NDHWC; }},
                         {"ranks_allowed", [](Case& call) { call.grad_out.dims = {4}; }},
                         {"dims_not_negative", break_dims<Case>},
                         {"strides_not_negative", break_strides<Case>},
                         {"offsets_not_negative", break_offset<Case>},
                         {"sizes_fit", break_size<Case>},
                         {"views_inside_storage", break_storage<Case>},
                         {"output_not_overlapping", break_overlap<Case>},
                         {"output_size_length", [](Case& call) { call.output_size.values = {}; }},
                         {"input_size_length", [](Case& call) { call.input_size.values = {}; }},
                         {"output_size_positive",
                          [](Case& call) {
                            call.output_size.values = {0, 0, 0};
                          }},
                         {"input_size_positive",
                          [](Case& call) {
                            call.input_size.values = {2, 3, 0, 0, 0};
                          }},
                         {"grad_input_shape",
                          [](Case& call) {
                            call.input_size.values = {1, 1, 1, 1, 1};
                          }},
                         {"grad_out_shape",
                          [](Case& call) {
                            call.grad_out.dims = {1, 2, 1, 1, 1};
                          }},
                         {"axes_within_limit",
                          [&](Case& call) {
                            set_sizes(call, {2, 3, 1, 1, 1048577}, {1, 1, 1});
                          }},
                         {"memory_within_limit",
                          [&](Case& call) {
                            set_sizes(call, {1048576, 1048576, 1, 1, 1}, {1, 1, 1});
                          }},
                         {"rows_within_limit",
                          [&](Case& call) {
                            set_sizes(call, {1024, 1, 1, 1, 1}, {2048, 1024, 1});
                          }},
                         {"plane_within_limit",
                          [&](Case& call) {
                            set_sizes(call, {1, 1, 1, 65536, 32768}, {1, 1, 1});
                          }},
                         {"scales_give_sizes", [](Case& call) {
                            call.scales = {9, 9, 9};
                          }}});
}

}  // namespace
}  // namespace contract_test
