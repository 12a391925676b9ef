// What upsampling and its gradient refuse in phase 1, beyond the rules that every operator has.

#include <limits>

#include "contract/rule_test.h"

namespace contract_test {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

using Call = UpsampleNearest3dBackward;

template <typename Case>
void set_channels_last(Case& call) {
  call.small().format = call.large().format = ACL_FORMAT_NDHWC;
  call.large().dims = {2, 4, 6, 8, 3};
  call.small().dims = {2, 2, 3, 4, 3};
}

// Refused by every strict product, but not by portable.
template <typename Case>
void limited(Case call, const char* word) {
  on_each_product<Case>([&](Case& any) {
    call.product = any.product;
    if (call.product == "portable") {
      accepts(call);
    } else {
      refuses(call, word, "on A");
    }
  });
}

template <typename Case>
void unlimited(Case call) {
  for (const char* product : Case::kOffering) {
    call.product = product;
    accepts(call);
  }
}

RULE_TEST(UpsampleNearest3dBackward, data_type_supported) {
  on_each_product<Call>([](Call& call) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
      call.grad_out.type = call.grad_input.type = type;
      accepts(call);
    }
    for (const aclDataType type : {ACL_INT32, ACL_UINT8}) {
      call.grad_out.type = call.grad_input.type = type;
      refuses(call, "gradOut has data type", "FLOAT, FLOAT16, BF16, DOUBLE");
    }
  });
}

template <typename Case>
void data_types_equal() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    TensorSpec& output = *call.outputs()[0];
    output.type = ACL_FLOAT16;
    refuses(call, output.name, "has data type FLOAT16, expected FLOAT as", call.tensors()[0]->name);
  });
}

template <typename Case>
void formats_agree() {
  on_each_product<Case>([](Case& call) {
    TensorSpec& input = *call.tensors()[0];
    TensorSpec& output = *call.outputs()[0];
    input.format = ACL_FORMAT_NCDHW;
    output.format = ACL_FORMAT_ND;
    accepts(call);
    output.format = ACL_FORMAT_NDHWC;
    refuses(call, output.name, "has format NDHWC and", input.name, "NCDHW");
    input.format = ACL_FORMAT_NDHWC;
    output.format = ACL_FORMAT_NCDHW;
    refuses(call, output.name, "has format NCDHW and", input.name, "NDHWC");
    set_channels_last(call);
    accepts(call);
  });
}

template <typename Case>
void ranks_allowed() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < 2; ++i) {
      for (const Dims& dims : {Dims{}, Dims{3, 4, 6, 8}, Dims{1, 2, 3, 4, 6, 8}}) {
        Case call = valid;
        call.tensors()[i]->dims = dims;
        refuses(call, call.tensors()[i]->name, "has shape", "expected 5");
      }
    }
  });
}

template <typename Case>
void output_size_length() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{4, 6}, Dims{4, 6, 8, 1}}) {
      call.output_size.values = values;
      refuses(call, "outputSize is [", "expected length 3");
    }
  });
}

RULE_TEST(UpsampleNearest3dBackward, input_size_length) {
  on_each_product<Call>([](Call& call) {
    accepts(call);
    for (const Dims& values : {Dims{}, Dims{2, 3, 4}, Dims{2, 3, 2, 3, 4, 1}}) {
      call.input_size.values = values;
      refuses(call, "inputSize is [", "expected length 5");
    }
  });
}

template <typename Case>
void output_size_positive() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.output_size.values = {4, 0, 8};
    refuses(call, "outputSize is [4,0,8]");
    call.output_size.values = {4, 6, -8};
    refuses(call, "outputSize is [4,6,-8]");
  });
}

