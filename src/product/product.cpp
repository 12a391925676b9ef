#include "product/product.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <mutex>
#include <set>

namespace cairn {
namespace {

constexpr DataType kFloat = DataType::kFloat;
constexpr DataType kFloat16 = DataType::kFloat16;
constexpr DataType kBf16 = DataType::kBf16;
constexpr DataType kDouble = DataType::kDouble;
constexpr DataType kUint8 = DataType::kUint8;

constexpr TypeSet kPooled = {kFloat, kFloat16, kBf16};
constexpr TypeSet kUnpooled = {kFloat, kFloat16,         kDouble,          DataType::kInt8,
                               kUint8, DataType::kInt16, DataType::kInt32, DataType::kInt64};
constexpr TypeSet kUpsampled = {kFloat, kFloat16, kBf16, kDouble};
constexpr TypeSet kInt32Only = {DataType::kInt32};
constexpr TypeSet kInt64Only = {DataType::kInt64};
constexpr TypeSet kIndices = {DataType::kInt32, DataType::kInt64};
constexpr Support kRefused{};

// A row is an operator, in the order of Operator.
constexpr std::array<Support, kOperatorCount> kPortable = {{
    {.offered = true,
     .types = kPooled,
     .index_types = kIndices,
     .dilated_windows = true,
     .channels_last = true},
    {.offered = true,
     .types = kPooled,
     .index_types = kIndices,
     .dilated_windows = true,
     .channels_last = true},
    {.offered = true, .types = kUnpooled | TypeSet{kBf16}, .index_types = kIndices},
    {.offered = true, .types = kUpsampled, .channels_last = true},
    {.offered = true,
     .types = kPooled,
     .index_types = kIndices,
     .dilated_windows = true,
     .channels_last = true},
    {.offered = true,
     .types = kPooled,
     .index_types = kIndices,
     .dilated_windows = true,
     .channels_last = true},
    {.offered = true, .types = kUnpooled | TypeSet{kBf16}, .index_types = kIndices},
    {.offered = true, .types = kUpsampled | TypeSet{kUint8}, .channels_last = true},
}};
constexpr std::array<Support, kOperatorCount> kAtlasA2A3 = {{
    {.offered = true, .types = kPooled, .index_types = kInt32Only},
    {.offered = true, .types = {kFloat}, .index_types = kInt32Only},
    {.offered = true, .types = kUnpooled, .index_types = kInt64Only},
    {.offered = true,
     .types = kUpsampled,
     .channels_last = true,
     .size_limits = true,
     .scales_must_fit = true},
    {.offered = true, .types = kPooled, .index_types = kInt32Only},
    {.offered = true, .types = kPooled, .index_types = kIndices},
    {.offered = true, .types = kUnpooled, .index_types = kIndices},
    {.offered = true, .types = kUpsampled, .channels_last = true, .scales_must_fit = true},
}};
constexpr std::array<Support, kOperatorCount> kAscend950 = {{
    {.offered = true, .types = kPooled, .index_types = kIndices},
    {.offered = true,
     .types = kPooled,
     .index_types = kIndices,
     .dilated_windows = true,
     .channels_last = true},
    {.offered = true, .types = kUnpooled, .index_types = kInt64Only},
    kRefused,
    {.offered = true,
     .types = kPooled,
     .index_types = kIndices,
     .dilated_windows = true,
     .channels_last = true},
    {.offered = true,
     .types = kPooled,
     .index_types = kIndices,
     .dilated_windows = true,
     .channels_last = true},
    {.offered = true, .types = kUnpooled, .index_types = kIndices},
    {.offered = true, .types = kUpsampled | TypeSet{kUint8}, .channels_last = true, .scales_must_fit = true},
}};
constexpr std::array<Support, kOperatorCount> kAtlasTraining = {{
    kRefused,
    kRefused,
    {.offered = true, .types = kUnpooled, .index_types = kInt64Only},
    {.offered = true,
     .types = kUpsampled,
     .channels_last = true,
     .size_limits = true,
     .scales_must_fit = true},
    kRefused,
    kRefused,
    kRefused,
    {.offered = true, .types = {kFloat, kFloat16, kDouble}, .channels_last = true, .scales_must_fit = true},
}};
constexpr std::array<Support, kOperatorCount> kAtlasInference = {{
    kRefused,
    kRefused,
    kRefused,
    kRefused,
    kRefused,
    kRefused,
    kRefused,
    {.offered = true, .types = {kFloat, kFloat16}, .channels_last = true, .scales_must_fit = true},
}};
constexpr std::array<Support, kOperatorCount> kOffersNothing{};

constexpr std::array<Product, 8> kProducts = {{
    {"portable", "portable", "unset, empty, portable", "Ascend910B1", false, kPortable},
    {"atlas-a2", "Atlas A2", "atlas-a2, Ascend910B1 … Ascend910B4-1", "Ascend910B1", true, kAtlasA2A3},
    {"atlas-a3", "Atlas A3", "atlas-a3, Ascend910_93…", "Ascend910_9391", true, kAtlasA2A3},
    {"ascend950", "Ascend 950", "ascend950…, Ascend910_95…", "Ascend950PR_9591", true, kAscend950},
    {"atlas-training", "Atlas training",
     "atlas-training, Ascend910, Ascend910A, Ascend910ProA, Ascend910ProB, Ascend910PremiumA", "Ascend910A",
     true, kAtlasTraining},
    {"atlas-inference", "Atlas inference", "atlas-inference, Ascend310P…", "Ascend310P3", true,
     kAtlasInference},
    {"atlas-200i-500-a2", "Atlas 200I/500 A2", "atlas-200i-500-a2, Ascend310B…", "Ascend310B1", true,
     kOffersNothing},
    {"atlas-200-300-500", "Atlas 200/300/500", "atlas-200-300-500, Ascend310", "Ascend310", true,
     kOffersNothing},
}};
constexpr const Product& kAtlasA2 = kProducts[1];

// What may follow the text of a pattern.
enum class Tail { kNothing, kDigit, kAnything };

struct Pattern {
  std::string_view text;  // lower case
  Tail tail;
  const Product* product;
};

constexpr std::string_view kA2Series = "ascend910b";

constexpr Pattern kPatterns[] = {
    {"", Tail::kNothing, &kProducts[0]},
    {"portable", Tail::kNothing, &kProducts[0]},
    {"atlas-a2", Tail::kNothing, &kAtlasA2},
    {kA2Series, Tail::kDigit, &kAtlasA2},
    {"atlas-a3", Tail::kNothing, &kProducts[2]},
    {"ascend910_93", Tail::kAnything, &kProducts[2]},
    {"ascend950", Tail::kAnything, &kProducts[3]},
    {"ascend910_95", Tail::kAnything, &kProducts[3]},
    {"atlas-training", Tail::kNothing, &kProducts[4]},
    {"ascend910", Tail::kNothing, &kProducts[4]},
    {"ascend910a", Tail::kNothing, &kProducts[4]},
    {"ascend910proa", Tail::kNothing, &kProducts[4]},
    {"ascend910prob", Tail::kNothing, &kProducts[4]},
    {"ascend910premiuma", Tail::kNothing, &kProducts[4]},
    {"atlas-inference", Tail::kNothing, &kProducts[5]},
    {"ascend310p", Tail::kAnything, &kProducts[5]},
    {"atlas-200i-500-a2", Tail::kNothing, &kProducts[6]},
    {"ascend310b", Tail::kAnything, &kProducts[6]},
    {"atlas-200-300-500", Tail::kNothing, &kProducts[7]},
    {"ascend310", Tail::kNothing, &kProducts[7]},
};

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }
char upper(char letter) { return static_cast<char>(std::toupper(static_cast<unsigned char>(letter))); }

bool starts_with(std::string_view name, std::string_view lower_case) {
  return name.size() >= lower_case.size() && std::equal(lower_case.begin(), lower_case.end(), name.begin(),
                                                        [](char a, char b) { return a == lower(b); });
}

bool matches(std::string_view name, const Pattern& pattern) {
  if (!starts_with(name, pattern.text)) return false;
  const std::string_view rest = name.substr(pattern.text.size());
  switch (pattern.tail) {
    case Tail::kNothing:
      return rest.empty();
    case Tail::kDigit:
      return !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
    default:
      return true;
  }
}

std::string refusal(std::string_view name) {
  std::string text = "CAIRN_PRODUCT is \"" + std::string(name) + "\", which ";
  if (starts_with(name, kA2Series) && name.size() == kA2Series.size()) {
    text +=
        "is an old Ascend 910 to some and the Atlas A2 series to others: write Ascend910B1 or atlas-training";
  } else {
    text += "names no product";
  }
  text += ". Valid names, in any case:";
  for (const Product& product : kProducts) {
    text += &product == kProducts.data() ? " " : "; ";
    text += product.chosen_by;
  }
  return text;
}

std::string_view name_in_environment() {
  const char* name = std::getenv("CAIRN_PRODUCT");
  return name == nullptr ? std::string_view{} : name;
}

// aclrtGetSocName hands out a pointer, so each spelling is kept once and for good.
const char* kept(std::string name) {
  static auto& mutex = *new std::mutex;
  static auto& names = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names.insert(std::move(name)).first->c_str();
}

}  // namespace

std::span<const Product> products() { return kProducts; }

ProductChoice choose_product(std::string_view name) {
  for (const Pattern& pattern : kPatterns) {
    if (matches(name, pattern)) return {.product = pattern.product, .error = {}};
  }
  return {.product = nullptr, .error = refusal(name)};
}

ProductChoice current_product() { return choose_product(name_in_environment()); }

const char* current_soc_name() {
  const std::string_view name = name_in_environment();
  const ProductChoice choice = choose_product(name);
  if (!choice) return nullptr;
  if (choice.product != &kAtlasA2 || !starts_with(name, kA2Series)) return choice.product->soc_name;
  std::string canonical = "Ascend910B";
  for (const char letter : name.substr(kA2Series.size())) canonical += upper(letter);
  return kept(std::move(canonical));
}

}  // namespace cairn
