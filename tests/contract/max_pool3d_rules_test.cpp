// What aclnnMaxPool3dWithArgmaxBackward refuses in phase 1, beyond the rules that every operator has.

#include <limits>

#include "contract/rule_test.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

void set_value_type(MaxPool3dCase& call, aclDataType type) {
  for (TensorSpec* tensor : {&call.grad_output, &call.self, &call.grad_input}) tensor->type = type;
}

void set_format(MaxPool3dCase& call, aclFormat format) {
  for (TensorSpec* tensor : {&call.grad_output, &call.self, &call.grad_input}) tensor->format = format;
}

void set_shapes(MaxPool3dCase& call, const Dims& input, const Dims& output) {
  call.self.dims = call.grad_input.dims = input;
  call.grad_output.dims = call.indices.dims = output;
}

// Positions in the plane just past what an INT32 index reaches: 2 · 2^15 · 2^15.
void make_plane_too_large(MaxPool3dCase& call) {
  set_shapes(call, {1, 1, 2, 32768, 32768}, {1, 1, 1, 16384, 16384});
}

RULE_TEST(MaxPool3dWithArgmaxBackward, data_type_supported) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      set_value_type(call, type);
      accepts(call);
    }
    for (const aclDataType type : {ACL_DOUBLE, ACL_INT32, ACL_DT_UNDEFINED, ACL_FLOAT4_E1M2}) {
      set_value_type(call, type);
      refuses(call, "self has data type", "FLOAT, FLOAT16, BF16");
    }
    set_value_type(call, ACL_DOUBLE);
    refuses(call, "DOUBLE");
    set_value_type(call, static_cast<aclDataType>(60));
    refuses(call, "number 60");
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, index_type_supported) {
  MaxPool3dCase call;
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
    call.indices.type = ACL_INT64;
    refuses(call, "indices has data type INT64", "INT32", "on Atlas A");
  }
}

RULE_TEST(MaxPool3dWithArgmaxBackward, data_types_equal) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    call.grad_output.type = ACL_FLOAT16;
    refuses(call, "gradOutput has data type FLOAT16", "FLOAT");
    call.grad_input.type = ACL_FLOAT16;
    call.self.type = ACL_FLOAT16;
    accepts(call);
    call.grad_input.type = ACL_BF16;
    refuses(call, "gradInput has data type BF16", "FLOAT16");
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, formats_equal) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    set_format(call, ACL_FORMAT_NCDHW);
    call.indices.format = ACL_FORMAT_ND;  // is not compared
    accepts(call);
    call.grad_output.format = ACL_FORMAT_ND;
    refuses(call, "gradOutput has format ND", "NCDHW");
    set_format(call, ACL_FORMAT_NCDHW);
    call.grad_input.format = ACL_FORMAT_NCHW;
    refuses(call, "gradInput has format NCHW", "NCDHW");
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, channels_last_allowed) {
  MaxPool3dCase call;
  set_format(call, ACL_FORMAT_NDHWC);
  set_shapes(call, {2, 8, 8, 10, 3}, {2, 4, 4, 5, 3});
  accepts(call);
  set_shapes(call, {8, 8, 10, 3}, {4, 4, 5, 3});
  accepts(call);
  for (const char* product : {"atlas-a2", "atlas-a3", "ascend950"}) {
    call.product = product;
    refuses(call, "self has format NDHWC");
  }
  // Only the flag of volumes moves the axes of volumes.
  MaxPool3dCase other;
  set_format(other, ACL_FORMAT_NHWC);
  accepts(other);
}

