// The order of the rules of the gradients.

#include "contract/order_test.h"

namespace contract_test {
namespace {

TEST(Order, MaxPool3dWithArgmaxBackward) {
  using Case = MaxPool3dWithArgmaxBackward;
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
  using Case = MaxPool2dWithIndicesBackward;
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
  using Case = MaxUnpool3dBackward;
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
  using Case = UpsampleNearest3dBackward;
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
                          [](Case& call) {
                            call.set_sizes({2, 3, 1, 1, 1048577}, {1, 1, 1});
                          }},
                         {"memory_within_limit",
                          [](Case& call) {
                            call.set_sizes({1048576, 1048576, 1, 1, 1}, {1, 1, 1});
                          }},
                         {"rows_within_limit",
                          [](Case& call) {
                            call.set_sizes({1024, 1, 1, 1, 1}, {2048, 1024, 1});
                          }},
                         {"plane_within_limit",
                          [](Case& call) {
                            call.set_sizes({1, 1, 1, 65536, 32768}, {1, 1, 1});
                          }},
                         {"scales_give_sizes", [](Case& call) {
                            call.scales = {9, 9, 9};
                          }}});
}

}  // namespace
}  // namespace contract_test
