// What aclnnMaxPool2dWithIndicesBackward refuses in phase 1, beyond the rules that every operator has.

#include <limits>

#include "contract/rule_test.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

void set_value_type(MaxPool2dCase& call, aclDataType type) {
  for (TensorSpec* tensor : {&call.grad_output, &call.self, &call.grad_input}) tensor->type = type;
}

void set_format(MaxPool2dCase& call, aclFormat format) {
  for (TensorSpec* tensor : {&call.grad_output, &call.self, &call.grad_input}) tensor->format = format;
}

void set_shapes(MaxPool2dCase& call, const Dims& input, const Dims& output) {
  call.self.dims = call.grad_input.dims = input;
  call.grad_output.dims = call.indices.dims = output;
}

RULE_TEST(MaxPool2dWithIndicesBackward, data_type_supported) {
  MaxPool2dCase call;
  for (const char* product : {"portable", "ascend950"}) {
    call.product = product;
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      set_value_type(call, type);
      accepts(call);
    }
    set_value_type(call, ACL_DOUBLE);
    refuses(call, "self has data type DOUBLE", "FLOAT, FLOAT16, BF16");
  }
  for (const char* product : {"atlas-a2", "atlas-a3"}) {
    call.product = product;
    set_value_type(call, ACL_FLOAT);
    accepts(call);
    set_value_type(call, ACL_FLOAT16);
    refuses(call, "self has data type FLOAT16, expected one of FLOAT on Atlas A");
    set_value_type(call, ACL_BF16);
    refuses(call, "self has data type BF16");
  }
}

RULE_TEST(MaxPool2dWithIndicesBackward, index_type_supported) {
  MaxPool2dCase call;
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

RULE_TEST(MaxPool2dWithIndicesBackward, data_types_equal) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& valid) {
    accepts(valid);
    MaxPool2dCase call = valid;
    call.grad_output.type = ACL_FLOAT16;
    refuses(call, "gradOutput has data type FLOAT16", "FLOAT");
    call = valid;
    call.grad_input.type = ACL_BF16;
    refuses(call, "gradInput has data type BF16", "FLOAT");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, formats_equal) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    set_format(call, ACL_FORMAT_NCHW);
    call.indices.format = ACL_FORMAT_NHWC;  // is not compared
    accepts(call);
    call.grad_output.format = ACL_FORMAT_ND;
    refuses(call, "gradOutput has format ND", "NCHW");
    set_format(call, ACL_FORMAT_NCHW);
    call.grad_input.format = ACL_FORMAT_NHWC;
    refuses(call, "gradInput has format NHWC", "NCHW");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, channels_last_allowed) {
  MaxPool2dCase call;
  set_format(call, ACL_FORMAT_NHWC);
  set_shapes(call, {2, 8, 10, 3}, {2, 4, 5, 3});
  for (const char* product : {"portable", "ascend950"}) {
    call.product = product;
    accepts(call);
  }
  for (const char* product : {"atlas-a2", "atlas-a3"}) {
    call.product = product;
    refuses(call, "self has format NHWC", "on Atlas A");
  }
  call.product = "portable";
  set_shapes(call, {8, 10, 3}, {4, 5, 3});
  accepts(call);
  // Only the flag of images moves the axes of images.
  MaxPool2dCase other;
  set_format(other, ACL_FORMAT_NDHWC);
  other.product = "atlas-a2";
  accepts(other);
}

RULE_TEST(MaxPool2dWithIndicesBackward, ranks_allowed) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& valid) {
    MaxPool2dCase call = valid;
    set_shapes(call, {3, 8, 10}, {3, 4, 5});
    accepts(call);
    for (std::size_t i = 0; i < 4; ++i) {
      for (const Dims& dims : {Dims{}, Dims{8, 10}, Dims{1, 2, 3, 8, 10}}) {
        MaxPool2dCase broken = valid;
        broken.tensors()[i]->dims = dims;
        refuses(broken, broken.tensors()[i]->name, "3 or 4");
      }
    }
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, ranks_equal) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& valid) {
    accepts(valid);
    MaxPool2dCase call = valid;
    call.grad_output.dims = {3, 4, 5};
    refuses(call, "gradOutput has shape [3,4,5]");
    call = valid;
    call.indices.dims = {3, 4, 5};
    refuses(call, "indices has shape [3,4,5]");
    call = valid;
    call.grad_input.dims = {3, 8, 10};
    refuses(call, "gradInput has shape [3,8,10]");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, kernel_size_length) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    call.kernel_size.values = {2};
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{2, 2, 2}}) {
      call.kernel_size.values = values;
      refuses(call, "kernelSize", "expected length 1 or 2");
    }
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, stride_length) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    for (const Dims& values : {Dims{}, Dims{2}, Dims{2, 2}}) {
      call.stride.values = values;
      accepts(call);
    }
    call.stride.values = {2, 2, 2};
    refuses(call, "stride is [2,2,2]", "expected length 0 or 1 or 2");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, padding_length) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    call.padding.values = {0};
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{0, 0, 0}}) {
      call.padding.values = values;
      refuses(call, "padding is [", "expected length 1 or 2");
    }
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, dilation_length) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    call.dilation.values = {1};
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{1, 1, 1}}) {
      call.dilation.values = values;
      refuses(call, "dilation is [", "expected length 1 or 2");
    }
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, kernel_size_positive) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    accepts(call);
    for (const Dims& values : {Dims{2, 0}, Dims{-1}}) {
      call.kernel_size.values = values;
      refuses(call, "kernelSize is [", "greater than 0");
    }
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, stride_positive) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    accepts(call);
    for (const Dims& values : {Dims{2, 0}, Dims{-1}}) {
      call.stride.values = values;
      refuses(call, "stride is [", "greater than 0");
    }
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, padding_within_half) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    call.kernel_size.values = {3, 2};
    call.padding.values = {1, 0};
    accepts(call);
    call.padding.values = {2, 0};
    refuses(call, "padding is [2,0], on axis H 2, expected 0 to 1, half of kernelSize 3");
    call.padding.values = {1, 2};
    refuses(call, "on axis W 2");
    call.padding.values = {-1, 0};
    refuses(call, "on axis H -1");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, dilation_positive) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    accepts(call);
    for (const Dims& values : {Dims{0}, Dims{1, -1}}) {
      call.dilation.values = values;
      refuses(call, "dilation is [", "greater than 0");
    }
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, dilation_allowed) {
  MaxPool2dCase call;
  call.kernel_size.values = {2, 1};
  call.dilation.values = {1, 2};
  for (const char* product : {"portable", "ascend950"}) {
    call.product = product;
    accepts(call);
  }
  for (const char* product : {"atlas-a2", "atlas-a3"}) {
    call.product = product;
    refuses(call, "dilation is [1,2], expected only 1 on Atlas A");
  }
}

