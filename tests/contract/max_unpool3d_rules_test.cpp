// What aclnnMaxUnpool3dBackward refuses in phase 1, beyond the rules that every operator has.

#include <limits>

#include "contract/rule_test.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

void set_value_type(MaxUnpool3dCase& call, aclDataType type) {
  for (TensorSpec* tensor : {&call.grad_output, &call.self, &call.out}) tensor->type = type;
}

void set_shapes(MaxUnpool3dCase& call, const Dims& pooled, const Dims& unpooled) {
  call.self.dims = call.indices.dims = call.out.dims = pooled;
  call.grad_output.dims = unpooled;
}

RULE_TEST(MaxUnpool3dBackward, data_type_supported) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    for (const aclDataType type :
         {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_UINT8, ACL_INT16, ACL_INT32, ACL_INT64}) {
      set_value_type(call, type);
      accepts(call);
    }
    for (const aclDataType type : {ACL_BOOL, ACL_UINT16, ACL_COMPLEX64}) {
      set_value_type(call, type);
      refuses(call, "gradOutput has data type", "FLOAT, FLOAT16");
    }
    set_value_type(call, ACL_BF16);
    if (call.product == "portable") {
      accepts(call);
    } else {
      refuses(call, "gradOutput has data type BF16");
    }
  });
}

RULE_TEST(MaxUnpool3dBackward, data_types_equal) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& valid) {
    accepts(valid);
    MaxUnpool3dCase call = valid;
    call.self.type = ACL_INT32;
    refuses(call, "self has data type INT32", "FLOAT");
    call = valid;
    call.out.type = ACL_FLOAT16;
    refuses(call, "out has data type FLOAT16", "FLOAT");
  });
}

RULE_TEST(MaxUnpool3dBackward, index_type_supported) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    accepts(call);
    call.indices.type = ACL_UINT8;
    refuses(call, "indices has data type UINT8", "INT64");
    call.indices.type = ACL_INT32;
    if (call.product == "portable") {
      accepts(call);
    } else {
      refuses(call, "indices has data type INT32", "INT64 on A");
    }
  });
}

RULE_TEST(MaxUnpool3dBackward, self_rank) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    set_shapes(call, {2, 2, 3, 4}, {2, 4, 6, 8});
    accepts(call);
    for (const Dims& dims : {Dims{}, Dims{2, 3, 4}, Dims{1, 2, 3, 2, 3, 4}}) {
      call.self.dims = dims;
      refuses(call, "self has shape", "4 or 5");
    }
  });
}

RULE_TEST(MaxUnpool3dBackward, ranks_equal) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& valid) {
    accepts(valid);
    for (std::size_t i : {0, 2, 3}) {
      MaxUnpool3dCase call = valid;
      TensorSpec& tensor = *call.tensors()[i];
      tensor.dims.erase(tensor.dims.begin());
      refuses(call, tensor.name, "of 4 dimensions, expected 5");
      tensor.dims.clear();
      refuses(call, tensor.name, "of 0 dimensions, expected 5");
    }
  });
}

RULE_TEST(MaxUnpool3dBackward, out_contiguous) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& valid) {
    MaxUnpool3dCase call = valid;
    call.out.strides = Dims{72, 24, 12, 4, 1};
    call.out.offset = 5;
    accepts(call);
    call.out.strides = Dims{73, 24, 12, 4, 1};
    refuses(call, "out with shape [2,3,2,3,4] has strides [73,24,12,4,1]", "contiguous");
    call.out.strides = Dims{72, 24, 12, 4, 2};
    refuses(call, "out");
    call.out.strides = Dims{0, 0, 0, 0, 0};
    refuses(call, "out");
    // The stride of an axis with one position says nothing, and neither do those of a tensor without
    // elements.
    set_shapes(call, {1, 3, 2, 3, 4}, {1, 3, 4, 6, 8});
    call.out.strides = Dims{999, 24, 12, 4, 1};
    accepts(call);
    set_shapes(call, {0, 3, 2, 3, 4}, {0, 3, 4, 6, 8});
    call.out.strides = Dims{5, 5, 5, 5, 5};
    accepts(call);
    // The inputs may lie anyhow.
    call = valid;
    call.grad_output.strides = Dims{0, 0, 0, 0, 0};
    call.indices.strides = Dims{1, 2, 6, 12, 36};
    accepts(call);
  });
}

