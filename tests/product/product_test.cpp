#include "product/product.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "common/type_set.h"

namespace {

using cairn::DataType;
using cairn::Product;
using cairn::TypeSet;

const Product& named(std::string_view name) {
  const cairn::ProductChoice choice = cairn::choose_product(name);
  if (!choice) throw std::runtime_error(choice.error);
  return *choice.product;
}

class Environment {
 public:
  explicit Environment(const char* name) {
    if (name == nullptr) {
      unsetenv("CAIRN_PRODUCT");
    } else {
      setenv("CAIRN_PRODUCT", name, 1);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { unsetenv("CAIRN_PRODUCT"); }
};

TEST(Product, EachSpellingChoosesItsProduct) {
  struct Spelling {
    const char* given;
    const char* product;
    const char* soc_name;
  };
  const Spelling kSpellings[] = {
      {"", "portable", "Ascend910B1"},
      {"portable", "portable", "Ascend910B1"},
      {"PORTABLE", "portable", "Ascend910B1"},
      {"atlas-a2", "atlas-a2", "Ascend910B1"},
      {"Atlas-A2", "atlas-a2", "Ascend910B1"},
      {"Ascend910B1", "atlas-a2", "Ascend910B1"},
      {"ascend910b2", "atlas-a2", "Ascend910B2"},
      {"ASCEND910B2C", "atlas-a2", "Ascend910B2C"},
      {"ascend910b2c", "atlas-a2", "Ascend910B2C"},
      {"Ascend910B3", "atlas-a2", "Ascend910B3"},
      {"Ascend910B4-1", "atlas-a2", "Ascend910B4-1"},
      {"atlas-a3", "atlas-a3", "Ascend910_9391"},
      {"Ascend910_9392", "atlas-a3", "Ascend910_9391"},
      {"ascend910_93", "atlas-a3", "Ascend910_9391"},
      {"ascend950", "ascend950", "Ascend950PR_9591"},
      {"Ascend950DT_9582", "ascend950", "Ascend950PR_9591"},
      {"Ascend910_9599", "ascend950", "Ascend950PR_9591"},
      {"atlas-training", "atlas-training", "Ascend910A"},
      {"Ascend910", "atlas-training", "Ascend910A"},
      {"Ascend910A", "atlas-training", "Ascend910A"},
      {"Ascend910ProA", "atlas-training", "Ascend910A"},
      {"ascend910prob", "atlas-training", "Ascend910A"},
      {"Ascend910PremiumA", "atlas-training", "Ascend910A"},
      {"atlas-inference", "atlas-inference", "Ascend310P3"},
      {"Ascend310P1", "atlas-inference", "Ascend310P3"},
      {"atlas-200i-500-a2", "atlas-200i-500-a2", "Ascend310B1"},
      {"Ascend310B4", "atlas-200i-500-a2", "Ascend310B1"},
      {"atlas-200-300-500", "atlas-200-300-500", "Ascend310"},
      {"ascend310", "atlas-200-300-500", "Ascend310"},
  };
  for (const Spelling& spelling : kSpellings) {
    SCOPED_TRACE(spelling.given);
    const Environment environment(spelling.given);
    const cairn::ProductChoice choice = cairn::current_product();
    ASSERT_TRUE(choice) << choice.error;
    EXPECT_EQ(choice.product->name, spelling.product);
    EXPECT_EQ(choice.error, "");
    EXPECT_STREQ(cairn::current_soc_name(), spelling.soc_name);
  }
}

TEST(Product, UnsetIsPortable) {
  const Environment environment(nullptr);
  EXPECT_EQ(cairn::current_product().product->name, "portable");
  EXPECT_STREQ(cairn::current_soc_name(), "Ascend910B1");
}

TEST(Product, UnknownNamesAreRefusedWithTheValidOnes) {
  for (const char* name : {"a2",
                           "atlas",
                           "atlas-a",
                           "atlas-a22",
                           "portable ",
                           " portable",
                           "Ascend",
                           "Ascend91",
                           "Ascend910C",
                           "Ascend910ProC",
                           "Ascend910_92",
                           "Ascend310A",
                           "Ascend31",
                           "Ascend910BX",
                           "Ascend910B-1",
                           "Ascend95",
                           "nonsense",
                           "Ascend910B9",
                           "Ascend910B0",
                           "Ascend910B5",
                           "Ascend910B1xyz",
                           "Ascend910B1-2",
                           "Ascend910B1C1",
                           "Ascend910B11",
                           "Ascend910_931",
                           "Ascend910_93912",
                           "Ascend910_93x1",
                           "Ascend950X",
                           "Ascend950PR9",
                           "Ascend950PR_95",
                           "Ascend950PR_9591ab",
                           "Ascend950PR_9691",
                           "Ascend910_951",
                           "Ascend310P33",
                           "Ascend310PX",
                           "Ascend310B44",
                           "ascend950 "}) {
    SCOPED_TRACE(name);
    const Environment environment(name);
    const cairn::ProductChoice choice = cairn::current_product();
    EXPECT_FALSE(choice);
    EXPECT_NE(choice.error.find(std::string("CAIRN_PRODUCT is \"").append(name).append("\"")),
              std::string::npos)
        << choice.error;
    for (const Product& product : cairn::products()) {
      EXPECT_NE(choice.error.find(product.name), std::string::npos) << choice.error;
    }
    EXPECT_EQ(cairn::current_soc_name(), nullptr);
  }
}

TEST(Product, BareAscend910BIsRefusedBecauseItMeansTwoThings) {
  for (const char* name : {"Ascend910B", "ascend910b"}) {
    const cairn::ProductChoice choice = cairn::choose_product(name);
    EXPECT_FALSE(choice);
    EXPECT_NE(choice.error.find("write Ascend910B1 or atlas-training"), std::string::npos) << choice.error;
  }
}

TEST(Product, NamesReportedSurviveAChangeOfProduct) {
  const Environment environment("Ascend910B3");
  const char* before = cairn::current_soc_name();
  setenv("CAIRN_PRODUCT", "Ascend910B4", 1);
  EXPECT_STREQ(cairn::current_soc_name(), "Ascend910B4");
  EXPECT_STREQ(before, "Ascend910B3");
}

TEST(Product, EachIsChosenByItsOwnName) {
  std::set<std::string_view> names;
  for (const Product& product : cairn::products()) {
    EXPECT_EQ(&named(product.name), &product);
    names.insert(product.name);
  }
  EXPECT_EQ(names.size(), 8U);
}

TEST(TypeSet, AnswersForAnyNumber) {
  const TypeSet set = {DataType::kFloat, DataType::kBf16};
  EXPECT_TRUE(set.has(0));
  EXPECT_TRUE(set.has(27));
  for (const int number : {-1, -64, 1, 26, 28, 63, 64, 91, 1 << 30}) EXPECT_FALSE(set.has(number)) << number;
  EXPECT_TRUE(TypeSet{}.empty());
  EXPECT_FALSE(set.empty());
}

TEST(DataType, ConvertsWhereNoFractionIsLost) {
  const TypeSet reals = {DataType::kFloat, DataType::kFloat16, DataType::kBf16, DataType::kDouble};
  for (const auto& [from, from_name] : cairn::kDataTypes) {
    for (const auto& [to, to_name] : cairn::kDataTypes) {
      bool wanted = reals.has(to) || !reals.has(from);
      if (to == DataType::kBool) wanted = from == DataType::kBool;
      EXPECT_EQ(converts(from, to), wanted) << from_name << " to " << to_name;
    }
  }
}

TEST(DataType, HasTheNumberAndSizeOfCann) {
  EXPECT_EQ(static_cast<int>(DataType::kBool), 12);
  EXPECT_EQ(size_of(DataType::kBool), 1);
  EXPECT_EQ(TypeSet{DataType::kBool}.text(), "BOOL");
}

}  // namespace
