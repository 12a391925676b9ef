#pragma once

#include "common/view.h"
#include "ops/checks/upsampling.h"
#include "ops/kit/taps/axis.h"

// What the contracts of linear, cubic and antialiased upsampling share, forward and backward. {0} is the
// tensor that is read, {1} the one that is written.
namespace cairn::resampling {

using upsampling::Call;

// Whether a scale would count on its own: positive, and finite like its reciprocal.
bool is_usable(double scale);

// The axes of a plane as kernels take them; `in` is the small side, that of self or gradInput.
struct PlaneAxes {
  FilterAxis d, h, w;
};
PlaneAxes plane_axes(const Call& call, const Size3& in, const Size3& out);

inline constexpr ArgumentInfo kAlignCorners = {"alignCorners", Kind::kBool,
                                               "whether the first and the last cells lie on each other"};

inline constexpr FormatSet kCubicFormats = {ACL_FORMAT_ND, ACL_FORMAT_NCHW};
// Sizes are limited on all products, or but for 950.
constexpr std::array<SupportOn, 3> antialiased_support(bool limited_on_950) {
  using enum ProductId;
  const auto strict = [](bool sizes, bool ratios) {
    return Support{.types = upsampling::kThreeTypes,
                   .formats = kCubicFormats,
                   .size_limits = sizes,
                   .scales_must_fit = true,
                   .ratio_limits = ratios};
  };
  return {SupportOn{{kPortable}, {.types = upsampling::kTypes}},
          SupportOn{{kAtlasA2, kAtlasA3}, strict(true, true)},
          SupportOn{{kAscend950}, strict(limited_on_950, false)}};
}
inline constexpr std::array kAntialiasedLinearSupport = antialiased_support(false);
inline constexpr std::array kAntialiasedCubicSupport = antialiased_support(true);

// Where the product names formats, DOUBLE only with channels last.
Complaint double_channels_last(const Call& call);
// Strict products refuse tensors without elements where their pages do.
Complaint not_empty(const Call& call);

// Scales that count, unless corners are aligned.
Complaint scales_give_sizes(const Call& call, const TensorArgument& small);

// clang-format off
inline constexpr Rule kNotEmpty = {"not_empty", kInvalid, "Where the product's page rules it out, no dimension is 0.", of_call<not_empty>};
// clang-format on

}  // namespace cairn::resampling
