// A call that breaks two rules is refused by the earlier one.

#include "contract/order_test.h"

#include "contract/pooling_cases.h"

namespace contract_test {
namespace {

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

TEST(Order, MaxPool) {
  using Case = MaxPool;
  expect_in_order<Case>(
      with_common<Case>({{"data_type_supported", [](Case& call) { call.self.type = ACL_INT32; }},
                         {"formats_equal", [](Case& call) { call.out.format = ACL_FORMAT_NCDHW; }},
                         {"formats_allowed", [](Case& call) { set_format(call, ACL_FORMAT_NHWC); }},
                         {"ranks_allowed", [](Case& call) { call.out.dims = {4}; }},
                         {"ranks_equal", [](Case& call) { call.out.dims = Dims(3, 4); }},
                         {"output_not_overlapping", overlap<Case>},
                         {"kernel_shape_length", [](Case& call) { call.kernel_shape.values = {}; }},
                         {"strides_length", [](Case& call) { call.strides.values = Dims(3, 1); }},
                         {"pads_length", [](Case& call) { call.pads.values = Dims(3, 0); }},
                         {"dilations_length", [](Case& call) { call.dilations.values = Dims(3, 1); }},
                         {"auto_pad_zero", [](Case& call) { call.auto_pad = 1; }},
                         {"dilations_allowed", [](Case& call) { call.dilations.values = {2}; }},
                         {"kernel_shape_positive", [](Case& call) { call.kernel_shape.values = {0}; }},
                         {"strides_positive", [](Case& call) { call.strides.values = {0}; }},
                         {"pads_not_negative", [](Case& call) { call.pads.values = {-1}; }},
                         {"pads_within_kernel", [](Case& call) { call.pads.values = {INT64_MAX}; }},
                         {"self_has_channels_and_plane",
                          [](Case& call) {
                            call.self.dims = Dims{2, 0, 8, 10};
                          }},
                         {"windows_exist", [](Case& call) { call.kernel_shape.values = {99}; }},
                         {"out_shape",
                          [](Case& call) {
                            call.out.dims = Dims{2, 3, 4, 4};
                          }}}),
      kOpening + "data_type_supported data_types_equal formats_equal formats_public formats_allowed " +
          "ranks_allowed ranks_equal " + kGeometry +
          "output_not_overlapping kernel_shape_length strides_length pads_length dilations_length "
          "auto_pad_zero dilations_allowed kernel_shape_positive strides_positive pads_not_negative "
          "pads_within_kernel self_has_channels_and_plane windows_exist out_shape");
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

}  // namespace
}  // namespace contract_test
