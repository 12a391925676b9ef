// What max unpooling and its gradient refuse in phase 1, beyond the rules that every operator has.

#include <limits>

#include "contract/pooling_cases.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

template <typename Case>
void data_type_supported() {
  on_each_product<Case>([](Case& call) {
    for (const aclDataType type :
         {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_UINT8, ACL_INT16, ACL_INT32, ACL_INT64}) {
      set_value_type(call, type);
      accepts(call);
    }
    for (const aclDataType type : {ACL_BOOL, ACL_UINT16, ACL_COMPLEX64}) {
      set_value_type(call, type);
      refuses(call, " has data type", "FLOAT, FLOAT16");
    }
    set_value_type(call, ACL_BF16);
    if (call.product == "portable") {
      accepts(call);
    } else {
      refuses(call, " has data type BF16");
    }
  });
}

RULE_TEST(MaxUnpool3dBackward, data_types_equal) {
  on_each_product<MaxUnpool3dBackward>([](MaxUnpool3dBackward& valid) {
    accepts(valid);
    MaxUnpool3dBackward call = valid;
    call.self.type = ACL_INT32;
    refuses(call, "self has data type INT32", "FLOAT");
    call = valid;
    call.out.type = ACL_FLOAT16;
    refuses(call, "out has data type FLOAT16", "FLOAT");
  });
}

template <typename Case>
void data_types_equal() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.out.type = ACL_FLOAT16;
    refuses(call, call.out.name, "has data type FLOAT16", "FLOAT as self has");
  });
}

SHARED_RULE(MaxUnpool3d, data_types_equal)

RULE_TEST(MaxUnpool3dBackward, index_type_supported) {
  on_each_product<MaxUnpool3dBackward>([](MaxUnpool3dBackward& call) {
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

template <typename Case>
void index_type_supported() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.indices.type = ACL_INT32;
    accepts(call);
    call.indices.type = ACL_UINT8;
    refuses(call, "indices has data type UINT8", "INT32, INT64");
  });
}

SHARED_RULE(MaxUnpool3d, index_type_supported)

template <typename Case>
void self_rank() {
  on_each_product<Case>([](Case& call) {
    call.set_shapes({2, 2, 3, 4}, {2, 4, 6, 8});
    accepts(call);
    for (const Dims& dims : {Dims{}, Dims(Case::kSpatial, 2), Dims(Case::kSpatial + 3, 2)}) {
      call.self.dims = dims;
      refuses(call, "self has shape", Case::kSpatial == 3 ? "4 or 5" : "3 or 4");
    }
  });
}

std::string of_rank(std::size_t rank, std::size_t expected) {
  return "of " + std::to_string(rank) + " dimensions, expected " + std::to_string(expected);
}

template <typename Case>
void ranks_equal() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      Case call = valid;
      TensorSpec& tensor = *call.tensors()[i];
      if (&tensor == &call.self) continue;
      tensor.dims.erase(tensor.dims.begin());
      refuses(call, tensor.name, of_rank(tensor.dims.size(), call.self.dims.size()));
      tensor.dims.clear();
      refuses(call, tensor.name, of_rank(0, call.self.dims.size()));
    }
  });
}

Dims dense_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  return strides;
}

template <typename Case>
void output_contiguous() {
  on_each_product<Case>([](Case& valid) {
    Case call = valid;
    const Dims dense = dense_strides(call.output().dims);
    call.output().strides = dense;
    call.output().offset = 5;
    accepts(call);
    call.output().strides->front() += 1;
    refuses(call, call.output().name, "has strides [", "contiguous");
    call.output().strides = dense;
    call.output().strides->back() = 2;
    refuses(call, call.output().name);
    call.output().strides = Dims{0, 0, 0, 0, 0};
    refuses(call, call.output().name);
    // The stride of an axis with one position says nothing, and neither do those of a tensor without
    // elements.
    call.set_shapes({1, 3, 2, 3, 4}, {1, 3, 4, 6, 8});
    call.output().strides = dense;
    call.output().strides->front() = 999;
    accepts(call);
    call.set_shapes({0, 3, 2, 3, 4}, {0, 3, 4, 6, 8});
    call.output().strides = Dims{5, 5, 5, 5, 5};
    accepts(call);
    // The inputs may lie anyhow.
    call = valid;
    call.tensors()[0]->strides = Dims{0, 0, 0, 0, 0};
    call.indices.strides = Dims{1, 2, 6, 12, 36};
    accepts(call);
  });
}

RULE_TEST(MaxUnpool3dBackward, out_contiguous) { output_contiguous<MaxUnpool3dBackward>(); }
RULE_TEST(MaxUnpool3d, out_ref_contiguous) { output_contiguous<MaxUnpool3d>(); }