RULE_TEST(UpsampleNearest3dBackward, input_size_positive) {
  on_each_product<Call>([](Call& valid) {
    for (const Dims& input : {Dims{0, 3, 2, 3, 4}, Dims{2, 0, 2, 3, 4}}) {
      Call call = valid;
      call.set_sizes(input, {4, 6, 8});
      accepts(call);
    }
    for (std::size_t i = 0; i < 5; ++i) {
      Call call = valid;
      call.input_size.values[i] = -1;
      refuses(call, "inputSize is [");
      call.input_size.values[i] = 0;
      if (i >= 2) refuses(call, "inputSize is [");
    }
    // With the flag either order must make sense: no C where H is 0.
    Call call = valid;
    set_channels_last(call);
    call.input_size.values = {2, 2, 0, 4, 3};
    refuses(call, "inputSize is [2,2,0,4,3]");
    call.input_size.values = {2, 2, 3, 0, 3};
    refuses(call, "inputSize is [2,2,3,0,3]");
    call.input_size.values = {2, 0, 3, 4, 0};
    refuses(call, "inputSize is [2,0,3,4,0]");
    call.input_size.values = {2, 2, 3, 4, -1};
    refuses(call, "inputSize is [2,2,3,4,-1]");
    call.input_size.values = {-1, 2, 3, 4, 3};
    refuses(call, "inputSize is [-1,2,3,4,3]");
  });
}

RULE_TEST(UpsampleNearest3dBackward, grad_input_shape) {
  on_each_product<Call>([](Call& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < 5; ++i) {
      Call call = valid;
      call.input_size.values[i] += 1;
      refuses(call, "gradInput has shape [2,3,2,3,4]", "inputSize [");
    }
    Call call = valid;
    call.input_size.values = {2, 2, 3, 4, 3};  // N, D, H, W, C counts only with the flag
    refuses(call, "gradInput has shape [2,3,2,3,4]");
    set_channels_last(call);
    accepts(call);
    call.input_size.values = {2, 3, 2, 3, 4};
    accepts(call);
    call.input_size.values = {2, 3, 4, 2, 3};
    refuses(call, "gradInput has shape [2,2,3,4,3] and format NDHWC", "inputSize [2,3,4,2,3]");
    // Read as N, C, D, H, W these sizes fit, but leave no position along W.
    call.grad_input.dims = {2, 2, 3, 0, 2};
    call.grad_out.dims = {2, 4, 6, 8, 2};
    call.input_size.values = {2, 2, 2, 3, 0};
    refuses(call, "gradInput has shape [2,2,3,0,2]");
  });
}

template <typename Case>
void upsampled_shape() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < 5; ++i) {
      Case call = valid;
      call.large().dims[i] += 1;
      refuses(call, call.large().name, "has shape [", "expected [2,3,4,6,8]", "outputSize [4,6,8]");
    }
    Case call = valid;
    set_channels_last(call);
    accepts(call);
    call.large().dims = {2, 3, 4, 6, 8};
    refuses(call, call.large().name, "has shape [2,3,4,6,8], expected [2,4,6,8,3]");
    (call = valid).set_sizes({0, 3, 2, 3, 4}, {4, 6, 8});
    call.large().dims[0] = 1;
    refuses(call, call.large().name, "has shape [1,3,4,6,8]");
  });
}

RULE_TEST(UpsampleNearest3dBackward, axes_within_limit) {
  Call call;
  call.set_sizes({1, 1, 1, 1, kMebi}, {1, 1, kMebi});
  unlimited(call);
  call.set_sizes({1, 1, 1, 1, 1}, {1, 1, kMebi + 1});
  limited(call, "gradOut has shape [1,1,1,1,1048577]");
  call.set_sizes({1, 1, 1, 1, kMebi + 1}, {1, 1, 1});
  limited(call, "gradInput has shape [1,1,1,1,1048577]");
  call.set_sizes({kMebi + 1, 1, 1, 1, 1}, {1, 1, 1});
  limited(call, "gradOut has shape [1048577,1,1,1,1]");
}

RULE_TEST(UpsampleNearest3dBackward, memory_within_limit) {
  // 4 N·C·(…) = 60 GiB exactly: sixty batches of four equal terms.
  Call call;
  call.set_sizes({60, 1, 256, 512, 512}, {256, 512, 512});
  limited(call, "60");
  call.set_sizes({59, 1, 256, 512, 512}, {256, 512, 512});
  unlimited(call);
  call.set_sizes({kMebi, kMebi, 1, 1, 1}, {1, 1, 1});
  limited(call, "need 16384 GiB");
}

RULE_TEST(UpsampleNearest3dBackward, rows_within_limit) {
  Call call;
  call.set_sizes({1024, 1, 1, 1, 1}, {2047, 1024, 1});
  unlimited(call);
  call.set_sizes({1024, 1, 1, 1, 1}, {2048, 1024, 1});
  limited(call, "gradOut has shape [1024,1,2048,1024,1] with N·C·D·H = 2147483648");
}

