// What mean pooling and its gradients refuse in phase 1, beyond the rules that all pooling has. What adaptive
// pooling alone refuses is in adaptive_mean_rules_test.cpp.

#include <algorithm>
#include <limits>

#include "contract/mean_cases.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

template <typename Case>
constexpr bool kVolumes = Case::kSpatial == 3;

// Training and inference have no BF16; AdaptiveAvgPool3dBackward alone has DOUBLE, in the portable product.
template <typename Case>
void data_type_supported() {
  on_each_product<Case>([](Case& call) {
    const bool two = call.product == "atlas-training" || call.product == "atlas-inference";
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      set_value_type(call, type);
      if constexpr (requires { call.cube_math_type; }) call.cube_math_type = type == ACL_FLOAT ? 2 : 1;
      type == ACL_BF16&& two ? refuses(call, "self has data type BF16", "FLOAT, FLOAT16 on Atlas")
                             : accepts(call);
    }
    for (const aclDataType type : {ACL_INT32, ACL_UINT8, ACL_DT_UNDEFINED}) {
      set_value_type(call, type);
      refuses(call, "self has data type", "FLOAT, FLOAT16");
    }
    set_value_type(call, ACL_DOUBLE);
    const bool wide = std::is_same_v<Case, AdaptiveAvgPool3dBackward> && call.product == "portable";
    wide ? accepts(call) : refuses(call, "self has data type DOUBLE");
  });
}

template <typename Case>
void data_types_equal() {
  on_each_product<Case>([](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      Case call = valid;
      TensorSpec& tensor = *call.tensors()[i];
      if (&tensor == &call.self) continue;
      tensor.type = ACL_FLOAT16;
      refuses(call, tensor.name, "has data type FLOAT16", "FLOAT as self has");
    }
  });
}

template <typename Case>
void formats_equal() {
  on_each_product<Case>([](Case& valid) {
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      Case call = valid;
      TensorSpec& tensor = *call.tensors()[i];
      if (&tensor == &call.self) continue;
      tensor.format = ACL_FORMAT_NCDHW;
      refuses(call, tensor.name, "has format NCDHW", "as self has");
    }
  });
}

// Strict products take NCHW with four dimensions and NCL with three; a gradient of three may be NCHW as well.
template <typename Case>
void formats_allowed() {
  on_each_product<Case>([](Case& valid) {
    const bool free = valid.product == "portable";
    for (const aclFormat format :
         {ACL_FORMAT_NCHW, ACL_FORMAT_NCL, ACL_FORMAT_ND, ACL_FORMAT_NDHWC, ACL_FORMAT_HWCN}) {
      Case planes = valid;
      set_format(planes, format);
      free || format == ACL_FORMAT_NCHW ? accepts(planes) : refuses(planes, "self has format", "on A");
      Case images = valid;
      images.set_shapes({3, 8, 10}, {3, 4, 5});
      set_format(images, format);
      const bool usual = format == ACL_FORMAT_NCL || (Case::kBackward && format == ACL_FORMAT_NCHW);
      free || usual ? accepts(images) : refuses(images, "self has format", "3 dimensions", "on A");
    }
    Case last = valid;
    set_format(last, ACL_FORMAT_NHWC);
    last.set_shapes({2, 8, 10, 3}, {2, 4, 5, 3});
    free ? accepts(last) : refuses(last, "self has format NHWC");
    last.set_shapes({8, 10, 3}, {4, 5, 3});
    free ? accepts(last) : refuses(last, "self has format NHWC");
  });
}