template <typename Case>
void shapes_equal() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    Case call = valid;
    call.indices.dims = Case::cut({2, 3, 2, 4, 3});
    refuses(call, "indices has shape [2,3,", "4,3]", "self", "3,4]");
    call = valid;
    call.out.dims = Case::cut({2, 3, 2, 3, 5});
    refuses(call, "out has shape [2,3,", "3,5]", "self");
  });
}

SHARED_RULE(MaxUnpool3dBackward, shapes_equal)

template <typename Case>
void indices_shape() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.indices.dims = Case::cut({2, 3, 2, 4, 3});
    refuses(call, "indices has shape [2,3,", "4,3]", "self", "3,4]");
  });
}

SHARED_RULE(MaxUnpool3d, indices_shape)

template <typename Case>
void only_batch_empty() {
  on_each_product<Case>([](Case& call) {
    call.set_shapes({0, 3, 2, 3, 4}, {0, 3, 4, 6, 8});
    accepts(call);
    call.set_shapes({2, 0, 2, 3, 4}, {2, 0, 4, 6, 8});
    refuses(call, "self has shape [2,0,");
    call.set_shapes({2, 3, 2, 0, 4}, {2, 3, 4, 6, 8});
    refuses(call, "self has shape [2,3,", "0,4]");
    call.set_shapes({0, 2, 3, 4}, {0, 4, 6, 8});
    accepts(call);
    call.set_shapes({2, 2, 3, 0}, {2, 4, 6, 8});
    refuses(call, "self has shape [2,", "3,0]");
  });
}

template <typename Case>
void output_size_length() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims(Case::kSpatial - 1, 8), Dims(Case::kSpatial + 1, 8)}) {
      call.output_size.values = values;
      refuses(call, "outputSize is [", "expected length " + std::to_string(Case::kSpatial));
    }
  });
}

template <typename Case>
void stride_length() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{2}, Dims{2, 2, 2, 2}}) {
      call.stride.values = values;
      refuses(call, "stride is [", "expected length 3");
    }
  });
}

template <typename Case>
void padding_length() {
  on_each_product<Case>([](Case& call) {
    call.padding.values = {-5, 99, kHuge};  // the values are not looked at
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{0}, Dims{0, 0, 0, 0}}) {
      call.padding.values = values;
      refuses(call, "padding is [", "expected length 3");
    }
  });
}

template <typename Case>
void stride_positive() {
  on_each_product<Case>([](Case& call) {
    call.stride.values = {1, 1, kHuge};
    accepts(call);
    call.stride.values = {1, 0, 1};
    refuses(call, "stride is [1,0,1]");
    call.stride.values = {1, 1, -1};
    refuses(call, "stride is [1,1,-1]");
  });
}

template <typename Case>
void output_size_positive() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.output_size.values = Case::cut({4, 0, 8});
    refuses(call, "outputSize is [", "0,8]");
    call.output_size.values = Case::cut({-4, -6, 8});
    refuses(call, "outputSize is [", "-6,8]");
  });
}

template <typename Case>
void output_size_holds_self() {
  on_each_product<Case>([](Case& call) {
    // Only the products count: one axis may shrink.
    const std::int64_t cells = Case::kSpatial == 3 ? 24 : 12;
    call.output_size.values = Case::cut({1, 1, cells});
    call.unpooled().dims = Case::cut({2, 3, 1, 1, cells});
    accepts(call);
    call.output_size.values = Case::cut({1, 1, cells - 1});
    call.unpooled().dims = Case::cut({2, 3, 1, 1, cells - 1});
    refuses(call, "outputSize is [1,", "with " + std::to_string(cells - 1) + " positions",
            std::to_string(cells), "self [2,3,");
  });
}

template <typename Case>
void unpooled_plane() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.unpooled().dims = Case::cut({2, 3, 4, 8, 6});
    refuses(call, call.unpooled().name, "has shape [2,3,", "8,6]", "outputSize [", "6,8]");
    call.unpooled().dims = Case::cut({2, 3, 4, 6, 8});
    call.output_size.values = Dims(Case::kSpatial, kHuge);
    refuses(call, call.unpooled().name, "has shape", "outputSize [9223372036854775807");
  });
}

template <typename Case>
void unpooled_batch() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.unpooled().dims = Case::cut({3, 3, 4, 6, 8});
    refuses(call, call.unpooled().name, "has shape [3,3,", "N and C", "self [2,3,");
    call.unpooled().dims = Case::cut({2, 2, 4, 6, 8});
    refuses(call, call.unpooled().name, "has shape [2,2,");
    call.set_shapes({2, 2, 3, 4}, {3, 4, 6, 8});
    refuses(call, call.unpooled().name, "has shape [3,",
            Case::kSpatial == 3 ? "expected N to be" : "expected C to be");
  });
}

