// What the gradients of max pooling, 2D and 3D, refuse in phase 1, beyond the rules that they share with it.

#include <limits>

#include "contract/pooling_cases.h"

namespace contract_test {
namespace {

using Volumes = MaxPool3dWithArgmaxBackward;
using Images = MaxPool2dWithIndicesBackward;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

RULE_TEST(MaxPool3dWithArgmaxBackward, data_type_supported) {
  on_each_product<Volumes>([](Volumes& call) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      set_value_type(call, type);
      accepts(call);
    }
    for (const aclDataType type : {ACL_INT32, ACL_DT_UNDEFINED, ACL_FLOAT4_E1M2}) {
      set_value_type(call, type);
      refuses(call, "self has data type", "FLOAT, FLOAT16, BF16");
    }
    double_in_portable_alone(call);
    set_value_type(call, static_cast<aclDataType>(60));
    refuses(call, "number 60");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, data_type_supported) {
  Images call;
  for (const char* product : {"portable", "ascend950"}) {
    call.product = product;
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      set_value_type(call, type);
      accepts(call);
    }
    double_in_portable_alone(call);
  }
  for (const char* product : {"atlas-a2", "atlas-a3"}) {
    call.product = product;
    set_value_type(call, ACL_FLOAT);
    accepts(call);
    set_value_type(call, ACL_FLOAT16);
    refuses(call, "self has data type FLOAT16, expected FLOAT on Atlas A");
    set_value_type(call, ACL_BF16);
    refuses(call, "self has data type BF16");
  }
}

template <typename Case>
void index_type_supported() {
  Case call;
  for (const char* product : {"portable", "ascend950"}) {
    call.product = product;
    for (const aclDataType type : {ACL_INT32, ACL_INT64}) {
      call.indices.type = type;
      accepts(call);
    }
    call.indices.type = ACL_INT8;
    refuses(call, "indices has data type INT8", "INT32, INT64");
  }
  for (const char* product : {"atlas-a2", "atlas-a3"}) {
    call.product = product;
    call.indices.type = ACL_INT32;
    accepts(call);
    for (const aclDataType type : {ACL_INT64, ACL_INT8}) {
      call.indices.type = type;
      refuses(call, "indices has data type", "INT32 on Atlas A");
    }
  }
}

template <typename Case>
void data_types_equal() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    Case call = valid;
    call.grad_output.type = ACL_FLOAT16;
    refuses(call, "gradOutput has data type FLOAT16", "FLOAT");
    call = valid;
    call.grad_input.type = ACL_BF16;
    refuses(call, "gradInput has data type BF16", "FLOAT");
  });
}

template <typename Case>
void formats_equal() {
  on_each_product<Case>([](Case& call) {
    set_format(call, ACL_FORMAT_NCHW);
    call.indices.format = ACL_FORMAT_NDHWC;  // is not compared
    accepts(call);
    call.grad_output.format = ACL_FORMAT_ND;
    refuses(call, "gradOutput has format ND", "NCHW");
    set_format(call, ACL_FORMAT_NCHW);
    call.grad_input.format = ACL_FORMAT_NCDHW;
    refuses(call, "gradInput has format NCDHW", "NCHW");
  });
}

template <typename Case>
void indices_shape() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.indices.dims.back() = 6;
    refuses(call, "indices has shape [2,3,4,", "6]", "gradOutput", "4,5]");
  });
}

template <typename Case>
void grad_input_shape() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.grad_input.dims.back() = 11;
    refuses(call, "gradInput has shape [2,3,8,", "11]", "self", "8,10]");
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, grad_output_shape) {
  on_each_product<Volumes>([](Volumes& valid) {
    accepts(valid);
    Volumes call = valid;
    call.grad_output.dims = call.indices.dims = {2, 3, 4, 4, 4};
    refuses(
        call,
        "gradOutput has shape [2,3,4,4,4] but the forward output for self [2,3,8,8,10], kernelSize [2,2,2], "
        "stride [2,2,2], padding [0,0,0], ceilMode false is [2,3,4,4,5]");
    call.grad_output.dims = call.indices.dims = {2, 4, 4, 4, 5};
    refuses(call, "gradOutput has shape [2,4,4,4,5]");
    call.grad_output.dims = call.indices.dims = {1, 3, 4, 4, 5};
    refuses(call, "gradOutput has shape [1,3,4,4,5]");
  });
  Volumes dilated;
  dilated.dilation.values = {3};
  refuses(dilated, "dilation [3,3,3]", "is [2,3,3,3,4]");
}

