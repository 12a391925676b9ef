// What max pooling, 2D and 3D, refuses in phase 1, beyond the rules that it shares with its gradient.

#include <algorithm>
#include <limits>

#include "contract/pooling_cases.h"
#include "ops/max_pool/contract.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

template <typename Case>
void data_type_supported() {
  on_each_product<Case>([](Case& call) {
    for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      set_value_type(call, type);
      accepts(call);
    }
    for (const aclDataType type : {ACL_INT32, ACL_UINT8, ACL_DT_UNDEFINED}) {
      set_value_type(call, type);
      refuses(call, "self has data type", "FLOAT, FLOAT16, BF16");
    }
    double_in_portable_alone(call);
  });
}

template <typename Case>
void data_types_equal() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.out.type = ACL_FLOAT16;
    refuses(call, "out has data type FLOAT16", "FLOAT as self has");
  });
}

template <typename Case>
void formats_equal() {
  on_each_product<Case>([](Case& call) {
    set_format(call, ACL_FORMAT_NCHW);
    call.indices.format = ACL_FORMAT_ND;  // is not compared
    accepts(call);
    call.out.format = ACL_FORMAT_ND;
    refuses(call, "out has format ND", "NCHW as self has");
  });
}

RULE_TEST(MaxPool3dWithArgmax, index_type_supported) {
  on_each_product<MaxPool3dWithArgmax>([](MaxPool3dWithArgmax& call) {
    accepts(call);
    call.indices.type = ACL_INT8;
    refuses(call, "indices has data type INT8", "INT32");
    call.indices.type = ACL_INT64;
    if (call.product == "portable" || call.product == "ascend950") {
      accepts(call);
    } else {
      refuses(call, "indices has data type INT64", "INT32 on Atlas A");
    }
  });
}

RULE_TEST(MaxPool2dWithIndices, index_type_supported) {
  on_each_product<MaxPool2dWithIndices>([](MaxPool2dWithIndices& call) {
    accepts(call);
    call.indices.type = ACL_INT64;
    accepts(call);
    call.indices.type = ACL_INT8;
    refuses(call, "indices has data type INT8", "INT32, INT64");
  });
}

RULE_TEST(MaxPool3dWithArgmax, out_shape) {
  on_each_product<MaxPool3dWithArgmax>([](MaxPool3dWithArgmax& call) {
    accepts(call);
    call.out.dims = call.indices.dims = {2, 3, 4, 4, 4};
    refuses(call,
            "out has shape [2,3,4,4,4] but the forward output for self [2,3,8,8,10], kernelSize [2,2,2], "
            "stride [2,2,2], padding [0,0,0], ceilMode false is [2,3,4,4,5]");
    call.out.dims = call.indices.dims = {1, 3, 4, 4, 5};
    refuses(call, "out has shape [1,3,4,4,5]");
  });
}

RULE_TEST(MaxPool2dWithIndices, out_shape) {
  on_each_product<MaxPool2dWithIndices>([](MaxPool2dWithIndices& call) {
    accepts(call);
    call.out.dims = call.indices.dims = {2, 3, 4, 4};
    refuses(call, "out has shape [2,3,4,4] but the forward output for self [2,3,8,10]", "is [2,3,4,5]");
    call.set_shapes({0, 3, 8, 10}, {0, 3, 4, 4});
    refuses(call, "out has shape [0,3,4,4]");
  });
  MaxPool2dWithIndices last;
  set_format(last, ACL_FORMAT_NHWC);
  last.set_shapes({2, 8, 10, 3}, {2, 3, 4, 5});
  refuses(last, "out has shape [2,3,4,5]", "is [2,4,5,3]");
}

template <typename Case>
void indices_shape() {
  on_each_product<Case>([](Case& call) {
    accepts(call);
    call.indices.dims.back() += 1;
    refuses(call, "indices has shape [", "out");
  });
}

