// What both directions of pooling, 2D and 3D, refuse in phase 1 with the same rules.

#include <limits>

#include "contract/mean_cases.h"
#include "contract/pooling_cases.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

template <typename Case>
constexpr bool kVolumes = Case::kSpatial == 3;

// The products that allow dilation and the channels-last flag.
template <typename Case>
constexpr std::array kFlexible = {"portable", "ascend950"};
template <>
constexpr std::array kFlexible<MaxPool3dWithArgmaxBackward> = {"portable"};
template <typename Case>
constexpr std::array kStiff = {"atlas-a2", "atlas-a3"};
template <>
constexpr std::array kStiff<MaxPool3dWithArgmaxBackward> = {"atlas-a2", "atlas-a3", "ascend950"};

template <>
constexpr std::array kFlexible<MaxPool2dWithMask> = {"portable"};
template <>
constexpr std::array kStiff<MaxPool2dWithMask> = {"atlas-a2", "atlas-a3", "atlas-training",
                                                  "atlas-inference"};
template <>
constexpr std::array kFlexible<MaxPool2dWithMaskBackward> = {"portable"};
template <>
constexpr std::array kStiff<MaxPool2dWithMaskBackward> = {"atlas-a2", "atlas-a3", "atlas-training"};

template <typename Case>
aclFormat channels_last() {
  return kVolumes<Case> ? ACL_FORMAT_NDHWC : ACL_FORMAT_NHWC;
}

// The spatial part of a shape after N and C, or before C.
template <typename Case>
Dims shape(Dims dims, const Dims& spatial) {
  const std::size_t skipped = kVolumes<Case> ? 0 : 1;
  dims.insert(dims.end(), spatial.begin() + static_cast<std::ptrdiff_t>(skipped), spatial.end());
  return dims;
}

template <typename Case>
void channels_last_allowed() {
  const auto set_last = [](Case& call, const Dims& batch) {
    set_format(call, channels_last<Case>());
    Dims input = shape<Case>(batch, {8, 8, 10});
    Dims output = shape<Case>(batch, {4, 4, 5});
    input.push_back(3);
    output.push_back(3);
    call.set_shapes(input, output);
  };
  on_products<Case>(kFlexible<Case>, [&](Case& call) {
    set_last(call, {2});
    accepts(call);
    set_last(call, {});
    accepts(call);
  });
  on_products<Case>(kStiff<Case>, [&](Case& call) {
    set_last(call, {2});
    refuses(call, kVolumes<Case> ? "self has format NDHWC" : "self has format NHWC", "on A");
    // Only the flag of volumes moves the axes of volumes, that of images those of images.
    Case other;
    other.product = call.product;
    set_format(other, kVolumes<Case> ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC);
    accepts(other);
  });
}

template <typename Case>
void ranks_allowed() {
  on_each_product<Case>([](Case& valid) {
    Case call = valid;
    call.set_shapes(shape<Case>({3}, {8, 8, 10}), shape<Case>({3}, {4, 4, 5}));
    accepts(call);
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      for (const Dims& dims : {Dims{}, shape<Case>({}, {8, 8, 10}), shape<Case>({1, 2, 3}, {8, 8, 10})}) {
        Case broken = valid;
        broken.tensors()[i]->dims = dims;
        refuses(broken, broken.tensors()[i]->name, kVolumes<Case> ? "4 or 5" : "3 or 4");
      }
    }
  });
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
      refuses(call, tensor.name, "as self [2,3,8,");
    }
  });
}

// Lists that are neither one value nor one an axis.
template <typename Case>
std::vector<Dims> wrong_lengths(std::int64_t value, bool empty_is_wrong) {
  std::vector<Dims> result = {Dims(Case::kSpatial + 1, value)};
  if (kVolumes<Case>) result.emplace_back(2, value);
  if (empty_is_wrong) result.emplace_back();
  return result;
}

template <typename Case>
std::string one_or_all() {
  return kVolumes<Case> ? "1 or 3" : "1 or 2";
}

template <typename Case>
void kernel_size_length() {
  on_each_product<Case>([](Case& call) {
    call.kernel_size.values = {2};
    accepts(call);
    for (const Dims& values : wrong_lengths<Case>(2, true)) {
      call.kernel_size.values = values;
      refuses(call, "kernelSize is [", "expected length " + one_or_all<Case>());
    }
  });
}

template <typename Case>
void stride_length() {
  on_each_product<Case>([](Case& call) {
    for (const Dims& values : {Dims{}, Dims{2}, Dims(Case::kSpatial, 2)}) {
      call.stride.values = values;
      accepts(call);
    }
    for (const Dims& values : wrong_lengths<Case>(2, false)) {
      call.stride.values = values;
      refuses(call, std::string(call.stride.name) + " is [", "expected length 0, " + one_or_all<Case>());
    }
  });
}