RULE_TEST(MaxPool2dWithIndicesBackward, grad_output_shape) {
  on_each_product<Images>([](Images& call) {
    accepts(call);
    call.grad_output.dims = call.indices.dims = {2, 3, 4, 4};
    refuses(
        call,
        "gradOutput has shape [2,3,4,4] but the forward output for self [2,3,8,10], kernelSize [2,2], stride "
        "[2,2], padding [0,0], ceilMode false is [2,3,4,5]");
    call.grad_output.dims = call.indices.dims = {1, 3, 4, 5};
    refuses(call, "gradOutput has shape [1,3,4,5]");
    call.set_shapes({0, 3, 8, 10}, {0, 3, 4, 4});
    refuses(call, "gradOutput has shape [0,3,4,4]");
  });
  Images last;
  set_format(last, ACL_FORMAT_NHWC);
  last.set_shapes({2, 8, 10, 3}, {2, 3, 4, 5});
  refuses(last, "gradOutput has shape [2,3,4,5]", "is [2,4,5,3]");
}

TEST(MaxPool3dWithArgmaxBackwardShapes, ForwardOutputSizes) {
  struct Axis {
    std::int64_t size, kernel, stride, padding, dilation;
    bool ceil;
    std::int64_t windows;
  };
  // The last two rows: the decrement of ceilMode, and a window larger than the input.
  const Axis kAxes[] = {
      {10, 3, 2, 0, 1, false, 4}, {10, 3, 2, 0, 1, true, 5},  {10, 3, 2, 1, 1, false, 5},
      {10, 3, 2, 1, 1, true, 6},  {10, 2, 5, 0, 1, false, 2}, {10, 3, 1, 0, 4, false, 2},
      {10, 3, 3, 1, 4, true, 2},  {7, 7, 1, 3, 1, false, 7},  {2, 2, 1, 1, 1, false, 3},
      {5, 2, 3, 1, 1, true, 2},   {1, 2, 2, 0, 1, true, 1},
  };
  for (const Axis& axis : kAxes) {
    Volumes call;
    call.kernel_size.values = {1, 1, axis.kernel};
    call.stride.values = {1, 1, axis.stride};
    call.padding.values = {0, 0, axis.padding};
    call.dilation.values = {1, 1, axis.dilation};
    call.ceil_mode = axis.ceil;
    call.set_shapes({1, 1, 1, 1, axis.size}, {1, 1, 1, 1, axis.windows});
    accepts(call);
    for (const std::int64_t wrong : {axis.windows - 1, axis.windows + 1}) {
      call.grad_output.dims.back() = call.indices.dims.back() = wrong;
      expect_refused(run(call), call.product, "grad_output_shape", {"gradOutput"});
    }
  }
}

TEST(MaxPool3dWithArgmaxBackwardShapes, EmptyTensors) {
  on_each_product<Volumes>([](Volumes& valid) {
    Volumes call = valid;
    call.set_shapes({0, 3, 8, 8, 10}, {0, 3, 4, 4, 5});
    accepts(call);
    call.set_shapes({2, 0, 8, 8, 10}, {2, 0, 4, 4, 5});
    accepts(call);
    call.set_shapes({2, 3, 0, 8, 10}, {2, 3, 0, 4, 5});
    accepts(call);
    call.set_shapes({2, 3, 0, 8, 10}, {2, 3, 1, 4, 5});
    expect_refused(run(call), call.product, "grad_output_shape", {"gradOutput"});
    // Padding makes room for one window on an axis that has no position.
    call.kernel_size.values = {2, 2, 2};
    call.padding.values = {1, 0, 0};
    accepts(call);
    call.set_shapes({2, 3, 0, 8, 10}, {2, 3, 0, 4, 5});
    expect_refused(run(call), call.product, "grad_output_shape", {"gradOutput"});
    // A batch without volumes must still have a shape that fits.
    call = valid;
    call.set_shapes({0, 3, 8, 8, 10}, {0, 3, 4, 4, 4});
    expect_refused(run(call), call.product, "grad_output_shape", {"gradOutput"});
  });
}

TEST(MaxPool3dWithArgmaxBackwardShapes, WindowValuesAsLargeAsTheirTypeAllowsDoNotOverflow) {
  Volumes call;
  call.kernel_size.values = {1, 1, 2};
  call.stride.values = {kHuge};
  call.ceil_mode = true;
  call.set_shapes({1, 1, 3, 3, 3}, {1, 1, 1, 1, 1});
  accepts(call);
  call.kernel_size.values = {kHuge - 1};
  call.padding.values = {kHuge / 2};
  accepts(call);
}

}  // namespace

#define BACKWARD_RULES(suite)              \
  SHARED_RULE(suite, index_type_supported) \
  SHARED_RULE(suite, data_types_equal)     \
  SHARED_RULE(suite, formats_equal)        \
  SHARED_RULE(suite, indices_shape)        \
  SHARED_RULE(suite, grad_input_shape)

BACKWARD_RULES(MaxPool3dWithArgmaxBackward)
BACKWARD_RULES(MaxPool2dWithIndicesBackward)

}  // namespace contract_test
