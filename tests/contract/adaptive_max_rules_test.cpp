// What adaptive max pooling and its gradient refuse in phase 1.

#include <algorithm>

#include "contract/adaptive_max_cases.h"

namespace contract_test {
namespace {

bool is_portable(const CaseBase& call) { return call.product == "portable"; }
bool is_a2_or_a3(const CaseBase& call) { return call.product == "atlas-a2" || call.product == "atlas-a3"; }

template <typename Case>
std::vector<aclDataType> types_of(const Case& call) {
  if (call.product == "atlas-training") return {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE};
  const bool doubles = is_portable(call) || (kForward<Case> && !Case::kVolumes);
  if (doubles) return {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
  return {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
}

template <typename Case>
std::vector<aclDataType> index_types_of(const Case& call) {
  if (kForward<Case> && !Case::kVolumes && !is_portable(call)) return {ACL_INT64};
  if (Case::kVolumes && is_a2_or_a3(call)) return {ACL_INT32};
  return {ACL_INT32, ACL_INT64};
}

bool among(const std::vector<aclDataType>& types, aclDataType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

template <typename Case>
void data_type_supported() {
  on_each_product<Case>([](Case& call) {
    for (const aclDataType type :
         {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32, ACL_UINT8, ACL_DT_UNDEFINED}) {
      set_value_type(call, type);
      among(types_of(call), type) ? accepts(call) : refuses(call, "self has data type", "FLOAT, FLOAT16");
    }
  });
}

template <typename Case>
void index_type_supported() {
  on_each_product<Case>([](Case& call) {
    for (const aclDataType type : {ACL_INT32, ACL_INT64, ACL_INT8, ACL_FLOAT}) {
      call.indices.type = type;
      if (among(index_types_of(call), type)) {
        accepts(call);
      } else {
        refuses(call, std::string(call.indices.name) + " has data type", "INT");
      }
    }
  });
}

template <typename Case>
void data_types_equal() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < valid.values().size(); ++i) {
      Case call = valid;
      TensorSpec& tensor = *call.values()[i];
      if (&tensor == &call.self) continue;
      tensor.type = ACL_FLOAT16;
      refuses(call, std::string(tensor.name) + " has data type FLOAT16, expected FLOAT as self has");
    }
  });
}

template <typename Case>
void formats_equal() {
  on_each_product<Case>([](Case& valid) {
    set_format(valid, ACL_FORMAT_NCHW);
    valid.indices.format = ACL_FORMAT_NCHW;
    accepts(valid);
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      Case call = valid;
      TensorSpec& tensor = *call.tensors()[i];
      if (&tensor == &call.self) continue;
      tensor.format = ACL_FORMAT_NCL;
      const bool free = &tensor == &call.indices && (kForward<Case> || is_portable(call));
      free ? accepts(call)
           : refuses(call, std::string(tensor.name) + " has format NCL, expected NCHW as self has");
    }
  });
}

template <typename Case>
void formats_allowed() {
  on_each_product<Case>([](Case& call) {
    const auto is_named = [&](aclFormat format) {
      if (is_portable(call)) return true;
      if (!Case::kVolumes) return format == ACL_FORMAT_NCHW || format == ACL_FORMAT_NCL;
      return format == ACL_FORMAT_NCDHW || format == ACL_FORMAT_NCHW ||
             (format == ACL_FORMAT_ND && call.product == "ascend950");
    };
    for (const aclFormat format :
         {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NCL, ACL_FORMAT_NCDHW, ACL_FORMAT_HWCN}) {
      set_format(call, format);
      is_named(format) ? accepts(call) : refuses(call, "has format", "expected one of", "on A");
    }
    set_last(call, true);
    const bool last = is_portable(call) || !Case::kVolumes;
    last ? accepts(call) : refuses(call, "has format NDHWC");
    set_last(call, false);
    is_portable(call) ? accepts(call) : refuses(call, "has format N");
  });
}

template <typename Case>
void channels_last_allowed() {
  on_each_product<Case>([](Case& call) {
    for (const bool whole : {true, false}) {
      set_last(call, whole);
      is_portable(call) ? accepts(call) : refuses(call, "self has format N", "not supported on A");
    }
  });
}

template <typename Case>
void ranks_allowed() {
  on_each_product<Case>([](Case& valid) {
    Case call = valid;
    for (TensorSpec* tensor : call.tensors()) tensor->dims.erase(tensor->dims.begin());
    accepts(call);
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      for (const Dims& dims : {Dims{}, Dims{8, 10}, Dims{1, 2, 3, 4, 8, 10}}) {
        Case broken = valid;
        broken.tensors()[i]->dims = dims;
        refuses(broken, broken.tensors()[i]->name, Case::kVolumes ? "4 or 5" : "3 or 4");
      }
    }
  });
}

template <typename Case>
void ranks_equal() {
  on_each_product<Case>([](Case& valid) {
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      Case call = valid;
      TensorSpec& tensor = *call.tensors()[i];
      if (&tensor == &call.self) continue;
      tensor.dims.erase(tensor.dims.begin());
      refuses(call, tensor.name, "as self [2,3,");
    }
  });
}