RULE_TEST(MaxUnpool3dBackward, shapes_equal) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& valid) {
    accepts(valid);
    MaxUnpool3dCase call = valid;
    call.indices.dims = {2, 3, 2, 4, 3};
    refuses(call, "indices has shape [2,3,2,4,3]", "self", "[2,3,2,3,4]");
    call = valid;
    call.out.dims = {2, 3, 2, 3, 5};
    refuses(call, "out has shape [2,3,2,3,5]", "self");
  });
}

RULE_TEST(MaxUnpool3dBackward, only_batch_empty) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    set_shapes(call, {0, 3, 2, 3, 4}, {0, 3, 4, 6, 8});
    accepts(call);
    set_shapes(call, {2, 0, 2, 3, 4}, {2, 0, 4, 6, 8});
    refuses(call, "self has shape [2,0,2,3,4]");
    set_shapes(call, {2, 3, 2, 0, 4}, {2, 3, 4, 6, 8});
    refuses(call, "self has shape [2,3,2,0,4]");
    set_shapes(call, {0, 2, 3, 4}, {0, 4, 6, 8});
    accepts(call);
    set_shapes(call, {2, 2, 3, 0}, {2, 4, 6, 8});
    refuses(call, "self has shape [2,2,3,0]");
  });
}

RULE_TEST(MaxUnpool3dBackward, output_size_length) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{4, 6}, Dims{4, 6, 8, 1}}) {
      call.output_size.values = values;
      refuses(call, "outputSize is [", "expected length 3");
    }
  });
}

RULE_TEST(MaxUnpool3dBackward, stride_length) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{2}, Dims{2, 2, 2, 2}}) {
      call.stride.values = values;
      refuses(call, "stride is [", "expected length 3");
    }
  });
}

RULE_TEST(MaxUnpool3dBackward, padding_length) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    call.padding.values = {-5, 99, kHuge};  // the values are not looked at
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{0}, Dims{0, 0, 0, 0}}) {
      call.padding.values = values;
      refuses(call, "padding is [", "expected length 3");
    }
  });
}

RULE_TEST(MaxUnpool3dBackward, stride_positive) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    call.stride.values = {1, 1, kHuge};
    accepts(call);
    call.stride.values = {1, 0, 1};
    refuses(call, "stride is [1,0,1]");
    call.stride.values = {1, 1, -1};
    refuses(call, "stride is [1,1,-1]");
  });
}

RULE_TEST(MaxUnpool3dBackward, output_size_positive) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    accepts(call);
    call.output_size.values = {4, 0, 8};
    refuses(call, "outputSize is [4,0,8]");
    call.output_size.values = {-4, -6, 8};
    refuses(call, "outputSize is [-4,-6,8]");
  });
}

RULE_TEST(MaxUnpool3dBackward, output_size_holds_self) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    // Only the products count: one axis may shrink.
    call.output_size.values = {1, 4, 6};
    call.grad_output.dims = {2, 3, 1, 4, 6};
    accepts(call);
    call.output_size.values = {1, 4, 5};
    call.grad_output.dims = {2, 3, 1, 4, 5};
    refuses(call, "outputSize is [1,4,5] with 20 positions", "24", "self [2,3,2,3,4]");
  });
}

RULE_TEST(MaxUnpool3dBackward, grad_output_plane) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    accepts(call);
    call.grad_output.dims = {2, 3, 4, 8, 6};
    refuses(call, "gradOutput has shape [2,3,4,8,6]", "outputSize [4,6,8]");
    call.grad_output.dims = {2, 3, 4, 6, 8};
    call.output_size.values = {kHuge, kHuge, kHuge};
    refuses(call, "gradOutput has shape", "outputSize [9223372036854775807");
  });
}

RULE_TEST(MaxUnpool3dBackward, grad_output_batch) {
  on_each_product<MaxUnpool3dCase>([](MaxUnpool3dCase& call) {
    accepts(call);
    call.grad_output.dims = {3, 3, 4, 6, 8};
    refuses(call, "gradOutput has shape [3,3,4,6,8]", "N and C", "self [2,3,2,3,4]");
    call.grad_output.dims = {2, 2, 4, 6, 8};
    refuses(call, "gradOutput has shape [2,2,4,6,8]");
    set_shapes(call, {2, 2, 3, 4}, {3, 4, 6, 8});
    refuses(call, "gradOutput has shape [3,4,6,8]", "expected N to be as in self");
  });
}

}  // namespace
}  // namespace contract_test
