// What linear, cubic and antialiased upsampling and their gradients refuse in phase 1 of types, formats,
// lists and shapes.

#include <algorithm>

#include "contract/upsample_linear_cases.h"
#include "contract/upsample_rules.h"

namespace contract_test {
namespace {

using Types = std::vector<aclDataType>;

const Types kFour = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
const Types kThree = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
const Types kWithoutBf16 = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE};
const Types kTwo = {ACL_FLOAT, ACL_FLOAT16};

// Portable takes all four. The others: A2 and A3, 950, training, inference and 200I/500.
template <typename Case>
void types_allowed(const Types& a2, const Types& ascend950, const Types& training, const Types& inference) {
  on_each_product<Case>([&](Case& valid) {
    const Types& allowed = valid.product == "portable"                                  ? kFour
                           : valid.product == "ascend950"                               ? ascend950
                           : valid.product == "atlas-training"                          ? training
                           : valid.product == "atlas-a2" || valid.product == "atlas-a3" ? a2
                                                                                        : inference;
    for (const aclDataType type :
         {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_UINT8, ACL_INT8, ACL_INT32, ACL_BOOL}) {
      Case call = valid;
      if (type == ACL_DOUBLE && Case::kSpatial == 2 && std::count(allowed.begin(), allowed.end(), type) > 0)
        set_channels_last(call);
      for (TensorSpec* tensor : call.tensors()) tensor->type = type;
      if (std::count(allowed.begin(), allowed.end(), type) > 0) {
        accepts(call);
      } else {
        refuses(call, call.tensors()[0]->name, "has data type", "FLOAT16");
      }
    }
  });
}

RULE_TEST(UpsampleLinear1d, data_type_supported) {
  types_allowed<UpsampleLinear1d>(kThree, kThree, kTwo, {});
}
RULE_TEST(UpsampleBilinear2d, data_type_supported) {
  types_allowed<UpsampleBilinear2d>(kFour, kFour, kWithoutBf16, kWithoutBf16);
}
RULE_TEST(UpsampleTrilinear3d, data_type_supported) {
  types_allowed<UpsampleTrilinear3d>(kFour, kThree, kWithoutBf16, kTwo);
}
RULE_TEST(UpsampleBicubic2d, data_type_supported) {
  types_allowed<UpsampleBicubic2d>(kThree, kThree, kTwo, kTwo);
}
RULE_TEST(UpsampleBilinear2dAA, data_type_supported) {
  types_allowed<UpsampleBilinear2dAA>(kThree, kThree, {}, {});
}
RULE_TEST(UpsampleBicubic2dAA, data_type_supported) {
  types_allowed<UpsampleBicubic2dAA>(kThree, kThree, {}, {});
}
RULE_TEST(UpsampleLinear1dBackward, data_type_supported) {
  types_allowed<UpsampleLinear1dBackward>(kThree, kThree, kTwo, {});
}
RULE_TEST(UpsampleBilinear2dBackward, data_type_supported) {
  types_allowed<UpsampleBilinear2dBackward>(kTwo, kThree, kTwo, kTwo);
}
RULE_TEST(UpsampleBilinear2dBackwardV2, data_type_supported) {
  types_allowed<UpsampleBilinear2dBackwardV2>(kThree, kThree, kTwo, kTwo);
}
RULE_TEST(UpsampleTrilinear3dBackward, data_type_supported) {
  types_allowed<UpsampleTrilinear3dBackward>(kFour, {}, kWithoutBf16, kFour);
}
RULE_TEST(UpsampleBicubic2dBackward, data_type_supported) {
  types_allowed<UpsampleBicubic2dBackward>(kThree, kThree, kTwo, {});
}
RULE_TEST(UpsampleBilinear2dAABackward, data_type_supported) {
  types_allowed<UpsampleBilinear2dAABackward>(kThree, kThree, {}, {});
}
RULE_TEST(UpsampleBicubic2dAAGrad, data_type_supported) {
  types_allowed<UpsampleBicubic2dAAGrad>(kThree, kThree, {}, {});
}

// FLOAT is rounded to the others on two products.
RULE_TEST(UpsampleBilinear2dBackward, out_type) {
  on_each_product<UpsampleBilinear2dBackward>([](UpsampleBilinear2dBackward& call) {
    accepts(call);
    call.grad_input.type = ACL_BF16;
    refuses(call, "out has data type BF16, expected FLOAT16", "gradOut");
    call.grad_input.type = ACL_FLOAT;
    refuses(call, "out has data type FLOAT, expected FLOAT16");
    call.grad_out.type = ACL_FLOAT;
    for (const aclDataType type : kThree) {
      call.grad_input.type = type;
      if (type == ACL_FLOAT || call.product == "portable" || call.product == "ascend950") {
        accepts(call);
      } else {
        refuses(call, "out has data type", "expected FLOAT");
      }
    }
    call.grad_input.type = ACL_DOUBLE;
    refuses(call, "out has data type DOUBLE");
  });
}

RULE_TEST(UpsampleBilinear2d, double_channels_last) {
  on_each_product<UpsampleBilinear2d>([](UpsampleBilinear2d& call) {
    for (TensorSpec* tensor : call.tensors()) tensor->type = ACL_DOUBLE;
    if (call.product == "portable") {
      accepts(call);
    } else {
      refuses(call, "self has data type DOUBLE and format NCHW, expected NHWC", "on A");
    }
    set_channels_last(call);
    accepts(call);
  });
}

const Formats kPlane = {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC};
const Formats kVolume = {ACL_FORMAT_ND, ACL_FORMAT_NCDHW};  // and NDHWC
const Formats kCubic = {ACL_FORMAT_ND, ACL_FORMAT_NCHW};
const Formats kCubicOn950 = {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC};

template <typename Case>
void volume_formats() {
  only_formats<Case>(kVolume);
  on_each_product<Case>([](Case& call) {
    set_channels_last(call);
    accepts(call);
  });
}

RULE_TEST(UpsampleBilinear2d, formats_allowed) { only_formats<UpsampleBilinear2d>(kPlane); }
RULE_TEST(UpsampleTrilinear3d, formats_allowed) { volume_formats<UpsampleTrilinear3d>(); }
RULE_TEST(UpsampleBicubic2d, formats_allowed) { only_formats<UpsampleBicubic2d>(kCubic, kCubicOn950); }
RULE_TEST(UpsampleBilinear2dAA, formats_allowed) { only_formats<UpsampleBilinear2dAA>(kCubic); }
RULE_TEST(UpsampleBicubic2dAA, formats_allowed) { only_formats<UpsampleBicubic2dAA>(kCubic); }
RULE_TEST(UpsampleBilinear2dBackward, formats_allowed) { only_formats<UpsampleBilinear2dBackward>(kPlane); }
RULE_TEST(UpsampleBilinear2dBackwardV2, formats_allowed) {
  only_formats<UpsampleBilinear2dBackwardV2>(kPlane);
}
RULE_TEST(UpsampleTrilinear3dBackward, formats_allowed) { volume_formats<UpsampleTrilinear3dBackward>(); }
RULE_TEST(UpsampleBicubic2dBackward, formats_allowed) {
  only_formats<UpsampleBicubic2dBackward>(kCubic, kCubicOn950);
}
RULE_TEST(UpsampleBilinear2dAABackward, formats_allowed) {
  only_formats<UpsampleBilinear2dAABackward>(kCubic);
}
RULE_TEST(UpsampleBicubic2dAAGrad, formats_allowed) { only_formats<UpsampleBicubic2dAAGrad>(kCubic); }

// Some products know antialiasing of something alone.
template <typename Case>
void not_empty() {
  on_each_product<Case>([](Case& call) {
    call.set_sizes({0, 3, 2, 3, 4}, {4, 6, 8});
    if (call.product == "portable") return accepts(call);
    refuses(call, "has shape [0,3,", "expected no dimension to be 0 on A");
    if (!Case::kBackward) return;
    call.set_sizes({2, 0, 2, 3, 4}, {4, 6, 8});
    refuses(call, "has shape [2,0,");
  });
}

}  // namespace

