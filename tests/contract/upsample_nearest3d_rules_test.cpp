// What aclnnUpsampleNearest3dBackward refuses in phase 1, beyond the rules that every operator has.

#include <limits>

#include "contract/rule_test.h"

namespace contract_test {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

using Call = UpsampleNearest3dCase;

// Shapes and sizes for (N,C,D,H,W) and (oD,oH,oW), channels second.
void set_sizes(Call& call, const Dims& input, const Dims& output) {
  call.grad_input.dims = call.input_size.values = input;
  call.output_size.values = output;
  call.grad_out.dims = {input[0], input[1], output[0], output[1], output[2]};
}

void set_channels_last(Call& call) {
  call.grad_out.format = call.grad_input.format = ACL_FORMAT_NDHWC;
  call.grad_out.dims = {2, 4, 6, 8, 3};
  call.grad_input.dims = {2, 2, 3, 4, 3};
}

// A limit of size: portable knows none.
void limited(Call call, const char* word) {
  for (const char* product : {"atlas-a2", "atlas-a3", "atlas-training"}) {
    call.product = product;
    refuses(call, word, "on Atlas");
  }
  call.product = "portable";
  accepts(call);
}

void unlimited(Call call) {
  for (const char* product : Call::kOffering) {
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

RULE_TEST(UpsampleNearest3dBackward, data_types_equal) {
  on_each_product<Call>([](Call& call) {
    accepts(call);
    call.grad_input.type = ACL_FLOAT16;
    refuses(call, "gradInput has data type FLOAT16", "FLOAT as gradOut has");
  });
}

RULE_TEST(UpsampleNearest3dBackward, formats_agree) {
  on_each_product<Call>([](Call& call) {
    call.grad_out.format = ACL_FORMAT_NCDHW;
    call.grad_input.format = ACL_FORMAT_ND;
    accepts(call);
    call.grad_input.format = ACL_FORMAT_NDHWC;
    refuses(call, "gradInput has format NDHWC and gradOut NCDHW");
    call.grad_out.format = ACL_FORMAT_NDHWC;
    call.grad_input.format = ACL_FORMAT_NCDHW;
    refuses(call, "gradInput has format NCDHW and gradOut NDHWC");
    set_channels_last(call);
    accepts(call);
  });
}

RULE_TEST(UpsampleNearest3dBackward, ranks_allowed) {
  on_each_product<Call>([](Call& valid) {
    accepts(valid);
    Call call = valid;
    for (const Dims& dims : {Dims{}, Dims{3, 4, 6, 8}, Dims{1, 2, 3, 4, 6, 8}}) {
      call.grad_out.dims = dims;
      refuses(call, "gradOut has shape", "expected 5");
    }
    call = valid;
    call.grad_input.dims = {3, 2, 3, 4};
    refuses(call, "gradInput has shape [3,2,3,4]", "expected 5");
  });
}

RULE_TEST(UpsampleNearest3dBackward, output_size_length) {
  on_each_product<Call>([](Call& call) {
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

RULE_TEST(UpsampleNearest3dBackward, output_size_positive) {
  on_each_product<Call>([](Call& call) {
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
      set_sizes(call, input, {4, 6, 8});
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

RULE_TEST(UpsampleNearest3dBackward, grad_out_shape) {
  on_each_product<Call>([](Call& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < 5; ++i) {
      Call call = valid;
      call.grad_out.dims[i] += 1;
      refuses(call, "gradOut has shape [", "expected [2,3,4,6,8]", "outputSize [4,6,8]");
    }
    Call call = valid;
    set_channels_last(call);
    accepts(call);
    call.grad_out.dims = {2, 3, 4, 6, 8};
    refuses(call, "gradOut has shape [2,3,4,6,8], expected [2,4,6,8,3]");
    set_sizes(call = valid, {0, 3, 2, 3, 4}, {4, 6, 8});
    call.grad_out.dims[0] = 1;
    refuses(call, "gradOut has shape [1,3,4,6,8]");
  });
}

RULE_TEST(UpsampleNearest3dBackward, axes_within_limit) {
  Call call;
  set_sizes(call, {1, 1, 1, 1, kMebi}, {1, 1, kMebi});
  unlimited(call);
  set_sizes(call, {1, 1, 1, 1, 1}, {1, 1, kMebi + 1});
  limited(call, "gradOut has shape [1,1,1,1,1048577]");
  set_sizes(call, {1, 1, 1, 1, kMebi + 1}, {1, 1, 1});
  limited(call, "gradInput has shape [1,1,1,1,1048577]");
  set_sizes(call, {kMebi + 1, 1, 1, 1, 1}, {1, 1, 1});
  limited(call, "gradOut has shape [1048577,1,1,1,1]");
}

RULE_TEST(UpsampleNearest3dBackward, memory_within_limit) {
  // 4 N·C·(…) = 60 GiB exactly: sixty batches of four equal terms.
  Call call;
  set_sizes(call, {60, 1, 256, 512, 512}, {256, 512, 512});
  limited(call, "60");
  set_sizes(call, {59, 1, 256, 512, 512}, {256, 512, 512});
  unlimited(call);
  set_sizes(call, {kMebi, kMebi, 1, 1, 1}, {1, 1, 1});
  limited(call, "need 16384 GiB");
}

RULE_TEST(UpsampleNearest3dBackward, rows_within_limit) {
  Call call;
  set_sizes(call, {1024, 1, 1, 1, 1}, {2047, 1024, 1});
  unlimited(call);
  set_sizes(call, {1024, 1, 1, 1, 1}, {2048, 1024, 1});
  limited(call, "gradOut has shape [1024,1,2048,1024,1] with N·C·D·H = 2147483648");
}

RULE_TEST(UpsampleNearest3dBackward, plane_within_limit) {
  Call call;
  set_sizes(call, {1, 1, 1, 65536, 32767}, {1, 1, 1});
  unlimited(call);
  set_sizes(call, {1, 1, 1, 65536, 32768}, {1, 1, 1});
  limited(call, "gradInput has shape [1,1,1,65536,32768] with H·W = 2147483648");
}

RULE_TEST(UpsampleNearest3dBackward, scales_give_sizes) {
  Call call;
  set_sizes(call, {2, 3, 10, 10, 10}, {15, 20, 12});
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
  limited(call, "scalesW 3.25 do not give outputSize [15,20,12] from gradInput [2,3,10,10,10]");
}

TEST(UpsampleNearest3dBackwardShapes, PortableTakesWhatNoProductHolds) {
  Call call;
  set_sizes(call, {kMebi, kMebi, 1, 1, kMebi / 8}, {1, 1, 1});
  accepts(call);
}

}  // namespace
}  // namespace contract_test