template <typename Case>
void channels_last_allowed() {
  on_each_product<Case>([](Case& call) {
    const Dims output = std::is_same_v<Case, AdaptiveAvgPool3dBackward> ? Dims{1, 1, 1} : Dims{4, 4, 5};
    const auto shaped = [](const Dims& before, Dims space) {
      if (Case::kSpatial == 2) space.erase(space.begin());
      space.insert(space.begin(), before.begin(), before.end());
      space.push_back(3);
      return space;
    };
    set_format(call, Case::kLastFormat);
    for (const Dims& before : {Dims{2}, Dims{}}) {
      call.set_shapes(shaped(before, {8, 8, 10}), shaped(before, output));
      call.product == "portable" ? accepts(call)
                                 : refuses(call, kVolumes<Case> ? "self has format NDHWC" : "NHWC", "on A");
    }
  });
}

template <typename Case>
void cube_math_type_allowed() {
  struct Row {
    std::vector<const char*> products;
    aclDataType type;
    std::vector<int> allowed;
  };
  const std::vector<int> all = {0, 1, 2, 3};
  const std::vector<int> three = {0, 1, 2};
  const std::vector<Row> rows = {
      {{"portable"}, ACL_FLOAT, all},
      {{"portable"}, ACL_FLOAT16, all},
      {{"portable"}, ACL_BF16, all},
      {{"atlas-a2", "atlas-a3"}, ACL_FLOAT, Case::kBackward ? all : std::vector<int>{0, 2}},
      {{"atlas-a2", "atlas-a3"}, ACL_FLOAT16, three},
      {{"atlas-a2", "atlas-a3"}, ACL_BF16, {0, 1}},
      {{"ascend950"}, ACL_FLOAT, Case::kBackward ? all : three},
      {{"ascend950"}, ACL_FLOAT16, Case::kBackward ? all : three},
      {{"ascend950"}, ACL_BF16, Case::kBackward ? all : three},
      {{"atlas-training", "atlas-inference"}, ACL_FLOAT, {1, 2}},
      {{"atlas-training", "atlas-inference"}, ACL_FLOAT16, three},
  };
  for (const Row& row : rows) {
    for (const char* product : row.products) {
      for (const int value : {-1, 0, 1, 2, 3, 4, 127}) {
        Case call;
        call.product = product;
        set_value_type(call, row.type);
        call.cube_math_type = static_cast<std::int8_t>(value);
        const bool good = std::find(row.allowed.begin(), row.allowed.end(), value) != row.allowed.end();
        good ? accepts(call) : refuses(call, "cubeMathType is " + std::to_string(value), "expected one of");
      }
    }
  }
}

// On the 950 the gradient of one window that is the plane takes less.
void whole_planes_take_less() {
  for (const auto& [type, most] : {std::pair{ACL_FLOAT, 3}, {ACL_FLOAT16, 2}, {ACL_BF16, 1}}) {
    for (int value = 0; value < 4; ++value) {
      AvgPool2dBackward call;
      call.product = "ascend950";
      set_value_type(call, type);
      call.kernel_size.values = {8, 10};
      call.set_shapes({2, 3, 8, 10}, {2, 3, 1, 1});
      call.cube_math_type = static_cast<std::int8_t>(value);
      value <= most ? accepts(call) : refuses(call, "cubeMathType is ", "one window", "Ascend 950");
    }
  }
}

// Neither is such a gradient: several windows of the plane's size, and one that is smaller.
void other_planes_take_all() {
  AvgPool2dBackward call;
  call.product = "ascend950";
  set_value_type(call, ACL_BF16);
  call.cube_math_type = 3;
  call.kernel_size.values = {8, 10};
  call.stride.values = {8, 1};
  call.padding.values = {0, 1};
  call.set_shapes({2, 3, 8, 10}, {2, 3, 1, 3});
  accepts(call);
  call.kernel_size.values = {8, 9};
  call.stride.values = {8, 9};
  call.padding.values = {0, 0};
  call.set_shapes({2, 3, 8, 10}, {2, 3, 1, 1});
  accepts(call);
}

RULE_TEST(AvgPool2d, cube_math_type_allowed) { cube_math_type_allowed<AvgPool2d>(); }
RULE_TEST(AvgPool2dBackward, cube_math_type_allowed) {
  cube_math_type_allowed<AvgPool2dBackward>();
  whole_planes_take_less();
  other_planes_take_all();
}

