// What adaptive mean pooling and its gradients refuse in phase 1, beyond the rules that mean pooling has.

#include "contract/mean_cases.h"

namespace contract_test {
namespace {

template <typename Case>
void grad_output_batch() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.grad_output.dims[1] = 4;
    refuses(call, "gradOutput has shape [2,4,", "the N and C of self [2,3,8,");
    call.grad_output.dims[1] = 3;
    call.grad_output.dims[0] = 1;
    refuses(call, "gradOutput has shape [1,3,", "the N and C of self");
  });
}

template <typename Case>
void output_size_length() {
  on_each_product<Case>([](Case& call) {
    for (const Dims& values : {Dims{}, Dims{4}, Dims(Case::kSpatial + 1, 4)}) {
      call.output_size.values = values;
      refuses(call, "outputSize is [", "expected length " + std::to_string(Case::kSpatial));
    }
  });
}

template <typename Case>
void output_size_allowed() {
  on_each_product<Case>([](Case& call) {
    call.output_size.values.back() = -1;
    refuses(call, "outputSize is [", call.product == "portable" ? "at least 0" : "at least 1");
    call.output_size.values.back() = call.out.dims.back() = 0;
    call.product == "portable" ? accepts(call) : refuses(call, "outputSize is [", "at least 1 on A");
  });
}

// Which products take a batch of none.
template <typename Case>
bool takes_no_batch(const std::string& product) {
  if (std::is_same_v<Case, AdaptiveAvgPool3d>) return product != "atlas-inference";
  if (std::is_same_v<Case, AdaptiveAvgPool3dBackward>) return product == "portable" || product == "ascend950";
  return true;
}

template <typename Case>
void self_has_cells() {
  const auto with = [](Dims batch, Dims space) {
    if (Case::kSpatial == 2) space.erase(space.begin());
    batch.insert(batch.end(), space.begin(), space.end());
    return batch;
  };
  const Dims windows = std::is_same_v<Case, AdaptiveAvgPool3dBackward> ? Dims{1, 1, 1} : Dims{4, 4, 5};
  on_each_product<Case>([&](Case& call) {
    for (const Dims& batch : {Dims{0, 3}, Dims{0}}) {
      call.set_shapes(with(batch, {8, 8, 10}), with(batch, windows));
      takes_no_batch<Case>(call.product) ? accepts(call) : refuses(call, "self has shape [0,", "on A");
    }
    call.set_shapes(with({2, 0}, {8, 8, 10}), with({2, 0}, windows));
    refuses(call, "self has shape [2,0,", "greater than 0");
    call.set_shapes(with({2, 3}, {8, 0, 10}), with({2, 3}, windows));
    refuses(call, "self has shape [2,3,", "greater than 0");
  });
  // Without N and with C last the first dimension is one of the plane.
  Case last;
  set_format(last, Case::kLastFormat);
  Dims input = with({}, {8, 8, 10});
  Dims output = with({}, windows);
  input.push_back(0);
  output.push_back(0);
  last.set_shapes(input, output);
  accepts(last);
  input[0] = 0;
  input.back() = output.back() = 3;
  last.set_shapes(input, output);
  refuses(last, "self has shape [0,", "but C");
}

RULE_TEST(AdaptiveAvgPool3d, formats_allowed) {
  on_each_product<AdaptiveAvgPool3d>([](AdaptiveAvgPool3d& call) {
    for (const aclFormat format : {ACL_FORMAT_NCDHW, ACL_FORMAT_NCHW, ACL_FORMAT_ND}) {
      set_format(call, format);
      accepts(call);
    }
    for (const aclFormat format : {ACL_FORMAT_NHWC, ACL_FORMAT_HWCN, ACL_FORMAT_NCL, ACL_FORMAT_UNDEFINED}) {
      set_format(call, format);
      call.product == "ascend950"
          ? refuses(call, "self has format", "expected one of NCHW, ND, NCDHW", "on Ascend 950")
          : accepts(call);
    }
  });
}

RULE_TEST(AdaptiveAvgPool3dBackward, ranks_allowed) {
  on_each_product<AdaptiveAvgPool3dBackward>([](AdaptiveAvgPool3dBackward& call) {
    call.set_shapes({3, 8, 8, 10}, {3, 1, 1, 1});
    accepts(call);
    for (const Dims& dims : {Dims{}, Dims{1, 1, 1}, Dims{1, 2, 3, 1, 1, 1}}) {
      call.grad_output.dims = dims;
      refuses(call, "gradOutput", "4 or 5");
    }
  });
}

RULE_TEST(AdaptiveAvgPool3dBackward, ranks_equal) {
  on_each_product<AdaptiveAvgPool3dBackward>([](AdaptiveAvgPool3dBackward& call) {
    call.grad_output.dims = {3, 1, 1, 1};
    refuses(call, "gradOutput has shape [3,1,1,1]", "as self [2,3,8,8,10]");
  });
}

RULE_TEST(AdaptiveAvgPool3dBackward, grad_output_has_windows) {
  on_each_product<AdaptiveAvgPool3dBackward>([](AdaptiveAvgPool3dBackward& call) {
    call.grad_output.dims = {2, 3, 1, 0, 1};
    refuses(call, "gradOutput has shape [2,3,1,0,1]", "D, H and W");
  });
}

RULE_TEST(AdaptiveAvgPool3dBackward, single_windows) {
  on_each_product<AdaptiveAvgPool3dBackward>([](AdaptiveAvgPool3dBackward& call) {
    call.grad_output.dims = {2, 3, 1, 1, 2};
    call.product == "atlas-training"
        ? refuses(call, "gradOutput has shape [2,3,1,1,2]", "to be 1 on Atlas training")
        : accepts(call);
  });
}

TEST(AdaptiveAvgPool2dBackwardShapes, AnyDimensionMayBeNone) {
  on_each_product<AdaptiveAvgPool2dBackward>([](AdaptiveAvgPool2dBackward& call) {
    for (std::size_t i = 0; i < 4; ++i) {
      Dims input = {1, 1, 32, 16};
      Dims output = {1, 1, 2, 16};
      output[i] = 0;
      if (i < 2) input[i] = 0;
      call.set_shapes(input, output);
      accepts(call);
      input[i] = 0;
      call.set_shapes(input, output);
      accepts(call);
    }
  });
}

}  // namespace

#define ADAPTIVE_RULES(suite)             \
  SHARED_RULE(suite, output_size_length)  \
  SHARED_RULE(suite, output_size_allowed) \
  SHARED_RULE(suite, self_has_cells)
ADAPTIVE_RULES(AdaptiveAvgPool2d)
ADAPTIVE_RULES(AdaptiveAvgPool3d)
SHARED_RULE(AdaptiveAvgPool3dBackward, self_has_cells)
SHARED_RULE(AdaptiveAvgPool2dBackward, grad_output_batch)
SHARED_RULE(AdaptiveAvgPool3dBackward, grad_output_batch)

}  // namespace contract_test
