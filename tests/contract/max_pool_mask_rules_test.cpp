// What pooling with a mask and its gradient refuse in phase 1, beyond the rules that they share with other
// pooling.

#include <algorithm>

#include "contract/pooling_cases.h"

namespace contract_test {
namespace {

template <typename Case>
void data_type_supported() {
  const auto types = [](const std::string& product) -> std::vector<aclDataType> {
    if (product == "atlas-inference") return {ACL_FLOAT};
    if (product == "atlas-training") return {ACL_FLOAT, ACL_FLOAT16};
    if (product == "portable") return {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
    return {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
  };
  on_each_product<Case>([&](Case& call) {
    const std::vector<aclDataType> allowed = types(call.product);
    for (const aclDataType type :
         {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_INT32, ACL_DT_UNDEFINED}) {
      set_value_type(call, type);
      if (std::find(allowed.begin(), allowed.end(), type) != allowed.end()) {
        accepts(call);
      } else {
        refuses(call, "self has data type", "FLOAT");
      }
    }
  });
}

template <typename Case>
void index_type_supported() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    for (const aclDataType type : {ACL_UINT8, ACL_INT32, ACL_INT64}) {
      call.indices.type = type;
      refuses(call, "indices has data type", "expected INT8");
    }
  });
}

// Each tensor that must be like self in turn.
template <typename Case, typename Break>
void each_but_self(Break break_it) {
  on_each_product<Case>([&](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < valid.values().size(); ++i) {
      Case call = valid;
      TensorSpec& tensor = *call.values()[i];
      if (&tensor == &call.self) continue;
      break_it(tensor);
      refuses(call, tensor.name, "as self has");
    }
  });
}

template <typename Case>
void data_types_equal() {
  each_but_self<Case>([](TensorSpec& tensor) { tensor.type = ACL_FLOAT16; });
}

template <typename Case>
void formats_equal() {
  each_but_self<Case>([](TensorSpec& tensor) { tensor.format = ACL_FORMAT_NCHW; });
  on_each_product<Case>([](Case& call) {
    call.indices.format = ACL_FORMAT_NHWC;  // is not compared
    accepts(call);
  });
}

template <typename Case>
void formats_in_order() {
  on_each_product<Case>([](Case& call) {
    const bool any = call.product == "portable";
    for (const aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NCHW}) {
      set_format(call, format);
      accepts(call);
    }
    for (const aclFormat format : {ACL_FORMAT_NCL, ACL_FORMAT_HWCN, ACL_FORMAT_NDHWC}) {
      set_format(call, format);
      any ? accepts(call) : refuses(call, "self has format", "ND, NCHW or");
    }
    set_format(call, ACL_FORMAT_NHWC);
    refuses(call, "self has format NHWC");
    call.set_shapes({3, 8, 10}, {3, 4, 5});
    refuses(call, "self has format NHWC");
    set_format(call, ACL_FORMAT_NCL);
    accepts(call);
  });
}

template <typename Case>
void mask_contiguous() {
  on_each_product<Case>([](Case& call) {
    for (const std::int64_t offset : {0, 1, 64}) {
      call.indices.offset = offset;
      accepts(call);
    }
    call.indices.strides = {3 * 4 * 96, 4 * 96, 96, 1};
    accepts(call);
    for (const Dims& strides :
         {Dims{3 * 4 * 96, 4 * 96, 96, 2}, Dims{3 * 4 * 97, 4 * 97, 97, 1}, Dims(4, 0)}) {
      call.indices.strides = strides;
      refuses(call, "indices with shape [2,3,4,96]", "contiguous");
    }
  });
}

template <typename Case>
void plane_within_mask() {
  on_each_product<Case>([](Case& call) {
    call.set_shapes({1, 1, 65536, 32768}, {1, 1, 32768, 16384});
    refuses(call, "self has shape [1,1,65536,32768]", "2147483648", "2147483647");
    call.kernel_size.values = call.stride.values = {1};
    call.set_shapes({1, 1, 1, 2147483647}, {1, 1, 1, 2147483647});
    accepts(call);
  });
}

template <typename Case>
void mask_shape() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    const std::vector<Dims> wrong = {{1, 3, 4, 96},  {2, 4, 4, 96}, {2, 3, 2, 96}, {2, 3, 4, 64},
                                     {2, 3, 4, 128}, {2, 3, 96, 4}, {2, 3, 4, 5}};
    for (const Dims& dims : wrong) {
      Case call = valid;
      call.indices.dims = dims;
      refuses(call, "indices has shape [", "kernelSize [2,2]", "is [2,3,4,96]");
    }
    Case call = valid;
    call.set_shapes({3, 8, 10}, {3, 4, 5});
    accepts(call);
    call.indices.dims = {2, 4, 96};
    refuses(call, "is [3,4,96]");
    call.set_shapes({3, 8, 8}, {3, 4, 4});  // 16 windows are one group and another
    call.indices.dims = {3, 4, 64};
    accepts(call);
  });
}

template <typename Case>
void pooled_shape(const char* name) {
  on_each_product<Case>([=](Case& call) {
    accepts(call);
    call.pooled().dims = {2, 3, 4, 4};
    refuses(call, std::string(name) + " has shape [2,3,4,4] but the forward output for self [2,3,8,10]",
            "is [2,3,4,5]");
    call.pooled().dims = {1, 3, 4, 5};
    refuses(call, std::string(name) + " has shape [1,3,4,5]");
  });
}

RULE_TEST(MaxPool2dWithMask, out_shape) { pooled_shape<MaxPool2dWithMask>("out"); }
RULE_TEST(MaxPool2dWithMaskBackward, grad_output_shape) {
  pooled_shape<MaxPool2dWithMaskBackward>("gradOutput");
}

RULE_TEST(MaxPool2dWithMaskBackward, grad_input_shape) {
  on_each_product<MaxPool2dWithMaskBackward>([](MaxPool2dWithMaskBackward& call) {
    accepts(call);
    call.grad_input.dims.back() = 11;
    refuses(call, "gradInput has shape [2,3,8,11]", "self, [2,3,8,10]");
  });
}

// The shapes of the vendor's own programs and tests.
TEST(MaxPool2dWithMaskShapes, AsTheVendorHasThem) {
  on_each_product<MaxPool2dWithMask>([](MaxPool2dWithMask& call) {
    call.set_shapes({1, 1, 4, 3}, {1, 1, 2, 1});
    call.indices.dims = {1, 1, 4, 64};
    accepts(call);
  });
  on_each_product<MaxPool2dWithMaskBackward>([](MaxPool2dWithMaskBackward& call) {
    call.kernel_size.values = {1, 1};
    call.set_shapes({1, 1, 4, 3}, {1, 1, 2, 2});
    call.indices.dims = {1, 1, 1, 64};
    accepts(call);
    set_format(call, ACL_FORMAT_NCL);
    call.set_shapes({1, 4, 3}, {1, 2, 2});
    accepts(call);
  });
}

}  // namespace

#define MASK_RULES(suite)                  \
  SHARED_RULE(suite, data_type_supported)  \
  SHARED_RULE(suite, index_type_supported) \
  SHARED_RULE(suite, data_types_equal)     \
  SHARED_RULE(suite, formats_equal)        \
  SHARED_RULE(suite, formats_in_order)     \
  SHARED_RULE(suite, mask_contiguous)      \
  SHARED_RULE(suite, plane_within_mask)    \
  SHARED_RULE(suite, mask_shape)

MASK_RULES(MaxPool2dWithMask)
MASK_RULES(MaxPool2dWithMaskBackward)

}  // namespace contract_test
