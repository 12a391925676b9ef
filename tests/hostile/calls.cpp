#include "hostile/calls.h"

#include <array>
#include <cstring>

#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "reference/random.h"

namespace hostile_test {
namespace {

using reference::Random;
using reference::Type;

constexpr std::int64_t kN = 2;
constexpr std::int64_t kC = 16;

struct Box {
  std::int64_t d, h, w;
  std::int64_t cells() const { return d * h * w; }
  std::vector<std::int64_t> dims(bool flat = false) const {
    return flat ? std::vector{kN, kC, h, w} : std::vector{kN, kC, d, h, w};
  }
};

constexpr Box kLarge{8, 16, 32};
constexpr Box kSmall{4, 8, 16};
constexpr Box kLargeFlat{1, 64, 64};
constexpr Box kSmallFlat{1, 32, 32};

bool is_flat(Operator op) { return op == Operator::kMaxPool2d || op == Operator::kMaxPool2dBackward; }
bool reads_indices(Operator op) {
  return op == Operator::kMaxPool3dBackward || op == Operator::kMaxPool2dBackward ||
         op == Operator::kMaxUnpool3d || op == Operator::kMaxUnpool3dBackward;
}
bool reads_large(Operator op) {
  return op == Operator::kMaxPool3d || op == Operator::kMaxPool2d || op == Operator::kMaxUnpool3dBackward ||
         op == Operator::kUpsampleNearest3dBackward;
}
Box large(Operator op) { return is_flat(op) ? kLargeFlat : kLarge; }
Box small(Operator op) { return is_flat(op) ? kSmallFlat : kSmall; }

const char* name_of(Operator op) {
  static constexpr std::array kNames = {"aclnnMaxPool3dWithArgmax",  "aclnnMaxPool3dWithArgmaxBackward",
                                        "aclnnMaxPool2dWithIndices", "aclnnMaxPool2dWithIndicesBackward",
                                        "aclnnMaxUnpool3d",          "aclnnMaxUnpool3dBackward",
                                        "aclnnUpsampleNearest3d",    "aclnnUpsampleNearest3dBackward"};
  return kNames[static_cast<std::size_t>(op)];
}

struct Format {
  int exponent_bits, mantissa_bits;
};

Format format_of(Type type) {
  if (type == Type::kFloat16) return {5, 10};
  if (type == Type::kBf16) return {8, 7};
  return type == Type::kDouble ? Format{11, 52} : Format{8, 23};
}

// Bits of one value; which planes hold what is said in the header.
std::uint64_t bits_for_sums(Random& random, std::int64_t plane, Type type) {
  const Format format = format_of(type);
  const std::int64_t most = (std::int64_t{1} << format.exponent_bits) - 1;
  const std::int64_t one = most / 2;
  std::int64_t exponent = 0;
  bool infinite = false;
  if (plane % 4 == 1) exponent = random.between(one - 3, one + 3);
  if (plane % 4 == 2) exponent = random.between(0, 2);
  if (plane % 4 == 3) {
    infinite = random.chance(3);
    exponent = infinite ? most : random.between(most - 3, most - 1);
  }
  const std::uint64_t mantissa =
      infinite ? 0 : random.bits() & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const std::uint64_t sign = random.bits() & 1;
  return sign << (format.exponent_bits + format.mantissa_bits) |
         static_cast<std::uint64_t>(exponent) << format.mantissa_bits | mantissa;
}

Bytes values_for_sums(Random& random, const Box& box, Type type) {
  const auto size = static_cast<std::size_t>(reference::size_of(type));
  Bytes bytes(static_cast<std::size_t>(kN * kC * box.cells()) * size);
  for (std::size_t i = 0; i < bytes.size() / size; ++i) {
    const auto plane = static_cast<std::int64_t>(i) / box.cells();
    const std::uint64_t bits = bits_for_sums(random, plane, type);
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

Bytes plain_values(const Box& box) {
  std::vector<float> values(static_cast<std::size_t>(kN * kC * box.cells()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 1013);
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Corners of the windows, so that neighbours often share one; for unpool the windows do not overlap.
std::int64_t tap(Random& random, std::int64_t at, std::int64_t length, bool overlapping) {
  const std::int64_t low = overlapping ? 2 * at - 1 : 2 * at;
  const std::int64_t high = 2 * at + 1;
  const std::int64_t chosen = random.chance(50) ? low : high;
  return std::min(std::max<std::int64_t>(chosen, 0), length - 1);
}

template <typename Index>
Bytes make_indices(Random& random, const Box& from, const Box& to, bool overlapping) {
  std::vector<Index> indices;
  for (std::int64_t plane = 0; plane < kN * kC; ++plane) {
    for (std::int64_t i = 0; i < from.cells(); ++i) {
      const std::int64_t d = to.d == 1 ? 0 : tap(random, i / (from.h * from.w), to.d, false);
      const std::int64_t h = tap(random, i / from.w % from.h, to.h, overlapping);
      const std::int64_t w = tap(random, i % from.w, to.w, overlapping);
      indices.push_back(static_cast<Index>((d * to.h + h) * to.w + w));
    }
  }
  Bytes bytes(indices.size() * sizeof(Index));
  std::memcpy(bytes.data(), indices.data(), bytes.size());
  return bytes;
}

Recipe make_recipe(Random& random, Operator op, Type type, bool plain) {
  const Box read = reads_large(op) ? large(op) : small(op);
  const Box written = reads_large(op) ? small(op) : large(op);
  const auto size = static_cast<std::size_t>(reference::size_of(type));
  Recipe recipe{op,
                type,
                std::string(name_of(op)) + " " + reference::name_of(type),
                plain ? plain_values(read) : values_for_sums(random, read, type),
                {},
                static_cast<std::size_t>(kN * kC * written.cells()) * size};
  const bool pool_forward = op == Operator::kMaxPool3d || op == Operator::kMaxPool2d;
  if (pool_forward) recipe.output_bytes += static_cast<std::size_t>(kN * kC * written.cells()) * 4;
  if (!reads_indices(op)) return recipe;
  const bool unpool = op == Operator::kMaxUnpool3d || op == Operator::kMaxUnpool3dBackward;
  recipe.indices = unpool ? make_indices<std::int64_t>(random, small(op), large(op), false)
                          : make_indices<std::int32_t>(random, small(op), large(op), true);
  return recipe;
}

constexpr std::array kOperators = {Operator::kMaxPool3d,         Operator::kMaxPool3dBackward,
                                   Operator::kMaxPool2d,         Operator::kMaxPool2dBackward,
                                   Operator::kMaxUnpool3d,       Operator::kMaxUnpool3dBackward,
                                   Operator::kUpsampleNearest3d, Operator::kUpsampleNearest3dBackward};

}  // namespace

std::vector<Recipe> recipes_for_sums() {
  Random random(4711);
  std::vector<Recipe> recipes;
  for (const Operator op : kOperators) {
    for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble}) {
      const bool pool = op <= Operator::kMaxPool2dBackward;
      if (type == Type::kDouble && pool) continue;
      recipes.push_back(make_recipe(random, op, type, false));
    }
  }
  return recipes;
}

Recipe plain_recipe(Operator op) {
  Random random(4712);
  return make_recipe(random, op, Type::kFloat, true);
}

Call::Call(const Recipe& recipe) {
  switch (recipe.op) {
    case Operator::kMaxPool3d:
    case Operator::kMaxPool2d:
      make_pool(recipe);
      break;
    case Operator::kMaxPool3dBackward:
    case Operator::kMaxPool2dBackward:
      make_pool_backward(recipe);
      break;
    case Operator::kMaxUnpool3d:
    case Operator::kMaxUnpool3dBackward:
      make_unpool(recipe);
      break;
    default:
      make_upsample(recipe);
  }
}

void Call::make_pool(const Recipe& recipe) {
  const bool flat = is_flat(recipe.op);
  const aclDataType type = api_test::to_acl(recipe.type);
  const std::size_t cells = static_cast<std::size_t>(kN * kC * small(recipe.op).cells());
  const auto size = static_cast<std::size_t>(reference::size_of(recipe.type));
  aclTensor* self = input(large(recipe.op).dims(flat), type, recipe.values);
  aclTensor* out = output(small(recipe.op).dims(flat), type, cells * size);
  aclTensor* indices = output(small(recipe.op).dims(flat), ACL_INT32, cells * 4);
  aclIntArray* kernel = array(flat ? std::vector<std::int64_t>{3, 3} : std::vector<std::int64_t>{2, 3, 3});
  aclIntArray* stride = array({2});
  aclIntArray* padding = array(flat ? std::vector<std::int64_t>{1, 1} : std::vector<std::int64_t>{0, 1, 1});
  aclIntArray* dilation = array({1});
  const auto first =
      flat ? aclnnMaxPool2dWithIndicesGetWorkspaceSize : aclnnMaxPool3dWithArgmaxGetWorkspaceSize;
  phase1_ = [=](std::uint64_t* workspace, aclOpExecutor** executor) {
    return first(self, kernel, stride, padding, dilation, false, out, indices, workspace, executor);
  };
  phase2_ = flat ? aclnnMaxPool2dWithIndices : aclnnMaxPool3dWithArgmax;
}

void Call::make_pool_backward(const Recipe& recipe) {
  const bool flat = is_flat(recipe.op);
  const aclDataType type = api_test::to_acl(recipe.type);
  aclTensor* grad = input(small(recipe.op).dims(flat), type, recipe.values);
  aclTensor* self = shape_only(large(recipe.op).dims(flat), type);
  aclTensor* indices = input(small(recipe.op).dims(flat), ACL_INT32, recipe.indices);
  aclTensor* out = output(large(recipe.op).dims(flat), type, recipe.output_bytes);
  aclIntArray* kernel = array(flat ? std::vector<std::int64_t>{3, 3} : std::vector<std::int64_t>{2, 3, 3});
  aclIntArray* stride = array({2});
  aclIntArray* padding = array(flat ? std::vector<std::int64_t>{1, 1} : std::vector<std::int64_t>{0, 1, 1});
  aclIntArray* dilation = array({1});
  const auto first = flat ? aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize
                          : aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
  phase1_ = [=](std::uint64_t* workspace, aclOpExecutor** executor) {
    return first(grad, self, indices, kernel, stride, padding, dilation, false, out, workspace, executor);
  };
  phase2_ = flat ? aclnnMaxPool2dWithIndicesBackward : aclnnMaxPool3dWithArgmaxBackward;
}

void Call::make_unpool(const Recipe& recipe) {
  const bool forward = recipe.op == Operator::kMaxUnpool3d;
  const aclDataType type = api_test::to_acl(recipe.type);
  aclTensor* read = input((forward ? kSmall : kLarge).dims(), type, recipe.values);
  aclTensor* indices = input(kSmall.dims(), ACL_INT64, recipe.indices);
  aclTensor* self = shape_only(kSmall.dims(), type);
  aclTensor* out = output((forward ? kLarge : kSmall).dims(), type, recipe.output_bytes);
  aclIntArray* size = array({kLarge.d, kLarge.h, kLarge.w});
  aclIntArray* stride = array({2, 2, 2});
  aclIntArray* padding = array({0, 0, 0});
  phase1_ = [=](std::uint64_t* workspace, aclOpExecutor** executor) {
    return forward ? aclnnMaxUnpool3dGetWorkspaceSize(read, indices, size, stride, padding, out, workspace,
                                                      executor)
                   : aclnnMaxUnpool3dBackwardGetWorkspaceSize(read, self, indices, size, stride, padding, out,
                                                              workspace, executor);
  };
  phase2_ = forward ? aclnnMaxUnpool3d : aclnnMaxUnpool3dBackward;
}

void Call::make_upsample(const Recipe& recipe) {
  const bool forward = recipe.op == Operator::kUpsampleNearest3d;
  const aclDataType type = api_test::to_acl(recipe.type);
  aclTensor* read = input((forward ? kSmall : kLarge).dims(), type, recipe.values);
  aclTensor* out = output((forward ? kLarge : kSmall).dims(), type, recipe.output_bytes);
  aclIntArray* large_size = array({kLarge.d, kLarge.h, kLarge.w});
  aclIntArray* small_size = array(kSmall.dims());
  phase1_ = [=](std::uint64_t* workspace, aclOpExecutor** executor) {
    return forward
               ? aclnnUpsampleNearest3dGetWorkspaceSize(read, large_size, 0, 0, 0, out, workspace, executor)
               : aclnnUpsampleNearest3dBackwardGetWorkspaceSize(read, large_size, small_size, 0, 0, 0, out,
                                                                workspace, executor);
  };
  phase2_ = forward ? aclnnUpsampleNearest3d : aclnnUpsampleNearest3dBackward;
}

aclTensor* Call::input(const std::vector<std::int64_t>& dims, aclDataType type, const Bytes& content) {
  const api_test::Buffer& buffer = buffers_.emplace_back(content.size(), content.data());
  return tensors_.emplace_back(api_test::TensorSpec{dims, type}, buffer.address());
}

aclTensor* Call::output(const std::vector<std::int64_t>& dims, aclDataType type, std::size_t bytes) {
  const api_test::Buffer& buffer = buffers_.emplace_back(bytes);
  outputs_.emplace_back(buffer.address(), bytes);
  return tensors_.emplace_back(api_test::TensorSpec{dims, type}, buffer.address());
}

aclTensor* Call::shape_only(const std::vector<std::int64_t>& dims, aclDataType type) {
  return tensors_.emplace_back(api_test::TensorSpec{dims, type}, nullptr);
}

aclIntArray* Call::array(const std::vector<std::int64_t>& values) { return arrays_.emplace_back(values); }

aclnnStatus Call::queue(aclrtStream stream) {
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (const aclnnStatus status = phase1_(&size, &executor); status != 0) return status;
  if (size > 0 && workspace_ == nullptr) workspace_ = std::make_unique<api_test::Buffer>(size);
  return phase2_(size > 0 ? workspace_->address() : nullptr, size, executor, stream);
}

aclError Call::try_to_spoil() const {
  for (const auto& [address, size] : outputs_) {
    if (const aclError status = aclrtMemset(address, size, 0xEE, size); status != 0) return status;
  }
  return 0;
}

Bytes Call::result() const {
  Bytes bytes;
  for (const auto& [address, size] : outputs_) {
    bytes.resize(bytes.size() + size);
    EXPECT_EQ(aclrtMemcpy(&bytes[bytes.size() - size], size, address, size, ACL_MEMCPY_DEVICE_TO_HOST), 0);
  }
  return bytes;
}

}  // namespace hostile_test