#define RULES_OF_ALL(suite)              \
  SHARED_RULE(suite, ranks_allowed)      \
  SHARED_RULE(suite, output_size_length) \
  SHARED_RULE(suite, output_size_positive)
UPSAMPLE_LINEAR_OPERATORS(RULES_OF_ALL)

SHARED_RULE(UpsampleLinear1d, data_types_equal)
SHARED_RULE(UpsampleBilinear2d, data_types_equal)
SHARED_RULE(UpsampleTrilinear3d, data_types_equal)
SHARED_RULE(UpsampleBicubic2d, data_types_equal)
SHARED_RULE(UpsampleBilinear2dAA, data_types_equal)
SHARED_RULE(UpsampleBicubic2dAA, data_types_equal)
SHARED_RULE(UpsampleLinear1dBackward, data_types_equal)
SHARED_RULE(UpsampleBilinear2dBackwardV2, data_types_equal)
SHARED_RULE(UpsampleTrilinear3dBackward, data_types_equal)
SHARED_RULE(UpsampleBicubic2dBackward, data_types_equal)
SHARED_RULE(UpsampleBilinear2dAABackward, data_types_equal)
SHARED_RULE(UpsampleBicubic2dAAGrad, data_types_equal)

#define RULES_OF_FORWARD(suite)        \
  SHARED_RULE(suite, only_batch_empty) \
  SHARED_RULE(suite, out_shape)
