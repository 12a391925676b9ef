// What upsampling and its gradients refuse in phase 1 of formats, lists and shapes.

#include "contract/upsample_rules.h"

namespace contract_test {
namespace {

const Formats kLine = {ACL_FORMAT_NCL, ACL_FORMAT_ND};
const Formats kPlane = {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC};

RULE_TEST(UpsampleNearest1d, formats_allowed) { only_formats<UpsampleNearest1d>({ACL_FORMAT_NCL}); }
RULE_TEST(UpsampleNearest1dV2, formats_allowed) { only_formats<UpsampleNearest1dV2>({ACL_FORMAT_NCL}); }
RULE_TEST(UpsampleNearest2d, formats_allowed) { only_formats<UpsampleNearest2d>(kPlane); }
RULE_TEST(UpsampleNearest2dV2, formats_allowed) { only_formats<UpsampleNearest2dV2>(kPlane); }
RULE_TEST(UpsampleNearestExact1d, formats_allowed) { only_formats<UpsampleNearestExact1d>(kLine); }
RULE_TEST(UpsampleNearestExact2d, formats_allowed) {
  only_formats<UpsampleNearestExact2d>({ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_ND});
}
RULE_TEST(UpsampleNearest1dBackward, formats_allowed) {
  only_formats<UpsampleNearest1dBackward>(kLine);
  // The two are not compared.
  on_each_product<UpsampleNearest1dBackward>([](UpsampleNearest1dBackward& call) {
    call.grad_out.format = ACL_FORMAT_ND;
    accepts(call);
  });
}
RULE_TEST(UpsampleNearest2dBackward, formats_allowed) { only_formats<UpsampleNearest2dBackward>(kPlane); }
RULE_TEST(UpsampleNearestExact1dBackward, formats_allowed) {
  only_formats<UpsampleNearestExact1dBackward>(kLine);
}
RULE_TEST(UpsampleNearestExact2dBackward, formats_allowed) {
  only_formats<UpsampleNearestExact2dBackward>({ACL_FORMAT_NCHW, ACL_FORMAT_ND});
}

// With the flag either order must make sense: no C where H is 0.
void sizes_in_either_order(UpsampleNearest3dBackward call) {
  set_channels_last(call);
  for (const Dims& size : {Dims{2, 2, 0, 4, 3}, Dims{2, 2, 3, 0, 3}, Dims{2, 0, 3, 4, 0},
                           Dims{2, 2, 3, 4, -1}, Dims{-1, 2, 3, 4, 3}}) {
    call.input_size.values = size;
    refuses(call, "inputSize is [");
  }
}
RULE_TEST(UpsampleNearest3dBackward, input_size_positive) {
  input_size_positive<UpsampleNearest3dBackward>();
  on_each_product<UpsampleNearest3dBackward>(sizes_in_either_order);
}

}  // namespace

#define RULES_OF_ALL(suite)              \
  SHARED_RULE(suite, data_types_equal)   \
  SHARED_RULE(suite, ranks_allowed)      \
  SHARED_RULE(suite, output_size_length) \
  SHARED_RULE(suite, output_size_positive)
UPSAMPLE_OPERATORS(RULES_OF_ALL)

#define RULES_OF_FORWARD(suite) SHARED_RULE(suite, out_shape)
RULES_OF_FORWARD(UpsampleNearest3d)
RULES_OF_FORWARD(UpsampleNearest1d)
RULES_OF_FORWARD(UpsampleNearest2d)
RULES_OF_FORWARD(UpsampleNearest1dV2)
RULES_OF_FORWARD(UpsampleNearest2dV2)
RULES_OF_FORWARD(UpsampleNearestExact1d)
RULES_OF_FORWARD(UpsampleNearestExact2d)
RULES_OF_FORWARD(UpsampleNearestExact3d)

#define RULES_OF_BACKWARD(suite)        \
  SHARED_RULE(suite, input_size_length) \
  SHARED_RULE(suite, grad_input_shape)  \
  SHARED_RULE(suite, grad_out_shape)
RULES_OF_BACKWARD(UpsampleNearest3dBackward)
RULES_OF_BACKWARD(UpsampleNearest1dBackward)
RULES_OF_BACKWARD(UpsampleNearest2dBackward)
RULES_OF_BACKWARD(UpsampleNearestExact1dBackward)
RULES_OF_BACKWARD(UpsampleNearestExact2dBackward)
RULES_OF_BACKWARD(UpsampleNearestExact3dBackward)
SHARED_RULE(UpsampleNearest1dBackward, input_size_positive)
SHARED_RULE(UpsampleNearest2dBackward, input_size_positive)
SHARED_RULE(UpsampleNearestExact1dBackward, input_size_positive)
SHARED_RULE(UpsampleNearestExact2dBackward, input_size_positive)
SHARED_RULE(UpsampleNearestExact3dBackward, input_size_positive)

SHARED_RULE(UpsampleNearest3d, formats_agree)
SHARED_RULE(UpsampleNearest2d, formats_agree)
SHARED_RULE(UpsampleNearest2dV2, formats_agree)
SHARED_RULE(UpsampleNearestExact2d, formats_agree)
SHARED_RULE(UpsampleNearestExact3d, formats_agree)
SHARED_RULE(UpsampleNearest3dBackward, formats_agree)
SHARED_RULE(UpsampleNearest2dBackward, formats_agree)
SHARED_RULE(UpsampleNearestExact2dBackward, formats_agree)
SHARED_RULE(UpsampleNearestExact3dBackward, formats_agree)

SHARED_RULE(UpsampleNearestExact1d, formats_equal)
SHARED_RULE(UpsampleNearestExact2d, formats_equal)
SHARED_RULE(UpsampleNearestExact1dBackward, formats_equal)
SHARED_RULE(UpsampleNearestExact2dBackward, formats_equal)

SHARED_RULE(UpsampleNearest3d, only_batch_empty)
SHARED_RULE(UpsampleNearest1d, only_batch_empty)
SHARED_RULE(UpsampleNearest2d, only_batch_empty)
SHARED_RULE(UpsampleNearest1dV2, only_batch_empty)
SHARED_RULE(UpsampleNearestExact1d, only_batch_empty)
SHARED_RULE(UpsampleNearestExact3d, only_batch_empty)
SHARED_RULE(UpsampleNearest2dV2, plane_not_empty)
SHARED_RULE(UpsampleNearestExact2d, plane_not_empty)

}  // namespace contract_test