RULE_TEST(MaxUnpool3dBackward, grad_output_plane) { unpooled_plane<MaxUnpool3dBackward>(); }
RULE_TEST(MaxUnpool3dBackward, grad_output_batch) { unpooled_batch<MaxUnpool3dBackward>(); }
RULE_TEST(MaxUnpool3d, out_ref_plane) { unpooled_plane<MaxUnpool3d>(); }
RULE_TEST(MaxUnpool3d, out_ref_batch) { unpooled_batch<MaxUnpool3d>(); }
RULE_TEST(MaxUnpool2dBackward, grad_output_plane) { unpooled_plane<MaxUnpool2dBackward>(); }
RULE_TEST(MaxUnpool2dBackward, grad_output_batch) { unpooled_batch<MaxUnpool2dBackward>(); }
RULE_TEST(MaxUnpool2d, out_plane) { unpooled_plane<MaxUnpool2d>(); }
RULE_TEST(MaxUnpool2d, out_batch) { unpooled_batch<MaxUnpool2d>(); }

RULE_TEST(MaxUnpool2dBackward, data_type_supported) {
  on_each_product<MaxUnpool2dBackward>([](MaxUnpool2dBackward& call) {
    set_value_type(call, ACL_BOOL);
    accepts(call);
    for (const aclDataType type : {ACL_BF16, ACL_DOUBLE}) {
      set_value_type(call, type);
      call.product == "portable" ? accepts(call) : refuses(call, "gradOutput has data type");
    }
    set_value_type(call, ACL_UINT16);
    refuses(call, "gradOutput has data type UINT16", "BOOL");
  });
}

RULE_TEST(MaxUnpool2dBackward, self_type) {
  on_each_product<MaxUnpool2dBackward>([](MaxUnpool2dBackward& call) {
    call.self.type = ACL_FLOAT16;
    refuses(call, "self has data type FLOAT16", "FLOAT as gradOutput has");
  });
}

RULE_TEST(MaxUnpool2dBackward, out_type) {
  on_each_product<MaxUnpool2dBackward>([](MaxUnpool2dBackward& call) {
    call.out.type = ACL_FLOAT16;
    accepts(call);
    for (const aclDataType type : {ACL_INT32, ACL_BOOL}) {
      call.out.type = type;
      refuses(call, "out has data type", "FLOAT is not converted");
    }
    call.out.type = ACL_UINT16;
    refuses(call, "out has data type UINT16");
  });
}

RULE_TEST(MaxUnpool2dBackward, grad_output_not_empty) {
  on_each_product<MaxUnpool2dBackward>([](MaxUnpool2dBackward& call) {
    call.grad_output.dims = {2, 3, 0, 8};
    call.output_size.values = {0, 8};
    refuses(call, "gradOutput has shape [2,3,0,8]", "self [2,3,3,4]");
    call.self.dims = call.indices.dims = call.out.dims = {2, 3, 3, 0};
    accepts(call);
  });
}

}  // namespace

#define UNPOOL_RULES(suite)                \
  SHARED_RULE(suite, data_type_supported)  \
  SHARED_RULE(suite, self_rank)            \
  SHARED_RULE(suite, ranks_equal)          \
  SHARED_RULE(suite, only_batch_empty)     \
  SHARED_RULE(suite, output_size_length)   \
  SHARED_RULE(suite, output_size_positive) \
  SHARED_RULE(suite, output_size_holds_self)

// Of lists that volumes alone have.
#define UNPOOL3D_RULES(suite)        \
  UNPOOL_RULES(suite)                \
  SHARED_RULE(suite, stride_length)  \
  SHARED_RULE(suite, padding_length) \
  SHARED_RULE(suite, stride_positive)

UNPOOL3D_RULES(MaxUnpool3dBackward)
UNPOOL3D_RULES(MaxUnpool3d)
UNPOOL_RULES(MaxUnpool2d)
SHARED_RULE(MaxUnpool2d, data_types_equal)
SHARED_RULE(MaxUnpool2d, index_type_supported)
SHARED_RULE(MaxUnpool2d, indices_shape)
SHARED_RULE(MaxUnpool2dBackward, index_type_supported)
SHARED_RULE(MaxUnpool2dBackward, self_rank)
SHARED_RULE(MaxUnpool2dBackward, ranks_equal)
SHARED_RULE(MaxUnpool2dBackward, output_size_length)
SHARED_RULE(MaxUnpool2dBackward, shapes_equal)

}  // namespace contract_test