template <typename Case>
void padding_length() {
  on_each_product<Case>([](Case& call) {
    call.padding.values = {0};
    accepts(call);
    for (const Dims& values : wrong_lengths<Case>(0, true)) {
      call.padding.values = values;
      refuses(call, std::string(call.padding.name) + " is [", "expected length " + one_or_all<Case>());
    }
  });
}

template <typename Case>
void dilation_length() {
  on_each_product<Case>([](Case& call) {
    call.dilation.values = {1};
    accepts(call);
    for (const Dims& values : wrong_lengths<Case>(1, true)) {
      call.dilation.values = values;
      refuses(call, "dilation is [", "expected length " + one_or_all<Case>());
    }
  });
}

template <typename Case>
void every_value_positive(ArraySpec& (*argument)(Case&), std::int64_t valid, const char* name) {
  on_each_product<Case>([=](Case& call) {
    accepts(call);
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}}) {
      for (std::size_t axis = 0; axis < Case::kSpatial; ++axis) {
        argument(call).values = Dims(Case::kSpatial, valid);
        argument(call).values[axis] = bad;
        refuses(call, std::string(name) + " is [", "greater than 0");
      }
      argument(call).values = {bad};
      refuses(call, std::string(name) + " is [", "greater than 0");
    }
  });
}

template <typename Case>
void kernel_size_positive() {
  every_value_positive<Case>([](Case& call) -> ArraySpec& { return call.kernel_size; }, 2, "kernelSize");
}

template <typename Case>
void stride_positive() {
  every_value_positive<Case>([](Case& call) -> ArraySpec& { return call.stride; }, 2, Case().stride.name);
}

template <typename Case>
void dilation_positive() {
  every_value_positive<Case>([](Case& call) -> ArraySpec& { return call.dilation; }, 1, "dilation");
}

template <typename Case>
void padding_within_half() {
  on_each_product<Case>([](Case& call) {
    call.kernel_size.values = Dims(Case::kSpatial, 3);
    call.padding.values = Dims(Case::kSpatial, 1);
    accepts(call);
    const std::string names = kVolumes<Case> ? "DHW" : "HW";
    for (std::size_t axis = 0; axis < Case::kSpatial; ++axis) {
      const std::string where = std::string("on axis ") + names[axis];
      call.padding.values[axis] = 2;
      refuses(call, std::string(call.padding.name) + " is [",
              where + " 2, expected 0 to 1, half of kernelSize 3");
      call.padding.values[axis] = -1;
      refuses(call, where + " -1");
      call.padding.values[axis] = 1;
    }
  });
}

template <typename Case>
void dilation_allowed() {
  // One tap along H, so that its dilation changes no size.
  const auto dilate = [](Case& call) {
    const std::size_t height = Case::kSpatial - 2;
    call.kernel_size.values[height] = 1;
    call.dilation.values[height] = 2;
  };
  on_products<Case>(kFlexible<Case>, [&](Case& call) {
    dilate(call);
    accepts(call);
  });
  on_products<Case>(kStiff<Case>, [&](Case& call) {
    accepts(call);
    dilate(call);
    refuses(call, kVolumes<Case> ? "dilation is [1,2,1], expected only 1 on A"
                                 : "dilation is [2,1], expected only 1 on A");
  });
}

template <typename Case>
void plane_within_index() {
  // One position more than an INT32 index reaches.
  const auto make_too_large = [](Case& call) {
    if (kVolumes<Case>) return call.set_shapes({1, 1, 2, 32768, 32768}, {1, 1, 1, 16384, 16384});
    call.set_shapes({1, 1, 65536, 32768}, {1, 1, 32768, 16384});
  };
  on_each_product<Case>([&](Case& call) {
    make_too_large(call);
    refuses(call, "self has shape [1,1,", "2147483648", "INT32", "2147483647");
    call.kernel_size.values = call.stride.values = {1};
    const Dims full = shape<Case>({1, 1}, {1, 1, 2147483647});
    call.set_shapes(full, full);
    accepts(call);
  });
  on_products<Case>(std::array{"portable", "ascend950"}, [&](Case& call) {
    make_too_large(call);
    call.indices.type = ACL_INT64;
    accepts(call);
  });
}