RULE_TEST(UpsampleNearest3dBackward, plane_within_limit) {
  Call call;
  call.set_sizes({1, 1, 1, 65536, 32767}, {1, 1, 1});
  unlimited(call);
  call.set_sizes({1, 1, 1, 65536, 32768}, {1, 1, 1});
  limited(call, "gradInput has shape [1,1,1,65536,32768] with H·W = 2147483648");
}

template <typename Case>
void scales_give_sizes() {
  Case call;
  call.set_sizes({2, 3, 10, 10, 10}, {15, 20, 12});
  for (const auto& scales :
       {std::array{1.5, 2.0, 1.2}, std::array{1.500001, 2.04, 1.29}, std::array{1.599999, 2.0, 1.2}}) {
    call.scales = scales;
    unlimited(call);
  }
  // Scales count only together.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double off : {0.0, -1.0, nan}) {
    call.scales = {9.0, off, 9.0};
    unlimited(call);
    call.scales = {off, 9.0, 9.0};
    unlimited(call);
    call.scales = {9.0, 9.0, off};
    unlimited(call);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& scales :
       {std::array{1.61, 2.0, 1.2}, std::array{1.49, 2.0, 1.2}, std::array{1.5, 2.2, 1.2},
        std::array{1.5, 2.0, 1.1}, std::array{1.5, 2.0, infinity}, std::array{1e-300, 2.0, 1.2}}) {
    call.scales = scales;
    limited(call, "scalesD");
  }
  call.scales = {1.5, 2.0, 3.25};
  limited(call, "scalesW 3.25 do not give outputSize [15,20,12] from ");
}

TEST(UpsampleNearest3dBackwardShapes, PortableTakesWhatNoProductHolds) {
  Call call;
  call.set_sizes({kMebi, kMebi, 1, 1, kMebi / 8}, {1, 1, 1});
  accepts(call);
}

RULE_TEST(UpsampleNearest3d, data_type_supported) {
  on_each_product<UpsampleNearest3d>([](UpsampleNearest3d& call) {
    const auto try_type = [&](aclDataType type, bool allowed) {
      call.self.type = call.out.type = type;
      if (allowed) return accepts(call);
      refuses(call, "self has data type", "FLOAT, FLOAT16");
    };
    const bool inference = call.product == "atlas-inference";
    const bool training = call.product == "atlas-training";
    const bool bytes = call.product == "portable" || call.product == "ascend950";
    try_type(ACL_FLOAT, true);
    try_type(ACL_FLOAT16, true);
    try_type(ACL_BF16, !inference && !training);
    try_type(ACL_DOUBLE, !inference);
    try_type(ACL_UINT8, bytes);
    try_type(ACL_INT8, false);
    try_type(ACL_INT32, false);
  });
}

RULE_TEST(UpsampleNearest3d, only_batch_empty) {
  on_each_product<UpsampleNearest3d>([](UpsampleNearest3d& call) {
    call.set_sizes({0, 3, 2, 3, 4}, {4, 6, 8});
    accepts(call);
    for (std::size_t i = 1; i < 5; ++i) {
      Dims input = {2, 3, 2, 3, 4};
      input[i] = 0;
      call.set_sizes(input, {4, 6, 8});
      refuses(call, "self has shape [2,", "every dimension but N");
    }
  });
}

RULE_TEST(UpsampleNearest3dBackward, grad_out_shape) { upsampled_shape<UpsampleNearest3dBackward>(); }
RULE_TEST(UpsampleNearest3d, out_shape) { upsampled_shape<UpsampleNearest3d>(); }

}  // namespace

#define UPSAMPLE_RULES(suite)              \
  SHARED_RULE(suite, data_types_equal)     \
  SHARED_RULE(suite, formats_agree)        \
  SHARED_RULE(suite, ranks_allowed)        \
  SHARED_RULE(suite, output_size_length)   \
  SHARED_RULE(suite, output_size_positive) \
  SHARED_RULE(suite, scales_give_sizes)

UPSAMPLE_RULES(UpsampleNearest3dBackward)
UPSAMPLE_RULES(UpsampleNearest3d)

}  // namespace contract_test