RULE_TEST(MaxPool3dWithArgmaxBackward, ranks_allowed) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& valid) {
    MaxPool3dCase call = valid;
    set_shapes(call, {3, 8, 8, 10}, {3, 4, 4, 5});
    accepts(call);
    for (std::size_t i = 0; i < 4; ++i) {
      for (const Dims& dims : {Dims{}, Dims{8, 8, 10}, Dims{1, 2, 3, 8, 8, 10}}) {
        MaxPool3dCase broken = valid;
        broken.tensors()[i]->dims = dims;
        refuses(broken, broken.tensors()[i]->name, "4 or 5");
      }
    }
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, ranks_equal) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& valid) {
    MaxPool3dCase call = valid;
    call.grad_output.dims = {3, 4, 4, 5};
    refuses(call, "gradOutput has shape [3,4,4,5]");
    call = valid;
    call.indices.dims = {3, 4, 4, 5};
    refuses(call, "indices has shape [3,4,4,5]");
    call = valid;
    call.grad_input.dims = {3, 8, 8, 10};
    refuses(call, "gradInput has shape [3,8,8,10]");
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, kernel_size_length) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    call.kernel_size.values = {2};
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{2, 2}, Dims{2, 2, 2, 2}}) {
      call.kernel_size.values = values;
      refuses(call, "kernelSize", "expected length 1 or 3");
    }
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, kernel_size_positive) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    accepts(call);
    for (const Dims& values : {Dims{2, 0, 2}, Dims{2, 2, -1}, Dims{0}}) {
      call.kernel_size.values = values;
      refuses(call, "kernelSize is [", "greater than 0");
    }
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, stride_length) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    for (const Dims& values : {Dims{}, Dims{2}, Dims{2, 2, 2}}) {
      call.stride.values = values;
      accepts(call);
    }
    for (const Dims& values : {Dims{2, 2}, Dims{2, 2, 2, 2}}) {
      call.stride.values = values;
      refuses(call, "stride is [", "expected length 0 or 1 or 3");
    }
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, stride_positive) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    accepts(call);
    for (const Dims& values : {Dims{2, 2, 0}, Dims{-2}}) {
      call.stride.values = values;
      refuses(call, "stride is [", "greater than 0");
    }
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, padding_length) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    call.padding.values = {0};
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{0, 0}, Dims{0, 0, 0, 0}}) {
      call.padding.values = values;
      refuses(call, "padding is [", "expected length 1 or 3");
    }
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, padding_within_half) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    call.kernel_size.values = {3, 3, 2};
    call.padding.values = {1, 1, 0};
    accepts(call);
    call.padding.values = {2, 1, 0};
    refuses(call, "padding is [2,1,0], on axis D 2, expected 0 to 1, half of kernelSize 3");
    call.padding.values = {1, 2, 0};
    refuses(call, "on axis H 2");
    call.padding.values = {1, 1, 2};
    refuses(call, "on axis W 2");
    call.padding.values = {1, -1, 0};
    refuses(call, "on axis H -1");
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, dilation_length) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    call.dilation.values = {1};
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{1, 1}, Dims{1, 1, 1, 1}}) {
      call.dilation.values = values;
      refuses(call, "dilation is [", "expected length 1 or 3");
    }
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, dilation_positive) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    accepts(call);
    for (const Dims& values : {Dims{0}, Dims{1, -1, 1}}) {
      call.dilation.values = values;
      refuses(call, "dilation is [", "greater than 0");
    }
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, dilation_allowed) {
  MaxPool3dCase call;
  call.kernel_size.values = {2, 1, 2};
  call.dilation.values = {1, 2, 1};
  accepts(call);
  for (const char* product : {"atlas-a2", "atlas-a3", "ascend950"}) {
    call.product = product;
    call.dilation.values = {1, 1, 1};
    accepts(call);
    call.dilation.values = {1, 2, 1};
    refuses(call, "dilation is [1,2,1], expected only 1 on A");
  }
}

RULE_TEST(MaxPool3dWithArgmaxBackward, plane_within_index) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    make_plane_too_large(call);
    refuses(call, "self has shape [1,1,2,32768,32768]", "2147483648", "INT32", "2147483647");
    call.kernel_size.values = call.stride.values = {1};
    set_shapes(call, {1, 1, 1, 1, 2147483647}, {1, 1, 1, 1, 2147483647});
    accepts(call);
  });
  MaxPool3dCase with_int64;
  make_plane_too_large(with_int64);
  with_int64.indices.type = ACL_INT64;
  accepts(with_int64);
  with_int64.product = "ascend950";
  accepts(with_int64);
}

RULE_TEST(MaxPool3dWithArgmaxBackward, indices_shape) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    accepts(call);
    call.indices.dims = {2, 3, 4, 5, 4};
    refuses(call, "indices has shape [2,3,4,5,4]", "gradOutput", "[2,3,4,4,5]");
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, grad_input_shape) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    accepts(call);
    call.grad_input.dims = {2, 3, 8, 8, 11};
    refuses(call, "gradInput has shape [2,3,8,8,11]", "self", "[2,3,8,8,10]");
  });
}

