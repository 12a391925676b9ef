// What pooling without indices refuses in phase 1.

#include <algorithm>
#include <limits>

#include "contract/pooling_cases.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

RULE_TEST(MaxPool, data_type_supported) {
  const auto types = [](const std::string& product) -> std::vector<aclDataType> {
    if (product == "atlas-training") return {ACL_FLOAT16};
    if (product == "atlas-a2" || product == "atlas-a3") return {ACL_FLOAT, ACL_FLOAT16};
    std::vector<aclDataType> all = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_INT8, ACL_UINT8,
                                    ACL_INT16, ACL_UINT16,  ACL_INT32, ACL_INT64};
    if (product == "portable") all.push_back(ACL_DOUBLE);
    return all;
  };
  on_each_product<MaxPool>([&](MaxPool& call) {
    const std::vector<aclDataType> allowed = types(call.product);
    for (const aclDataType type :
         {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_UINT8, ACL_INT16, ACL_UINT16, ACL_INT32,
          ACL_UINT32, ACL_INT64, ACL_BOOL, ACL_DT_UNDEFINED}) {
      set_value_type(call, type);
      if (std::find(allowed.begin(), allowed.end(), type) != allowed.end()) {
        accepts(call);
      } else {
        refuses(call, "self has data type", "FLOAT16");
      }
    }
  });
}

RULE_TEST(MaxPool, data_types_equal) {
  on_each_product<MaxPool>([](MaxPool& call) {
    accepts(call);
    call.out.type = ACL_FLOAT;
    refuses(call, "out has data type FLOAT", "FLOAT16 as self has");
  });
}

RULE_TEST(MaxPool, formats_equal) {
  on_each_product<MaxPool>([](MaxPool& call) {
    set_format(call, ACL_FORMAT_NCHW);
    accepts(call);
    call.out.format = ACL_FORMAT_ND;
    refuses(call, "out has format ND", "NCHW as self has");
  });
}

RULE_TEST(MaxPool, formats_allowed) {
  on_each_product<MaxPool>([](MaxPool& call) {
    for (const aclFormat format : {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NCL}) {
      set_format(call, format);
      accepts(call);
    }
    for (const aclFormat format : {ACL_FORMAT_HWCN, ACL_FORMAT_NDHWC}) {
      set_format(call, format);
      call.product == "portable" ? accepts(call) : refuses(call, "self has format", "ND, NCHW or NCL");
    }
    set_format(call, ACL_FORMAT_NHWC);
    call.set_shapes({2, 8, 10, 3}, {2, 4, 5, 3});
    call.product == "portable" ? accepts(call) : refuses(call, "self has format NHWC");
    call.set_shapes({8, 10, 3}, {4, 5, 3});
    call.product == "portable" ? accepts(call) : refuses(call, "self has format NHWC");
  });
}

RULE_TEST(MaxPool, ranks_allowed) {
  on_each_product<MaxPool>([](MaxPool& call) {
    call.set_shapes({3, 8, 10}, {3, 4, 5});
    accepts(call);
    for (const Dims& dims : {Dims{}, Dims{8, 10}, Dims{1, 2, 3, 8, 10}}) {
      call.self.dims = dims;
      refuses(call, "self", "3 or 4");
    }
    call.set_shapes({3, 8, 10}, {5});
    refuses(call, "out", "3 or 4");
  });
}

RULE_TEST(MaxPool, ranks_equal) {
  on_each_product<MaxPool>([](MaxPool& call) {
    call.out.dims = {3, 4, 5};
    refuses(call, "out has shape [3,4,5]", "as self [2,3,8,10]");
  });
}

void length(ArraySpec MaxPool::*array, const std::vector<Dims>& good, const std::vector<Dims>& bad) {
  on_each_product<MaxPool>([&](MaxPool& call) {
    for (const Dims& values : good) {
      (call.*array).values = values;
      accepts(call);
    }
    for (const Dims& values : bad) {
      (call.*array).values = values;
      refuses(call, (call.*array).name, "expected length");
    }
  });
}

RULE_TEST(MaxPool, kernel_shape_length) { length(&MaxPool::kernel_shape, {{2}, {2, 2}}, {{}, {2, 2, 2}}); }

RULE_TEST(MaxPool, strides_length) {
  length(&MaxPool::strides, {{2}, {2, 2}}, {{2, 2, 2}});
  MaxPool call;  // nothing means 1, not the kernel
  call.strides.values = {};
  call.out.dims = {2, 3, 7, 9};
  accepts(call);
}

RULE_TEST(MaxPool, pads_length) {
  length(&MaxPool::pads, {{}, {0}, {0, 0}, {0, 0, 0, 0}}, {{0, 0, 0}, {0, 0, 0, 0, 0}});
}

RULE_TEST(MaxPool, dilations_length) {
  length(&MaxPool::dilations, {{}, {1}, {1, 1}, {1, 1, 1, 1}}, {{1, 1, 1}, {1, 1, 1, 1, 1}});
}

RULE_TEST(MaxPool, auto_pad_zero) {
  on_each_product<MaxPool>([](MaxPool& call) {
    for (const std::int64_t mode : {std::int64_t{1}, std::int64_t{-1}, kHuge}) {
      call.auto_pad = mode;
      refuses(call, "autoPad is ", "expected 0");
    }
  });
}