RULE_TEST(AdaptiveMaxPool2d, output_size_length) {
  on_each_product<AdaptiveMaxPool2d>([](AdaptiveMaxPool2d& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{4}, Dims{4, 3, 1}}) {
      call.output_size.values = values;
      refuses(call, "outputSize is [", "expected length 2");
    }
  });
}

RULE_TEST(AdaptiveMaxPool3d, output_size_length) {
  on_each_product<AdaptiveMaxPool3d>([](AdaptiveMaxPool3d& valid) {
    AdaptiveMaxPool3d call = valid;
    accepts(call);
    for (const Dims& values : {Dims{3, 4}, Dims{3, 4, 3, 1}}) {
      call.output_size.values = values;
      refuses(call, "outputSize is [", "expected length");
    }
    call.output_size.values = {};  // the size of self
    call.out.dims = call.indices.dims = {2, 3, 7, 8, 10};
    is_a2_or_a3(call) ? refuses(call, "expected length 3") : accepts(call);
    call.output_size.values = {4};
    call.out.dims = call.indices.dims = {2, 3, 4, 4, 4};
    is_a2_or_a3(call) ? refuses(call, "expected length 3") : accepts(call);
  });
}

template <typename Case>
void output_size_positive() {
  on_each_product<Case>([](Case& call) {
    for (const std::int64_t value : {0, -1}) {
      call.output_size.values.back() = value;
      refuses(call, "outputSize is [", "greater than 0");
    }
  });
}

template <typename Case>
void only_batch_empty() {
  on_each_product<Case>([](Case& valid) {
    Case call = valid;
    call.self.dims[0] = call.out.dims[0] = call.indices.dims[0] = 0;
    accepts(call);
    for (std::size_t axis = 1; axis < valid.self.dims.size(); ++axis) {
      call = valid;
      call.self.dims[axis] = call.out.dims[axis] = call.indices.dims[axis] = 0;
      refuses(call, "self has shape [", "every dimension but N to be greater than 0");
    }
  });
  Case last;  // without N the first dimension belongs to the plane, and the last may be empty
  set_last(last, false);
  Case none = last;
  none.self.dims.back() = none.out.dims.back() = none.indices.dims.back() = 0;
  accepts(none);
  last.self.dims[0] = 0;
  refuses(last, "self has shape [0,", "every dimension but C to be greater than 0");
}

template <typename Case>
void plane_within_index() {
  on_each_product<Case>([](Case& call) {
    call.set_shapes(Case::cut({1, 1, 1, 1, 2147483648}), Case::cut({1, 1, 1, 1, 1024}));
    if constexpr (kForward<Case>) call.output_size.values = Case::cut({1, 1, 1024});
    for (const aclDataType type : index_types_of(call)) {
      call.indices.type = type;
      if (type == ACL_INT32) {
        refuses(call, "2147483648 positions in a plane", std::string(call.indices.name) + " is INT32");
      } else if (kForward<Case> || is_portable(call)) {
        accepts(call);
      }
    }
  });
}

template <typename Case>
void out_shape() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    for (std::size_t axis = 0; axis < valid.out.dims.size(); ++axis) {
      Case call = valid;
      call.out.dims[axis] += 1;
      call.indices.dims = call.out.dims;
      refuses(call, "outputOut has shape [", "but self [2,3,", "and outputSize [", "give [2,3,");
    }
    Case call = valid;  // whatever the others say
    call.self.dims[0] = 0;
    refuses(call, "give [0,3,");
  });
  Case last;
  set_last(last, true);
  accepts(last);
  last.out.dims = last.indices.dims = Case::cut({2, 3, 3, 4, 3});
  refuses(last, "outputOut has shape [");
}

template <typename Case>
void indices_shape() {
  on_each_product<Case>([](Case& call) {
    call.indices.dims.back() += 1;
    refuses(call, std::string(call.indices.name) + " has shape [",
            kForward<Case> ? "outputOut" : "gradOutput");
  });
}

template <typename Case>
void grad_input_shape() {
  on_each_product<Case>([](Case& valid) {
    for (std::size_t axis = 0; axis < valid.self.dims.size(); ++axis) {
      Case call = valid;
      call.grad_input.dims[axis] += 1;
      refuses(call, "gradInput has shape [", "that of self");
    }
  });
}

template <typename Case>
void grad_output_batch() {
  on_each_product<Case>([](Case& valid) {
    for (const std::size_t axis : {0, 1}) {
      Case call = valid;
      call.grad_output.dims[axis] += 1;
      call.indices.dims = call.grad_output.dims;
      refuses(call, "gradOutput has shape [", "expected N and C to be as in self [2,3,");
    }
    Case call = valid;
    for (TensorSpec* tensor : call.tensors()) tensor->dims.erase(tensor->dims.begin());
    accepts(call);
    call.grad_output.dims[0] = call.indices.dims[0] = 1;
    refuses(call, "expected C to be as in self");
  });
}