RULES_OF_FORWARD(UpsampleLinear1d)
RULES_OF_FORWARD(UpsampleBilinear2d)
RULES_OF_FORWARD(UpsampleTrilinear3d)
RULES_OF_FORWARD(UpsampleBicubic2d)
RULES_OF_FORWARD(UpsampleBilinear2dAA)
RULES_OF_FORWARD(UpsampleBicubic2dAA)

#define RULES_OF_BACKWARD(suite)          \
  SHARED_RULE(suite, input_size_length)   \
  SHARED_RULE(suite, input_size_positive) \
  SHARED_RULE(suite, grad_input_shape)    \
  SHARED_RULE(suite, grad_out_shape)
RULES_OF_BACKWARD(UpsampleLinear1dBackward)
RULES_OF_BACKWARD(UpsampleBilinear2dBackward)
RULES_OF_BACKWARD(UpsampleBilinear2dBackwardV2)
RULES_OF_BACKWARD(UpsampleTrilinear3dBackward)
RULES_OF_BACKWARD(UpsampleBicubic2dBackward)
RULES_OF_BACKWARD(UpsampleBilinear2dAABackward)
RULES_OF_BACKWARD(UpsampleBicubic2dAAGrad)

SHARED_RULE(UpsampleBilinear2d, formats_agree)
SHARED_RULE(UpsampleTrilinear3d, formats_agree)
SHARED_RULE(UpsampleBicubic2d, formats_agree)
SHARED_RULE(UpsampleBilinear2dAA, formats_agree)
SHARED_RULE(UpsampleBicubic2dAA, formats_agree)
SHARED_RULE(UpsampleBilinear2dBackward, formats_agree)
SHARED_RULE(UpsampleBilinear2dBackwardV2, formats_agree)
SHARED_RULE(UpsampleTrilinear3dBackward, formats_agree)
SHARED_RULE(UpsampleBicubic2dBackward, formats_agree)
SHARED_RULE(UpsampleBilinear2dAABackward, formats_agree)
SHARED_RULE(UpsampleBicubic2dAAGrad, formats_agree)

SHARED_RULE(UpsampleBicubic2d, formats_equal)
SHARED_RULE(UpsampleBilinear2dAA, formats_equal)
SHARED_RULE(UpsampleBicubic2dBackward, formats_equal)
SHARED_RULE(UpsampleBilinear2dAABackward, formats_equal)
SHARED_RULE(UpsampleBicubic2dAAGrad, formats_equal)

SHARED_RULE(UpsampleBilinear2dAA, not_empty)
SHARED_RULE(UpsampleBilinear2dAABackward, not_empty)
SHARED_RULE(UpsampleBicubic2dAAGrad, not_empty)

}  // namespace contract_test