RULE_TEST(AvgPool2dBackward, divisor_within_limit) {
  on_each_product<AvgPool2dBackward>([](AvgPool2dBackward& call) {
    const bool limited = call.product == "atlas-training" || call.product == "atlas-inference";
    for (const std::int64_t divisor : {std::int64_t{-255}, std::int64_t{0}, std::int64_t{255}}) {
      call.divisor_override = divisor;
      accepts(call);
    }
    for (const std::int64_t divisor : {std::int64_t{-256}, std::int64_t{256}, kHuge, -kHuge - 1}) {
      call.divisor_override = divisor;
      limited ? refuses(call, "divisorOverride is ", "expected -255 to 255") : accepts(call);
    }
  });
}

TEST(AvgPoolDivisor, HasNoLimitForward) {
  const auto takes_any = [](auto& call) {
    for (const std::int64_t divisor : {std::int64_t{-256}, std::int64_t{256}, kHuge, -kHuge - 1}) {
      call.divisor_override = divisor;
      accepts(call);
    }
  };
  on_each_product<AvgPool2d>(takes_any);
  on_each_product<AvgPool3d>(takes_any);
}

TEST(AvgPoolBatch, MayBeEmptyEverywhere) {
  on_each_product<AvgPool3d>([](AvgPool3d& call) {
    for (const Dims& batch : {Dims{0, 3}, Dims{2, 0}}) {
      call.set_shapes({batch[0], batch[1], 8, 8, 10}, {batch[0], batch[1], 4, 4, 5});
      accepts(call);
    }
  });
}

TEST(AvgPool2dBackwardStride, MayBeNullWhereTheProductTakesItAsEmpty) {
  on_each_product<AvgPool2dBackward>([](AvgPool2dBackward& call) {
    call.stride.handle = Handle::kNull;
    if (call.product == "portable" || call.product == "atlas-training" || call.product == "atlas-inference")
      return accepts(call);
    expect_refused(run(call), call.product, "arguments_not_null", {"stride is null", "on A"});
  });
  AvgPool2dBackward broken;
  broken.stride.handle = Handle::kMadeUp;
  expect_refused(run(broken), broken.product, "handles_live", {"stride (0x", "expected a live aclIntArray"});
  AvgPool2dBackward unknown;
  unknown.product = "Ascend9000";
  unknown.stride.handle = Handle::kNull;
  expect_refused(run(unknown), unknown.product, "product_known", {});
}

RULE_TEST(AvgPool3d, kernel_within_self) {
  on_each_product<AvgPool3d>([](AvgPool3d& call) {
    call.kernel_size.values = {8, 8, 10};
    call.out.dims = {2, 3, 1, 1, 1};
    accepts(call);
    call.kernel_size.values = {9, 8, 10};
    call.padding.values = {4, 0, 0};
    refuses(call, "on axis D 9, expected no more than the 8 of self [2,3,8,8,10]");
    call.set_shapes({2, 3, 8, 8, 0}, {2, 3, 4, 4, 0});
    call.kernel_size.values = {2};
    call.padding.values = {0};
    refuses(call, "on axis W 2", "the 0 of self");
  });
}

RULE_TEST(AvgPool3dBackward, self_has_plane) {
  on_each_product<AvgPool3dBackward>([](AvgPool3dBackward& call) {
    for (const Dims& batch : {Dims{0, 3}, Dims{2, 0}}) {
      call.set_shapes({batch[0], batch[1], 8, 8, 10}, {batch[0], batch[1], 4, 4, 5});
      accepts(call);
    }
    call.set_shapes({2, 3, 8, 0, 10}, {2, 3, 4, 0, 5});
    refuses(call, "self has shape [2,3,8,0,10]", "D, H and W");
    // A window larger than the plane, which the forward refuses.
    call.set_shapes({2, 3, 2, 8, 10}, {2, 3, 1, 4, 5});
    call.kernel_size.values = {3, 2, 2};
    call.padding.values = {1, 0, 0};
    accepts(call);
  });
}