RULE_TEST(MaxPool3dWithArgmaxBackward, windows_exist) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& call) {
    call.kernel_size.values = {8, 8, 10};
    set_shapes(call, {2, 3, 8, 8, 10}, {2, 3, 1, 1, 1});
    accepts(call);
    call.kernel_size.values = {8, 9, 10};
    refuses(call, "kernelSize leaves no window on axis H", "kernelSize [8,9,10]");
    call.ceil_mode = true;  // a window that lacks less than a stride counts
    accepts(call);
    call.kernel_size.values = {8, 10, 10};
    refuses(call, "on axis H", "ceilMode true");
    call.kernel_size.values = {kHuge};
    call.stride.values = {kHuge};
    call.ceil_mode = false;
    refuses(call, "kernelSize [9223372036854775807");
  });
  MaxPool3dCase dilated;
  dilated.dilation.values = {kHuge};
  dilated.kernel_size.values = {kHuge};
  refuses(dilated, "dilation [9223372036854775807");
}

RULE_TEST(MaxPool3dWithArgmaxBackward, grad_output_shape) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& valid) {
    accepts(valid);
    MaxPool3dCase call = valid;
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
  MaxPool3dCase dilated;
  dilated.dilation.values = {3};
  refuses(dilated, "dilation [3,3,3]", "is [2,3,3,3,4]");
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
    MaxPool3dCase call;
    call.kernel_size.values = {1, 1, axis.kernel};
    call.stride.values = {1, 1, axis.stride};
    call.padding.values = {0, 0, axis.padding};
    call.dilation.values = {1, 1, axis.dilation};
    call.ceil_mode = axis.ceil;
    set_shapes(call, {1, 1, 1, 1, axis.size}, {1, 1, 1, 1, axis.windows});
    accepts(call);
    for (const std::int64_t wrong : {axis.windows - 1, axis.windows + 1}) {
      call.grad_output.dims.back() = call.indices.dims.back() = wrong;
      expect_refused(run(call), call.product, "grad_output_shape", {"gradOutput"});
    }
  }
}

TEST(MaxPool3dWithArgmaxBackwardShapes, EmptyTensors) {
  on_each_product<MaxPool3dCase>([](MaxPool3dCase& valid) {
    MaxPool3dCase call = valid;
    set_shapes(call, {0, 3, 8, 8, 10}, {0, 3, 4, 4, 5});
    accepts(call);
    set_shapes(call, {2, 0, 8, 8, 10}, {2, 0, 4, 4, 5});
    accepts(call);
    set_shapes(call, {2, 3, 0, 8, 10}, {2, 3, 0, 4, 5});
    accepts(call);
    set_shapes(call, {2, 3, 0, 8, 10}, {2, 3, 1, 4, 5});
    expect_refused(run(call), call.product, "grad_output_shape", {"gradOutput"});
    // Padding makes room for one window on an axis that has no position.
    call.kernel_size.values = {2, 2, 2};
    call.padding.values = {1, 0, 0};
    accepts(call);
    set_shapes(call, {2, 3, 0, 8, 10}, {2, 3, 0, 4, 5});
    expect_refused(run(call), call.product, "grad_output_shape", {"gradOutput"});
    // A batch without volumes must still have a shape that fits.
    call = valid;
    set_shapes(call, {0, 3, 8, 8, 10}, {0, 3, 4, 4, 4});
    expect_refused(run(call), call.product, "grad_output_shape", {"gradOutput"});
  });
}

TEST(MaxPool3dWithArgmaxBackwardShapes, WindowValuesAsLargeAsTheirTypeAllowsDoNotOverflow) {
  MaxPool3dCase call;
  call.kernel_size.values = {1, 1, 2};
  call.stride.values = {kHuge};
  call.ceil_mode = true;
  set_shapes(call, {1, 1, 3, 3, 3}, {1, 1, 1, 1, 1});
  accepts(call);
  call.kernel_size.values = {kHuge - 1};
  call.padding.values = {kHuge / 2};
  accepts(call);
}

}  // namespace
}  // namespace contract_test
