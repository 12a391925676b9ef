#include "product/product.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace cairn {
namespace {

constexpr std::array<Product, 8> kProducts = {{
    {ProductId::kPortable, "portable", "portable", "unset, empty, portable", "Ascend910B1", false},
    {ProductId::kAtlasA2, "atlas-a2", "Atlas A2", "atlas-a2, Ascend910B1 to Ascend910B4 (also with C or -1)",
     "Ascend910B1", true},
    {ProductId::kAtlasA3, "atlas-a3", "Atlas A3", "atlas-a3, Ascend910_93 (also with two digits)",
     "Ascend910_9391", true},
    {ProductId::kAscend950, "ascend950", "Ascend 950",
     "ascend950 (also Ascend950PR, Ascend950DT, and such names with _95, two digits and a letter or none), "
     "Ascend910_95 (also with two digits)",
     "Ascend950PR_9591", true},
    {ProductId::kAtlasTraining, "atlas-training", "Atlas training",
     "atlas-training, Ascend910, Ascend910A, Ascend910ProA, Ascend910ProB, Ascend910PremiumA", "Ascend910A",
     true},
    {ProductId::kAtlasInference, "atlas-inference", "Atlas inference",
     "atlas-inference, Ascend310P (also with a digit)", "Ascend310P3", true},
    {ProductId::kAtlas200i500A2, "atlas-200i-500-a2", "Atlas 200I/500 A2",
     "atlas-200i-500-a2, Ascend310B (also with a digit)", "Ascend310B1", true},
    {ProductId::kAtlas200300500, "atlas-200-300-500", "Atlas 200/300/500", "atlas-200-300-500, Ascend310",
     "Ascend310", true},
}};
constexpr const Product& kAtlasA2 = kProducts[1];

// What may follow the text of a pattern. Nothing else does: a name with a typing error must not be taken for
// a product.
enum class Tail {
  kNothing,
  kA2,         // 1 to 4, then nothing, C or -1
  kDigit,      // a digit or nothing
  kTwoDigits,  // two digits or nothing
  k950,        // PR or DT or nothing, then nothing or _95 and two digits, then a letter or nothing
};

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
    {kA2Series, Tail::kA2, &kAtlasA2},
    {"atlas-a3", Tail::kNothing, &kProducts[2]},
    {"ascend910_93", Tail::kTwoDigits, &kProducts[2]},
    {"ascend950", Tail::k950, &kProducts[3]},
    {"ascend910_95", Tail::kTwoDigits, &kProducts[3]},
    {"atlas-training", Tail::kNothing, &kProducts[4]},
    {"ascend910", Tail::kNothing, &kProducts[4]},
    {"ascend910a", Tail::kNothing, &kProducts[4]},
    {"ascend910proa", Tail::kNothing, &kProducts[4]},
    {"ascend910prob", Tail::kNothing, &kProducts[4]},
    {"ascend910premiuma", Tail::kNothing, &kProducts[4]},
    {"atlas-inference", Tail::kNothing, &kProducts[5]},
    {"ascend310p", Tail::kDigit, &kProducts[5]},
    {"atlas-200i-500-a2", Tail::kNothing, &kProducts[6]},
    {"ascend310b", Tail::kDigit, &kProducts[6]},
    {"atlas-200-300-500", Tail::kNothing, &kProducts[7]},
    {"ascend310", Tail::kNothing, &kProducts[7]},
};

// What aclrtGetSocName answers for a name of the A2 series. It returns a pointer, so the texts are
// constants.
constexpr std::array<const char*, 12> kA2Names = {
    "Ascend910B1",  "Ascend910B2",  "Ascend910B3",   "Ascend910B4",   "Ascend910B1C",  "Ascend910B2C",
    "Ascend910B3C", "Ascend910B4C", "Ascend910B1-1", "Ascend910B2-1", "Ascend910B3-1", "Ascend910B4-1",
};

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_letter(char letter) { return lower(letter) >= 'a' && lower(letter) <= 'z'; }

bool starts_with(std::string_view name, std::string_view lower_case) {
  return name.size() >= lower_case.size() && std::equal(lower_case.begin(), lower_case.end(), name.begin(),
                                                        [](char a, char b) { return a == lower(b); });
}

bool are_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

bool same(std::string_view name, std::string_view other) {
  return std::ranges::equal(name, other, {}, lower, lower);
}

const char* a2_name(std::string_view name) {
  const auto* found = std::ranges::find_if(kA2Names, [&](const char* known) { return same(name, known); });
  return found == kA2Names.end() ? nullptr : *found;
}

bool follows_950(std::string_view rest) {
  if (starts_with(rest, "pr") || starts_with(rest, "dt")) rest.remove_prefix(2);
  if (rest.empty()) return true;
  constexpr std::string_view kSeries = "_95";
  if (!starts_with(rest, kSeries)) return false;
  rest.remove_prefix(kSeries.size());
  if (rest.size() == 3 && is_letter(rest.back())) rest.remove_suffix(1);
  return rest.size() == 2 && are_digits(rest);
}

bool matches(std::string_view name, const Pattern& pattern) {
  if (!starts_with(name, pattern.text)) return false;
  const std::string_view rest = name.substr(pattern.text.size());
  switch (pattern.tail) {
    case Tail::kNothing:
      return rest.empty();
    case Tail::kA2:
      return a2_name(name) != nullptr;
    case Tail::kDigit:
      return rest.size() <= 1 && are_digits(rest);
    case Tail::kTwoDigits:
      return rest.empty() || (rest.size() == 2 && are_digits(rest));
    case Tail::k950:
      return follows_950(rest);
  }
  return false;
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
  const char* given = a2_name(name);
  return given != nullptr ? given : choice.product->soc_name;
}

}  // namespace cairn