RULE_TEST(MaxPool, dilations_allowed) {
  on_each_product<MaxPool>([](MaxPool& call) {
    const bool free = call.product == "portable";
    call.kernel_shape.values = {1, 2};
    for (const Dims& values : {Dims{2, 1}, Dims{kHuge, 1}}) {
      call.dilations.values = values;
      free ? accepts(call) : refuses(call, "dilations is [", "expected only 1");
    }
    for (const Dims& values : {Dims{0}, Dims{1, -1}}) {
      call.dilations.values = values;
      refuses(call, "dilations is [", free ? "greater than 0" : "expected only 1");
    }
    call.dilations.values = {2, 1, 1, 1};
    refuses(call, "dilations is [2,1,1,1], expected only 1");
  });
}

RULE_TEST(MaxPool, kernel_shape_positive) {
  on_each_product<MaxPool>([](MaxPool& call) {
    for (const Dims& values : {Dims{0}, Dims{2, 0}, Dims{-1, 2}}) {
      call.kernel_shape.values = values;
      refuses(call, "kernelShape is [", "greater than 0");
    }
  });
}

RULE_TEST(MaxPool, strides_positive) {
  on_each_product<MaxPool>([](MaxPool& call) {
    for (const Dims& values : {Dims{0}, Dims{2, 0}, Dims{-1, 2}}) {
      call.strides.values = values;
      refuses(call, "strides is [", "greater than 0");
    }
  });
}

RULE_TEST(MaxPool, pads_not_negative) {
  on_each_product<MaxPool>([](MaxPool& call) {
    for (const Dims& values : {Dims{-1}, Dims{0, -1}, Dims{0, 0, 0, -1}}) {
      call.pads.values = values;
      refuses(call, "pads is [", "negative");
    }
  });
}

RULE_TEST(MaxPool, pads_within_kernel) {
  on_each_product<MaxPool>([](MaxPool& call) {
    call.kernel_shape.values = {3};
    call.pads.values = {1, 3, 2, 0};
    call.out.dims = {2, 3, 5, 6};
    accepts(call);
    for (const Dims& values : {Dims{2}, Dims{2, 0}, Dims{2, 0, 2, 0}, Dims{4, 0, 0, 0}, Dims{kHuge}}) {
      call.pads.values = values;
      refuses(call, "pads is [", "on axis H", "kernelShape 3 together");
    }
    call.pads.values = {0, 2, 0, 2};
    refuses(call, "on axis W 2 and 2");
  });
}

RULE_TEST(MaxPool, self_has_channels_and_plane) {
  on_each_product<MaxPool>([](MaxPool& call) {
    call.set_shapes({0, 3, 8, 10}, {0, 3, 4, 5});
    accepts(call);
    for (const Dims& dims : {Dims{2, 0, 8, 10}, Dims{2, 3, 0, 10}, Dims{2, 3, 8, 0}, Dims{0, 8, 10}}) {
      call.set_shapes(dims, dims);
      refuses(call, "self has shape [", "C, H and W");
    }
  });
}

RULE_TEST(MaxPool, windows_exist) {
  on_each_product<MaxPool>([](MaxPool& call) {
    call.kernel_shape.values = {9, 2};
    refuses(call, "no window on axis H", "kernelShape [9,2]");
    call.kernel_shape.values = {kHuge};
    call.strides.values = {kHuge};
    refuses(call, "no window on axis H");
  });
}

RULE_TEST(MaxPool, out_shape) {
  on_each_product<MaxPool>([](MaxPool& call) {
    accepts(call);
    for (const Dims& dims : {Dims{2, 3, 4, 4}, Dims{1, 3, 4, 5}, Dims{2, 4, 4, 5}, Dims{2, 3, 5, 5}}) {
      call.out.dims = dims;
      refuses(call, "out has shape [", "self [2,3,8,10], kernelShape [2,2], strides [2,2]", "is [2,3,4,5]");
    }
  });
}

TEST(MaxPoolShapes, CountPaddingOnEachSide) {
  struct {
    Dims pads;
    std::int64_t ceil_mode;
    std::int64_t windows;
  } const kAxes[] = {{{0, 2, 0, 1}, 0, 3}, {{0, 2, 0, 1}, 7, 4}, {{0, 3, 0, 0}, 0, 3},
                     {{0, 0, 0, 3}, 0, 3}, {{0, 0, 0, 3}, 1, 3}, {{0, 1}, 1, 3}};
  for (const auto& [pads, ceil_mode, windows] : kAxes) {
    MaxPool call;
    call.kernel_shape.values = {1, 3};
    call.strides.values = {1, 2};
    call.pads.values = pads;
    call.ceil_mode = ceil_mode;
    call.set_shapes({1, 1, 5}, {1, 1, windows});
    accepts(call);
  }
}

TEST(MaxPoolShapes, ValuesAsLargeAsTheirTypeAllowsDoNotOverflow) {
  MaxPool call;
  call.kernel_shape.values = {kHuge};
  call.strides.values = {kHuge};
  call.pads.values = {kHuge - 3, 5, 3, kHuge - 5};
  call.set_shapes({1, 1, 3, 3}, {1, 1, 1, 1});
  accepts(call);
}

}  // namespace
}  // namespace contract_test