RULE_TEST(AdaptiveMaxPool2dBackward, plane_within_limit) {
  on_each_product<AdaptiveMaxPool2dBackward>([](AdaptiveMaxPool2dBackward& call) {
    call.indices.type = ACL_INT64;
    call.set_shapes({1, 1, 1, 2147483648}, {1, 1, 1, 1024});
    is_portable(call) ? accepts(call)
                      : refuses(call, "2147483648 positions in a plane", "2147483647 at most on A");
    call.set_shapes({1, 1, 1, 2147483647}, {1, 1, 1, 1});
    accepts(call);
  });
}

template <typename Case>
void uneven_plane_within_limit() {
  constexpr std::int64_t kMost = 1 << 24;
  on_each_product<Case>([](Case& call) {
    call.set_shapes(Case::cut({1, 1, 1, 1, kMost + 2}), Case::cut({1, 1, 1, 1, 2}));
    accepts(call);
    call.set_shapes(Case::cut({1, 1, 1, 1, kMost}), Case::cut({1, 1, 1, 1, 3}));
    accepts(call);
    call.set_shapes(Case::cut({1, 1, 1, 1, kMost + 1}), Case::cut({1, 1, 1, 1, 2}));
    is_a2_or_a3(call) ? refuses(call, "16777217 positions in a plane", "16777216 at most", "on Atlas A")
                      : accepts(call);
    // Also where there is nothing to share out; 0 divides nothing.
    for (const auto& [n, windows] : {std::array<std::int64_t, 2>{1, 0}, {0, 2}}) {
      call.set_shapes(Case::cut({n, 1, 1, 1, kMost + 1}), Case::cut({n, 1, 1, 1, windows}));
      is_a2_or_a3(call) ? refuses(call, "16777217 positions in a plane", "16777216 at most", "on Atlas A")
                        : accepts(call);
    }
    call.set_shapes(Case::cut({1, 1, 1, 1, kMost}), Case::cut({1, 1, 1, 1, 0}));
    accepts(call);
  });
}

template <typename Case>
void any_dimension_may_be_empty() {
  on_each_product<Case>([](Case& valid) {
    for (std::size_t axis = 0; axis < valid.self.dims.size(); ++axis) {
      Case call = valid;
      call.self.dims[axis] = call.grad_input.dims[axis] = 0;
      if (axis < 2) call.grad_output.dims[axis] = call.indices.dims[axis] = 0;
      accepts(call);
      call.grad_output.dims[axis] = call.indices.dims[axis] = 0;
      accepts(call);
    }
  });
}
TEST(AdaptiveMaxBackwardShapes, AnyDimensionMayBeEmpty) {
  any_dimension_may_be_empty<AdaptiveMaxPool2dBackward>();
  any_dimension_may_be_empty<AdaptiveMaxPool3dBackward>();
}

TEST(AdaptiveMaxShapes, OfTheVendorsUnitTestsThatContradictTheDocuments) {
  AdaptiveMaxPool2d forward;
  forward.output_size.values = {2, 2};
  forward.set_shapes({0, 1, 5, 5}, {1, 1, 2, 2});
  expect_refused(run(forward), forward.product, "out_shape", {});
  AdaptiveMaxPool2dBackward backward;
  backward.set_shapes({2, 2, 2, 2}, {2, 1, 1, 1});
  expect_refused(run(backward), backward.product, "grad_output_batch", {});
}

}  // namespace

#define BOTH_WAYS(suite)                   \
  SHARED_RULE(suite, data_type_supported)  \
  SHARED_RULE(suite, data_types_equal)     \
  SHARED_RULE(suite, index_type_supported) \
  SHARED_RULE(suite, formats_equal)        \
  SHARED_RULE(suite, ranks_allowed)        \
  SHARED_RULE(suite, ranks_equal)          \
  SHARED_RULE(suite, plane_within_index)   \
  SHARED_RULE(suite, indices_shape)

#define FORWARD_RULES(suite)               \
  BOTH_WAYS(suite)                         \
  SHARED_RULE(suite, formats_allowed)      \
  SHARED_RULE(suite, output_size_positive) \
  SHARED_RULE(suite, only_batch_empty)     \
  SHARED_RULE(suite, out_shape)

#define BACKWARD_RULES(suite)               \
  BOTH_WAYS(suite)                          \
  SHARED_RULE(suite, channels_last_allowed) \
  SHARED_RULE(suite, grad_input_shape)      \
  SHARED_RULE(suite, grad_output_batch)     \
  SHARED_RULE(suite, uneven_plane_within_limit)

FORWARD_RULES(AdaptiveMaxPool2d)
FORWARD_RULES(AdaptiveMaxPool3d)
BACKWARD_RULES(AdaptiveMaxPool2dBackward)
BACKWARD_RULES(AdaptiveMaxPool3dBackward)

}  // namespace contract_test
