// In which order adaptive max pooling and its gradient look at their arguments.

#include "contract/adaptive_max_cases.h"
#include "contract/order_test.h"

namespace contract_test {
namespace {

template <typename Case>
void set_too_large(Case& call, aclDataType index_type) {
  call.indices.type = index_type;
  call.self.dims = Case::cut({1, 1, 1, 65536, 65536});
  if constexpr (!kForward<Case>) call.grad_input.dims = call.self.dims;
}

template <typename Case>
Breakers<Case> adaptive(Breakers<Case> more) {
  more.merge(Breakers<Case>{
      {"data_type_supported", [](Case& call) { call.self.type = ACL_INT32; }},
      {"index_type_supported", [](Case& call) { call.indices.type = ACL_INT8; }},
      {"formats_equal", [](Case& call) { call.outputs()[0]->format = ACL_FORMAT_NCL; }},
      {"ranks_allowed", [](Case& call) { call.outputs()[0]->dims = {4}; }},
      {"ranks_equal", [](Case& call) { call.outputs()[0]->dims = Dims(Case::kSpatial + 1, 4); }},
      {"output_not_overlapping", overlap<Case>},
      {"indices_shape", [](Case& call) { call.indices.dims = Dims(Case::kSpatial + 2, 1); }},
      {"plane_within_index", [](Case& call) { set_too_large(call, ACL_INT32); }}});
  return with_common(std::move(more));
}

const std::string kTypes = "data_type_supported data_types_equal index_type_supported formats_public ";

template <typename Case>
void forward_in_order() {
  expect_in_order<Case>(
      adaptive<Case>({{"formats_allowed",
                       [](Case& call) {  // on a product that names some
                         call.product = "atlas-a2";
                         call.indices.type = Case::kVolumes ? ACL_INT32 : ACL_INT64;
                         set_format(call, ACL_FORMAT_HWCN);
                       }},
                      {"output_size_length",
                       [](Case& call) {
                         call.output_size.values = {1, 1, 1, 1};
                       }},
                      {"output_size_positive", [](Case& call) { call.output_size.values[0] = 0; }},
                      {"only_batch_empty", [](Case& call) { call.self.dims[1] = 0; }},
                      {"out_shape",
                       [](Case& call) { call.out.dims = call.indices.dims = Dims(Case::kSpatial + 2, 5); }}}),
      kOpening + kTypes + "formats_equal formats_allowed ranks_allowed ranks_equal " + kGeometry +
          "output_not_overlapping output_size_length output_size_positive only_batch_empty "
          "plane_within_index out_shape indices_shape",
      "portable");
}
TEST(Order, AdaptiveMaxPool2d) { forward_in_order<AdaptiveMaxPool2d>(); }
TEST(Order, AdaptiveMaxPool3d) { forward_in_order<AdaptiveMaxPool3d>(); }

template <typename Case>
void backward_in_order() {
  const auto uneven = [](Case& call) {
    call.set_shapes(Case::cut({1, 1, 1, 1, (1 << 24) + 1}), Case::cut({1, 1, 1, 1, 2}));
  };
  const auto other_batch = [](Case& call) { call.grad_output.dims[0] = call.indices.dims[0] = 9; };
  expect_in_order<Case>(
      adaptive<Case>(
          {{"channels_last_allowed", [](Case& call) { set_last(call, true); }},
           {"grad_input_shape", [](Case& call) { call.grad_input.dims = Dims(Case::kSpatial + 2, 1); }},
           {"plane_within_limit", [](Case& call) { set_too_large(call, ACL_INT64); }},
           {"grad_output_batch", other_batch},
           {"uneven_plane_within_limit", uneven}}),
      kOpening + kTypes + "formats_equal channels_last_allowed ranks_allowed ranks_equal " + kGeometry +
          "output_not_overlapping indices_shape grad_input_shape plane_within_index " +
          (Case::kVolumes ? "" : "plane_within_limit ") + "grad_output_batch uneven_plane_within_limit");
}
TEST(Order, AdaptiveMaxPool2dBackward) { backward_in_order<AdaptiveMaxPool2dBackward>(); }
TEST(Order, AdaptiveMaxPool3dBackward) { backward_in_order<AdaptiveMaxPool3dBackward>(); }

}  // namespace
}  // namespace contract_test
