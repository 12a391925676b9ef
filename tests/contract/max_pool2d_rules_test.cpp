// What aclnnMaxPool2dWithIndicesBackward refuses in phase 1, beyond the rules that it shares.

#include "contract/rule_test.h"

namespace contract_test {
namespace {

using Call = MaxPool2dWithIndicesBackward;

RULE_TEST(MaxPool2dWithIndicesBackward, data_type_supported) {
  Call call;
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
    refuses(call, "self has data type FLOAT16, expected FLOAT on Atlas A");
    set_value_type(call, ACL_BF16);
    refuses(call, "self has data type BF16");
  }
}

RULE_TEST(MaxPool2dWithIndicesBackward, index_type_supported) {
  Call call;
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
  on_each_product<Call>([](Call& valid) {
    accepts(valid);
    Call call = valid;
    call.grad_output.type = ACL_FLOAT16;
    refuses(call, "gradOutput has data type FLOAT16", "FLOAT");
    call = valid;
    call.grad_input.type = ACL_BF16;
    refuses(call, "gradInput has data type BF16", "FLOAT");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, formats_equal) {
  on_each_product<Call>([](Call& call) {
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

RULE_TEST(MaxPool2dWithIndicesBackward, grad_input_shape) {
  on_each_product<Call>([](Call& call) {
    accepts(call);
    call.grad_input.dims = {2, 3, 8, 11};
    refuses(call, "gradInput has shape [2,3,8,11]", "self", "[2,3,8,10]");
  });
}

RULE_TEST(MaxPool2dWithIndicesBackward, grad_output_shape) {
  on_each_product<Call>([](Call& call) {
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
  Call last;
  set_format(last, ACL_FORMAT_NHWC);
  last.set_shapes({2, 8, 10, 3}, {2, 3, 4, 5});
  refuses(last, "gradOutput has shape [2,3,4,5]", "is [2,4,5,3]");
}

RULE_TEST(MaxPool2dWithIndicesBackward, indices_shape) {
  on_each_product<Call>([](Call& call) {
    accepts(call);
    call.indices.dims = {2, 3, 5, 4};
    refuses(call, "indices has shape [2,3,5,4]", "gradOutput", "[2,3,4,5]");
  });
}

}  // namespace
}  // namespace contract_test
