#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "common/type_set.h"

namespace cairn {

enum class Operator : std::size_t {
  kMaxPool3dWithArgmaxBackward,
  kMaxPool2dWithIndicesBackward,
  kMaxUnpool3dBackward,
  kUpsampleNearest3dBackward,
  kMaxPool3dWithArgmax,
  kMaxPool2dWithIndices,
  kMaxUnpool3d,
  kUpsampleNearest3d,
};
inline constexpr std::array kOperatorNames = {
    "aclnnMaxPool3dWithArgmaxBackward",
    "aclnnMaxPool2dWithIndicesBackward",
    "aclnnMaxUnpool3dBackward",
    "aclnnUpsampleNearest3dBackward",
    "aclnnMaxPool3dWithArgmax",
    "aclnnMaxPool2dWithIndices",
    "aclnnMaxUnpool3d",
    "aclnnUpsampleNearest3d",
};
inline constexpr std::size_t kOperatorCount = kOperatorNames.size();

constexpr const char* name_of(Operator op) { return kOperatorNames[static_cast<std::size_t>(op)]; }

// What a product allows of one operator.
struct Support {
  bool offered = false;          // false: every call is refused
  TypeSet types = {};            // of the tensors that carry values
  TypeSet index_types = {};      // of indices
  bool dilated_windows = false;  // dilation > 1
  bool channels_last = false;    // the NHWC or NDHWC flag, which puts C last
  bool size_limits = false;      // UpsampleNearest3dBackward: 2^20 an axis, 60 GiB, 2^31 products
  bool scales_must_fit = false;  // three positive scales must give the sizes

  bool operator==(const Support&) const = default;
};

struct Product {
  std::string_view name;       // what CAIRN_PRODUCT calls it: "atlas-a2"
  std::string_view title;      // what people call it: "Atlas A2"
  std::string_view chosen_by;  // every spelling of CAIRN_PRODUCT that chooses it, for people
  const char* soc_name;        // what aclrtGetSocName answers, unless the name given says more (Atlas A2)
  bool strict;                 // refuses what the product's documentation rules out
  std::array<Support, kOperatorCount> support;

  const Support& of(Operator op) const { return support[static_cast<std::size_t>(op)]; }
};

// Every product, portable first.
std::span<const Product> products();

struct ProductChoice {
  const Product* product = nullptr;  // null when the name is not one of a product
  std::string error;                 // then: what is wrong, and the valid names

  explicit operator bool() const { return product != nullptr; }
};

ProductChoice choose_product(std::string_view name);

// The choice CAIRN_PRODUCT makes, read anew at each call.
ProductChoice current_product();

// What aclrtGetSocName answers now; the text lives as long as the process. Null when CAIRN_PRODUCT names no
// product.
const char* current_soc_name();

}  // namespace cairn