template <typename Case>
void out_shape() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    for (const Dims& dims :
         {Dims{2, 3, 4, 4, 4}, Dims{1, 3, 4, 4, 5}, Dims{2, 4, 4, 4, 5}, Dims{2, 3, 4, 5, 5}}) {
      call.out.dims = Case::cut(dims);
      refuses(call, "out has shape [", kVolumes<Case> ? "self [2,3,8,8,10]" : "self [2,3,8,10]",
              kVolumes<Case> ? "is [2,3,4,4,5]" : "is [2,3,4,5]");
    }
  });
}

template <typename Case>
void grad_output_shape() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    for (const Dims& dims : {Dims{2, 3, 4, 4, 4}, Dims{1, 3, 4, 4, 5}, Dims{2, 4, 4, 4, 5}}) {
      call.grad_output.dims = Case::cut(dims);
      refuses(call, "gradOutput has shape [", kVolumes<Case> ? "is [2,3,4,4,5]" : "is [2,3,4,5]");
    }
  });
}

template <typename Case>
void grad_input_shape() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.grad_input.dims.back() += 1;
    refuses(call, call.grad_input.name, "expected that of self, [2,3,8,");
  });
}

TEST(AvgPoolShapes, CountWindowsByFloorDivision) {
  // CANN's own division rounds toward 0, and lets a window pass that lacks less than a stride.
  AvgPool2d call;
  call.set_shapes({1, 1, 1, 1}, {1, 1, 1, 1});
  expect_refused(run(call), call.product, "windows_exist", {});
  call.ceil_mode = true;
  accepts(call);
}

TEST(AvgPoolShapes, ValuesAsLargeAsTheirTypeAllowsDoNotOverflow) {
  AvgPool2d call;
  call.kernel_size.values = {kHuge};
  call.stride.values = {kHuge};
  call.padding.values = {kHuge / 2};
  call.set_shapes({1, 1, 3, 3}, {1, 1, 1, 1});
  accepts(call);
  call.ceil_mode = true;  // the second one would begin behind the padding
  accepts(call);
}

}  // namespace

#define MEAN_RULES(suite)                 \
  SHARED_RULE(suite, data_type_supported) \
  SHARED_RULE(suite, data_types_equal)    \
  SHARED_RULE(suite, formats_equal)
MEAN_OPERATORS(MEAN_RULES)

SHARED_RULE(AvgPool2d, formats_allowed)
SHARED_RULE(AvgPool2dBackward, formats_allowed)
SHARED_RULE(AdaptiveAvgPool2d, formats_allowed)
SHARED_RULE(AvgPool3d, channels_last_allowed)
SHARED_RULE(AvgPool3dBackward, channels_last_allowed)
SHARED_RULE(AdaptiveAvgPool3d, channels_last_allowed)
SHARED_RULE(AdaptiveAvgPool2dBackward, channels_last_allowed)
SHARED_RULE(AdaptiveAvgPool3dBackward, channels_last_allowed)

SHARED_RULE(AvgPool2d, out_shape)
SHARED_RULE(AvgPool3d, out_shape)
SHARED_RULE(AvgPool2dBackward, grad_output_shape)
SHARED_RULE(AvgPool3dBackward, grad_output_shape)
SHARED_RULE(AvgPool2dBackward, grad_input_shape)
SHARED_RULE(AvgPool3dBackward, grad_input_shape)

SHARED_RULE(AdaptiveAvgPool2d, out_shape)
SHARED_RULE(AdaptiveAvgPool3d, out_shape)
SHARED_RULE(AdaptiveAvgPool2dBackward, grad_input_shape)
SHARED_RULE(AdaptiveAvgPool3dBackward, grad_input_shape)

}  // namespace contract_test
