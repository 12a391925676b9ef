#pragma once

#include <span>
#include <string>
#include <vector>

#include "backend/kernel.h"
#include "common/type_set.h"
#include "ops/contract.h"
#include "ops/cube_math.h"
#include "ops/family.h"
#include "ops/format_set.h"
#include "ops/kit/taps/axis.h"
#include "product/product.h"

namespace cairn {

// What an argument of phase 1 is.
enum class Kind {
  kInput,          // a tensor that is read
  kGathered,       // one of which the indices choose what is read
  kOptionalInput,  // one that may be null
  kShape,          // a tensor whose data is never read
  kOutput,         // a tensor that is written
  kIntArray,
  kOptionalIntArray,  // one that may be null
  kFloatArray,
  kText,
  kBool,
  kDouble,
  kFloat,
  kInt64,
  kInt8,
};

struct ArgumentInfo {
  const char* name;  // as the header has it
  Kind kind;
  const char* text;  // what it means; see in_words
};

constexpr bool is_tensor(Kind kind) { return kind <= Kind::kOutput; }
constexpr bool is_array(Kind kind) { return kind == Kind::kIntArray || kind == Kind::kOptionalIntArray; }
constexpr bool may_be_null(Kind kind) {
  return kind == Kind::kOptionalInput || kind == Kind::kOptionalIntArray;
}
const char* c_type(Kind kind);  // "const aclTensor*"

// What a product allows of one operator.
struct Support {
  TypeSet types = {};            // of the tensors that carry values
  TypeSet index_types = {};      // of indices
  TypeSet out_types = {};        // UpsampleBilinear2dBackward: what FLOAT may be rounded to
  bool dilated_windows = false;  // dilation > 1
  bool channels_last = false;    // the NHWC or NDHWC flag, which puts C last
  FormatSet formats = {};        // upsampling in one and two axes: the flags of both tensors, which are equal
  bool size_limits = false;      // the rules …_within_limit of upsampling
  bool scales_must_fit = false;  // scales that count must give the sizes
  bool exact_scales = false;     // UpsampleLinear1d: so must 0, without any slack
  bool ratio_limits = false;     // linear upsampling: how much an axis may grow or shrink
  // Of adaptive max pooling.
  bool short_output_size = false;      // outputSize may have no value, or one for all axes
  std::int64_t most_cells = 0;         // in a plane, whatever the type of indices; 0: no limit
  std::int64_t most_uneven_cells = 0;  // in a plane that windows do not divide evenly
  CubeMath cube_math = {};             // mean pooling of images: the values of cubeMathType
  CubeMath whole_cube_math = {};       // where it differs: those where one window is the plane
  std::int64_t most_divisor = 0;  // mean pooling: what divisorOverride, without its sign, is at most; 0: any
  bool null_stride = false;       // stride may be null, and is empty then
  bool empty_planes_out = false;  // adaptive pooling: outputSize may have zeros
  bool batch_required = false;    // adaptive pooling: the first dimension is greater than 0
  bool single_windows = false;    // adaptive pooling: a plane has one window

  bool operator==(const Support&) const = default;
};

// A row of an operator's table: some products that allow the same. A product without a row refuses every
// call.
struct SupportOn {
  ProductSet products;
  Support support;
};

// How an operator that resizes planes does it.
struct Resizing {
  // Which of the given scales count, in place of the sizes.
  enum class Scales {
    kTogether,   // all, if each is positive and finite as a float
    kEachAlone,  // each that is
    kIfFitting,  // one that is and gives the size
  };

  float shift = 0;  // 0.5: positions are taken by their centres
  Scales scales = Scales::kTogether;
  Filter filter = Filter::kLinear;  // of those that interpolate
};

// An operator: everything that is said about one is said in its descriptor, in its family's operators.cpp,
// and nowhere else. Programs call it by the C functions beside it there.
struct Operator {
  const char* name;                             // "aclnnMaxUnpool3d"
  const char* header;                           // programs include aclnnop/aclnn_<header>.h
  const char* page;                             // its reference is docs/operators/<page>.md
  const char* library;                          // "nn": aclnnop/aclnn_ops_nn.h includes its header
  const char* summary;                          // what it computes; see in_words
  int spatial;                                  // axes of a plane: 1, 2 or 3
  std::span<const ArgumentInfo> arguments;      // of phase 1, but for workspaceSize and executor
  std::span<const Rule> (*rules)(int spatial);  // of phase 1, in the order in which they are checked
  std::span<const SupportOn> support;
  Kernel kernel;
  Resizing resizing = {};

  // What a product allows; null when it does not offer the operator.
  const Support* on(const Product& product) const;
};

// A text about an operator, with its placeholders filled in: {0}, {1} … are its tensors' names,
// {array0}, {array1} … its lists'; the rest follows from the number of its spatial axes. For 3: {n} 3, {axes}
// "D, H and W", {are} "are", {list} "D, H, W", {outlist} "oD, oH, oW", {plane} "D·H·W", {by} "D x H x W",
// {last} "NDHWC"; the shapes {shape}
// "(N,C,D,H,W)", {oshape}
// "(N,C,oD,oH,oW)", {cshape}
// "(C,D,H,W)", {ocshape}, {nshape} "(N,D,H,W)", {onshape}, {lastshape} "(N,D,H,W,C)", {olastshape}; {rank} 5,
// {lowrank} 4; {at}
// "(d·H + h)·W + w", {oat} "(d·oH + h)·oW + w".
std::string in_words(const char* text, const Operator& op);

// A rule as tests, the tool and the reference pages see it.
struct RuleInfo {
  std::string name;
  Status status;
  std::string text;
};
std::vector<RuleInfo> rules_of(const Operator& op);

}  // namespace cairn
