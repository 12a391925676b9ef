#include "hostile/calls.h"

#include <cstring>
#include <utility>

#include "conformance/trial.h"

namespace hostile_test {
namespace {

using conformance::Case;
using conformance::TensorArgument;
using reference::Random;
using reference::Type;

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

void make_contiguous(Case& it) {
  for (conformance::Argument& argument : it.arguments) {
    if (auto* tensor = std::get_if<TensorArgument>(&argument)) {
      tensor->spec.strides.clear();
      tensor->spec.offset = 0;
      tensor->spec.storage.clear();
    }
  }
}

std::int64_t elements_of(const Case& it, std::size_t i) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : it.tensor(i).dims) elements *= dim;
  return elements;
}

// What is written has this type, too, and some size.
bool writes_as_much(const Case& it, Type type) {
  for (std::size_t i = 0; i < it.arguments.size(); ++i) {
    const auto* tensor = std::get_if<TensorArgument>(&it.arguments[i]);
    if (tensor == nullptr || tensor->role != conformance::Role::kOutput) continue;
    const std::int64_t written = elements_of(it, i);
    return tensor->spec.type == api_test::to_acl(type) && written >= 1024 &&
           8 * written >= elements_of(it, 0);
  }
  return false;
}

// A contiguous call of some size in this type; nothing where the operator does not take it.
std::optional<Case> plain_case(const conformance::Subject& subject, Type type) {
  constexpr std::int64_t kFewest = 4096;
  constexpr std::int64_t kMost = 150000;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    Random random(seed);
    Case it = random_case(subject, random, conformance::Extent::kLarge);
    const std::int64_t read = elements_of(it, 0);
    if (it.tensor(0).type != api_test::to_acl(type) || channels_last(it) || read < kFewest || read > kMost)
      continue;
    make_contiguous(it);
    const reference::View first = view_of(it, 0, nullptr);
    if (first.size[0] * first.size[1] < 8 || first.plane() < 512 || !writes_as_much(it, type)) continue;
    it.values = reference::Values::kSmallIntegers;
    it.indices = reference::Indices::kArgmax;
    return it;
  }
  return std::nullopt;
}

void fill_for_sums(Random& random, const reference::View& view) {
  walk(view, [&](unsigned char* element, const reference::Sizes& at) {
    const std::uint64_t bits = bits_for_sums(random, at[0] * view.size[1] + at[1], view.type);
    std::memcpy(element, &bits, static_cast<std::size_t>(size_of(view.type)));
  });
}

Recipe make_recipe(const Case& it, Type type, bool for_sums) {
  Random random(4711);
  const conformance::Trial trial(it, random);
  Recipe recipe{it, type, std::string(it.subject->name) + " " + name_of(type), {}, 0, 0};
  recipe.contents.resize(it.arguments.size());
  for (const std::size_t i : trial.inputs) {
    const reference::View& view = trial.operands[i]->view();
    if (for_sums && is_floating(view.type)) fill_for_sums(random, view);
    recipe.contents[i] = trial.operands[i]->snapshot();
  }
  for (const std::size_t i : trial.outputs) {
    recipe.contents[i] = trial.operands[i]->snapshot();
    recipe.output_bytes += recipe.contents[i].size();
  }
  recipe.value_bytes = recipe.contents[trial.outputs[0]].size();
  return recipe;
}

}  // namespace

std::vector<Recipe> recipes_for_sums() {
  std::vector<Recipe> recipes;
  for (const conformance::Subject* subject : conformance::subjects())
    for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble})
      if (const std::optional<Case> it = plain_case(*subject, type))
        recipes.push_back(make_recipe(*it, type, true));
  return recipes;
}

Recipe plain_recipe(const conformance::Subject& subject) {
  return make_recipe(plain_case(subject, Type::kFloat).value(), Type::kFloat, false);
}

Call::Call(const Recipe& recipe) : subject_(*recipe.it.subject) {
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < recipe.contents.size(); ++i) {
    const Bytes& content = recipe.contents[i];
    addresses.push_back(nullptr);
    if (content.empty()) continue;
    addresses.back() = buffers_.emplace_back(content.size(), content.data()).address();
    if (std::get<TensorArgument>(recipe.it.arguments[i]).role == conformance::Role::kOutput)
      outputs_.emplace_back(addresses.back(), content.size());
  }
  descriptors_.emplace(recipe.it, addresses);
}

aclnnStatus Call::queue(aclrtStream stream) {
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (const aclnnStatus status = phase1(&size, &executor); status != 0) return status;
  if (size > 0 && workspace_ == nullptr) workspace_ = std::make_unique<api_test::Buffer>(size);
  return phase2(size > 0 ? workspace_->address() : nullptr, size, executor, stream);
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