template <typename Case>
void windows_exist() {
  on_each_product<Case>([](Case& call) {
    call.kernel_size.values = shape<Case>({}, {8, 8, 10});
    call.set_shapes(shape<Case>({2, 3}, {8, 8, 10}), shape<Case>({2, 3}, {1, 1, 1}));
    accepts(call);
    call.kernel_size.values = shape<Case>({}, {8, 9, 10});
    refuses(call, "kernelSize leaves no window on axis H", "9,10]");
    call.ceil_mode = true;  // a window that lacks less than a stride counts
    accepts(call);
    call.kernel_size.values = shape<Case>({}, {8, 10, 10});
    refuses(call, "on axis H", "ceilMode true");
    call.kernel_size.values = {kHuge};
    call.stride.values = {kHuge};
    call.ceil_mode = false;
    refuses(call, "kernelSize [9223372036854775807");
  });
  if constexpr (requires(Case call) { call.dilation; }) {
    Case dilated;
    dilated.dilation.values = {kHuge};
    dilated.kernel_size.values = {kHuge};
    refuses(dilated, "dilation [9223372036854775807");
  }
}

template <typename Case>
void self_has_channels_and_plane() {
  on_each_product<Case>([](Case& call) {
    call.set_shapes({0, 3, 8, 10}, {0, 3, 4, 5});
    accepts(call);
    call.set_shapes({2, 0, 8, 10}, {2, 0, 4, 5});
    refuses(call, "self has shape [2,0,8,10]");
    call.set_shapes({2, 3, 0, 10}, {2, 3, 0, 5});
    refuses(call, "self has shape [2,3,0,10]");
    call.set_shapes({2, 3, 8, 0}, {2, 3, 4, 0});
    refuses(call, "self has shape [2,3,8,0]");
    call.set_shapes({0, 8, 10}, {0, 4, 5});
    refuses(call, "self has shape [0,8,10]");
  });
  if constexpr (requires { Case::kStrictFormats; }) return;
  // With channels last the first dimension of three is H.
  Case last;
  set_format(last, ACL_FORMAT_NHWC);
  last.set_shapes({8, 10, 0}, {4, 5, 0});
  refuses(last, "self has shape [8,10,0]");
}

}  // namespace

#define RANK_RULES(suite)           \
  SHARED_RULE(suite, ranks_allowed) \
  SHARED_RULE(suite, ranks_equal)

#define LIST_RULES(suite)                  \
  RANK_RULES(suite)                        \
  SHARED_RULE(suite, kernel_size_length)   \
  SHARED_RULE(suite, kernel_size_positive) \
  SHARED_RULE(suite, stride_length)        \
  SHARED_RULE(suite, stride_positive)      \
  SHARED_RULE(suite, padding_length)       \
  SHARED_RULE(suite, padding_within_half)

#define WINDOW_RULES(suite)             \
  LIST_RULES(suite)                     \
  SHARED_RULE(suite, dilation_length)   \
  SHARED_RULE(suite, dilation_positive) \
  SHARED_RULE(suite, dilation_allowed)  \
  SHARED_RULE(suite, windows_exist)

#define POOL_RULES(suite)                   \
  WINDOW_RULES(suite)                       \
  SHARED_RULE(suite, channels_last_allowed) \
  SHARED_RULE(suite, plane_within_index)

POOL_RULES(MaxPool3dWithArgmaxBackward)
POOL_RULES(MaxPool2dWithIndicesBackward)
POOL_RULES(MaxPool3dWithArgmax)
POOL_RULES(MaxPool2dWithIndices)
WINDOW_RULES(MaxPool2dWithMaskBackward)
WINDOW_RULES(MaxPool2dWithMask)

LIST_RULES(AvgPool2d)
LIST_RULES(AvgPool3d)
LIST_RULES(AvgPool2dBackward)
LIST_RULES(AvgPool3dBackward)
RANK_RULES(AdaptiveAvgPool2d)
RANK_RULES(AdaptiveAvgPool3d)
RANK_RULES(AdaptiveAvgPool2dBackward)
SHARED_RULE(AvgPool2d, windows_exist)
SHARED_RULE(AvgPool2dBackward, windows_exist)
SHARED_RULE(AvgPool3dBackward, windows_exist)
SHARED_RULE(AvgPool2d, self_has_channels_and_plane)
SHARED_RULE(AvgPool2dBackward, self_has_channels_and_plane)

SHARED_RULE(MaxPool2dWithIndicesBackward, self_has_channels_and_plane)
SHARED_RULE(MaxPool2dWithIndices, self_has_channels_and_plane)
SHARED_RULE(MaxPool2dWithMaskBackward, self_has_channels_and_plane)
SHARED_RULE(MaxPool2dWithMask, self_has_channels_and_plane)

}  // namespace contract_test