TEST(MaxPool3dWithArgmaxShapes, EmptyTensors) {
  on_each_product<MaxPool3dWithArgmax>([](MaxPool3dWithArgmax& valid) {
    MaxPool3dWithArgmax call = valid;
    call.set_shapes({0, 3, 8, 8, 10}, {0, 3, 4, 4, 5});
    accepts(call);
    call.set_shapes({2, 0, 8, 8, 10}, {2, 0, 4, 4, 5});
    accepts(call);
    call.set_shapes({2, 3, 0, 8, 10}, {2, 3, 0, 4, 5});
    accepts(call);
    call.set_shapes({2, 3, 0, 8, 10}, {2, 3, 1, 4, 5});
    expect_refused(run(call), call.product, "out_shape", {"out"});
    // Padding makes room for one window on an axis that has no position.
    call.padding.values = {1, 0, 0};
    accepts(call);
    // An output without elements must have the right shape, too.
    call = valid;
    call.out.dims = call.indices.dims = {0, 3, 4, 4, 5};
    expect_refused(run(call), call.product, "out_shape", {"out"});
  });
}

TEST(MaxPoolWindows, AsLargeAsTheirTypeAllowsDoNotOverflow) {
  MaxPool3dWithArgmax call;
  call.kernel_size.values = {kHuge - 1};
  call.padding.values = {kHuge / 2};
  call.stride.values = {kHuge};
  call.ceil_mode = true;
  call.set_shapes({1, 1, 3, 3, 3}, {1, 1, 1, 1, 1});
  accepts(call);
}

// The positions in the plane that each window has taps at, in their order.
std::vector<Dims> taps(const cairn::Window& window, std::int64_t size, std::int64_t windows) {
  std::vector<Dims> result;
  for (std::int64_t o = 0; o < windows; ++o) {
    result.emplace_back();
    for (std::int64_t a = 0; a < window.kernel; ++a) {
      const std::int64_t position = o * window.stride + a * window.dilation - window.padding;
      if (position >= 0 && position < size) result.back().push_back(position);
    }
  }
  return result;
}

TEST(MaxPoolWindows, KeepTheirTapsWhenCutToThePlane) {
  for (std::int64_t size = 0; size <= 5; ++size)
    for (std::int64_t kernel = 1; kernel <= 14; ++kernel)
      for (std::int64_t padding = 0; padding <= kernel / 2; ++padding)
        for (std::int64_t stride = 1; stride <= 12; ++stride)
          for (std::int64_t dilation = 1; dilation <= 8; ++dilation)
            for (const bool ceil : {false, true}) {
              const cairn::Window window{kernel, stride, padding, dilation};
              const auto windows = static_cast<std::int64_t>(cairn::pooled_size(size, window, ceil));
              if (windows <= 0) continue;
              const cairn::Window cut = cairn::same_taps(window, size, windows);
              ASSERT_EQ(taps(cut, size, windows), taps(window, size, windows))
                  << "size " << size << " kernel " << kernel << " padding " << padding << " stride " << stride
                  << " dilation " << dilation << (ceil ? " ceil" : "");
            }
}

TEST(MaxPoolWindows, AreCutToTheSizeOfThePlane) {
  const std::int64_t size = 100;
  const std::int64_t values[] = {1, 2, 3, 100, 101, 200, 1 << 20, kHuge / 4, kHuge / 2, kHuge - 1, kHuge};
  for (const std::int64_t kernel : values)
    for (const std::int64_t stride : values)
      for (const std::int64_t wish : values)
        for (const std::int64_t dilation : values)
          for (const bool ceil : {false, true}) {
            const cairn::Window window{kernel, stride, std::min(wish, kernel / 2), dilation};
            const cairn::Wide windows = cairn::pooled_size(size, window, ceil);
            if (windows <= 0) continue;
            const auto cut = cairn::same_taps(window, size, static_cast<std::int64_t>(windows));
            for (const std::int64_t value : {cut.kernel, cut.stride, cut.padding, cut.dilation}) {
              ASSERT_GE(value, 0);
              ASSERT_LE(value, 5 * size) << "kernel " << kernel << " stride " << stride << " padding "
                                         << window.padding << " dilation " << dilation;
            }
          }
}

}  // namespace

#define FORWARD_RULES(suite)              \
  SHARED_RULE(suite, data_type_supported) \
  SHARED_RULE(suite, data_types_equal)    \
  SHARED_RULE(suite, formats_equal)       \
  SHARED_RULE(suite, indices_shape)

FORWARD_RULES(MaxPool3dWithArgmax)
FORWARD_RULES(MaxPool2dWithIndices)

}  // namespace contract_test
