#include "fuzz/bend.h"

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "conformance/subjects.h"

namespace fuzz {
namespace {

using conformance::TensorSpec;
using reference::Random;

std::int64_t odd_number(Random& random, std::int64_t before) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  if (random.chance(40)) return before == kMost ? 0 : before + 1;
  if (random.chance(60)) return random.between(-2, 12);
  return random.pick<std::int64_t>({1 << 16, 1 << 20, (1LL << 31) - 1, 1LL << 31, 1LL << 32, 1LL << 40,
                                    1LL << 61, 1LL << 62, kMost - 1, kMost, kLeast, kLeast + 1,
                                    -(1LL << 32)});
}

void bend_numbers(Random& random, std::vector<std::int64_t>& numbers) {
  if (numbers.empty()) return;
  std::int64_t& number =
      numbers[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(numbers.size()) - 1))];
  number = odd_number(random, number);
}

void bend_length(Random& random, std::vector<std::int64_t>& numbers) {
  if (random.chance(50) && !numbers.empty()) {
    numbers.pop_back();
  } else if (numbers.size() < 30) {
    numbers.push_back(random.between(0, 3));
  }
}

void bend_tensor(Random& random, TensorSpec& spec) {
  switch (random.between(0, 7)) {
    case 0:
    case 1:
      return bend_numbers(random, spec.dims);
    case 2:
      return bend_numbers(random, spec.strides);
    case 3:
      spec.offset = odd_number(random, spec.offset);
      return;
    case 4:
      if (spec.storage.empty() || random.chance(30)) return bend_length(random, spec.storage);
      return bend_numbers(random, spec.storage);
    case 5:
      spec.type = static_cast<aclDataType>(random.between(-1, 45));
      return;
    case 6:
      spec.format = static_cast<aclFormat>(random.between(-1, 60));
      return;
    default:
      bend_length(random, spec.dims);
      // aclCreateTensor reads one stride a dimension.
      spec.strides.resize(random.chance(50) ? spec.dims.size() : 0, 1);
  }
}

struct Bend {
  Random& random;

  void operator()(conformance::TensorArgument& tensor) const { bend_tensor(random, tensor.spec); }
  void operator()(conformance::ArrayArgument& array) const {
    if (!array) return;
    random.chance(70) ? bend_numbers(random, *array) : bend_length(random, *array);
  }
  void operator()(conformance::FloatArrayArgument& numbers) const {
    if (random.chance(30) && numbers.size() < 30) return numbers.push_back(1);
    if (numbers.empty() || random.chance(20)) return numbers.clear();
    (*this)(numbers[static_cast<std::size_t>(random.between(0, std::ssize(numbers) - 1))]);
  }
  void operator()(std::string& text) const {
    text = random.pick({"nearest", "bilinear", "nearest-exact", "", "Bilinear", "bilinear "});
  }
  void operator()(bool& flag) const { flag = !flag; }
  void operator()(double& number) const {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    number = random.pick(
        {kNan, kInfinity, -kInfinity, 0.0, -2.0, 1e-310, 1e-40, 1e38, 1e39, 1e308, 0.25, 1.0, 7.5});
  }
  void operator()(float& number) const {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    number = random.pick(
        {kNan, kInfinity, -kInfinity, 0.0F, -2.0F, 1e-45F, 1e-40F, 1e38F, 1e30F, 0.25F, 1.0F, 7.5F});
  }
  template <typename Number>
  void operator()(Number& number) const {
    number = static_cast<Number>(odd_number(random, static_cast<std::int64_t>(number)));
  }
};

}  // namespace

// An input goes on meaning the same operator when others come: of all of them the one whose name gives the
// largest number together with the input's.
Case sound_call(Random& random) {
  const auto number = static_cast<std::uint64_t>(random.between(0, 255));
  const conformance::Subject* chosen = nullptr;
  std::uint64_t largest = 0;
  for (const conformance::Subject* subject : conformance::subjects()) {
    std::uint64_t seed = number;
    for (const char letter : std::string_view(subject->name))
      seed = seed * 31 + static_cast<unsigned char>(letter);
    const std::uint64_t own = Random(seed).bits();
    if (chosen == nullptr || own > largest) {
      chosen = subject;
      largest = own;
    }
  }
  return random_case(*chosen, random, conformance::Extent::kSmall);
}

void bend(Random& random, Case& call) {
  const auto which = static_cast<std::size_t>(random.between(0, std::ssize(call.arguments) - 1));
  std::visit(Bend{random}, call.arguments[which]);
}

void fail(const Case& call, const std::string& what) {
  std::fprintf(stderr, "%s\n%s\n", what.c_str(), describe(call).c_str());
  std::abort();
}

}  // namespace fuzz