RULE_TEST(MaxPool2dWithIndicesBackward, grad_input_shape) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    accepts(call);
    call.grad_input.dims = {2, 3, 8, 11};
    refuses(call, "gradInput has shape [2,3,8,11]", "self", "[2,3,8,10]");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, self_has_channels_and_plane) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    set_shapes(call, {0, 3, 8, 10}, {0, 3, 4, 5});
    accepts(call);
    set_shapes(call, {2, 0, 8, 10}, {2, 0, 4, 5});
    refuses(call, "self has shape [2,0,8,10]");
    set_shapes(call, {2, 3, 0, 10}, {2, 3, 0, 5});
    refuses(call, "self has shape [2,3,0,10]");
    set_shapes(call, {2, 3, 8, 0}, {2, 3, 4, 0});
    refuses(call, "self has shape [2,3,8,0]");
    set_shapes(call, {0, 8, 10}, {0, 4, 5});
    refuses(call, "self has shape [0,8,10]");
  });
  // With channels last the first dimension of three is H.
  MaxPool2dCase last;
  set_format(last, ACL_FORMAT_NHWC);
  set_shapes(last, {8, 10, 0}, {4, 5, 0});
  refuses(last, "self has shape [8,10,0]");
}

RULE_TEST(MaxPool2dWithIndicesBackward, plane_within_index) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    set_shapes(call, {1, 1, 65536, 32768}, {1, 1, 32768, 16384});
    refuses(call, "self has shape [1,1,65536,32768]", "2147483648", "INT32", "2147483647");
    call.kernel_size.values = call.stride.values = {1};
    set_shapes(call, {1, 1, 1, 2147483647}, {1, 1, 1, 2147483647});
    accepts(call);
  });
  MaxPool2dCase with_int64;
  set_shapes(with_int64, {1, 1, 65536, 32768}, {1, 1, 32768, 16384});
  with_int64.indices.type = ACL_INT64;
  accepts(with_int64);
  with_int64.product = "ascend950";
  accepts(with_int64);
}

RULE_TEST(MaxPool2dWithIndicesBackward, windows_exist) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    call.kernel_size.values = {8, 10};
    set_shapes(call, {2, 3, 8, 10}, {2, 3, 1, 1});
    accepts(call);
    call.kernel_size.values = {8, 11};
    refuses(call, "kernelSize leaves no window on axis W", "kernelSize [8,11]");
    call.kernel_size.values = {kHuge};
    refuses(call, "on axis H");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, grad_output_shape) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    accepts(call);
    call.grad_output.dims = call.indices.dims = {2, 3, 4, 4};
    refuses(
        call,
        "gradOutput has shape [2,3,4,4] but the forward output for self [2,3,8,10], kernelSize [2,2], stride "
        "[2,2], padding [0,0], ceilMode false is [2,3,4,5]");
    call.grad_output.dims = call.indices.dims = {1, 3, 4, 5};
    refuses(call, "gradOutput has shape [1,3,4,5]");
    set_shapes(call, {0, 3, 8, 10}, {0, 3, 4, 4});
    refuses(call, "gradOutput has shape [0,3,4,4]");
  });
  MaxPool2dCase last;
  set_format(last, ACL_FORMAT_NHWC);
  set_shapes(last, {2, 8, 10, 3}, {2, 3, 4, 5});
  refuses(last, "gradOutput has shape [2,3,4,5]", "is [2,4,5,3]");
}

RULE_TEST(MaxPool2dWithIndicesBackward, indices_shape) {
  on_each_product<MaxPool2dCase>([](MaxPool2dCase& call) {
    accepts(call);
    call.indices.dims = {2, 3, 5, 4};
    refuses(call, "indices has shape [2,3,5,4]", "gradOutput", "[2,3,4,5]");
  });
}

}  // namespace
}  // namespace contract_test
