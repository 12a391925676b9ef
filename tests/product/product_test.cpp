#include "product/product.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace {

using cairn::DataType;
using cairn::Operator;
using cairn::Product;
using cairn::Support;
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

TEST(Product, PortableAcceptsWhateverAnyProductAccepts) {
  const Product& portable = named("portable");
  EXPECT_FALSE(portable.strict);
  for (const Product& product : cairn::products()) {
    for (std::size_t i = 0; i < cairn::kOperatorCount; ++i) {
      SCOPED_TRACE(std::string(product.name) + " " + cairn::kOperatorNames[i]);
      const Support& wide = portable.support[i];
      const Support& narrow = product.support[i];
      EXPECT_EQ(wide.types | narrow.types, wide.types);
      EXPECT_EQ(wide.index_types | narrow.index_types, wide.index_types);
      EXPECT_GE(wide.offered, narrow.offered);
      EXPECT_GE(wide.dilated_windows, narrow.dilated_windows);
      EXPECT_GE(wide.channels_last, narrow.channels_last);
      EXPECT_FALSE(wide.size_limits);
      EXPECT_FALSE(wide.scales_must_fit);
    }
  }
}

TEST(Product, ForwardOperatorsAsDocumented) {
  struct Expectation {
    const char* product;
    Operator op;
    bool offered;
    const char* types;
    const char* index_types;
    bool dilated;
    bool channels_last;
  };
  constexpr auto k3d = Operator::kMaxPool3dWithArgmax;
  constexpr auto k2d = Operator::kMaxPool2dWithIndices;
  constexpr auto kUnpool = Operator::kMaxUnpool3d;
  constexpr auto kUpsample = Operator::kUpsampleNearest3d;
  const char* const kEight = "FLOAT, FLOAT16, DOUBLE, INT8, UINT8, INT16, INT32, INT64";
  const char* const kNine = "FLOAT, FLOAT16, BF16, DOUBLE, INT8, UINT8, INT16, INT32, INT64";
  const Expectation kExpected[] = {
      {"portable", k3d, true, "FLOAT, FLOAT16, BF16", "INT32, INT64", true, true},
      {"atlas-a2", k3d, true, "FLOAT, FLOAT16, BF16", "INT32", false, false},
      {"ascend950", k3d, true, "FLOAT, FLOAT16, BF16", "INT32, INT64", true, true},
      {"atlas-training", k3d, false, "", "", false, false},
      {"portable", k2d, true, "FLOAT, FLOAT16, BF16", "INT32, INT64", true, true},
      {"atlas-a3", k2d, true, "FLOAT, FLOAT16, BF16", "INT32, INT64", false, false},
      {"ascend950", k2d, true, "FLOAT, FLOAT16, BF16", "INT32, INT64", true, true},
      {"atlas-inference", k2d, false, "", "", false, false},
      {"portable", kUnpool, true, kNine, "INT32, INT64", false, false},
      {"atlas-a2", kUnpool, true, kEight, "INT32, INT64", false, false},
      {"ascend950", kUnpool, true, kEight, "INT32, INT64", false, false},
      {"atlas-training", kUnpool, false, "", "", false, false},
      {"portable", kUpsample, true, "FLOAT, FLOAT16, BF16, DOUBLE, UINT8", "", false, true},
      {"atlas-a2", kUpsample, true, "FLOAT, FLOAT16, BF16, DOUBLE", "", false, true},
      {"ascend950", kUpsample, true, "FLOAT, FLOAT16, BF16, DOUBLE, UINT8", "", false, true},
      {"atlas-training", kUpsample, true, "FLOAT, FLOAT16, DOUBLE", "", false, true},
      {"atlas-inference", kUpsample, true, "FLOAT, FLOAT16", "", false, true},
      {"atlas-200i-500-a2", kUpsample, false, "", "", false, false},
      {"atlas-200-300-500", kUpsample, false, "", "", false, false},
  };
  for (const Expectation& expected : kExpected) {
    SCOPED_TRACE(std::string(expected.product) + " " + cairn::name_of(expected.op));
    const Support& support = named(expected.product).of(expected.op);
    EXPECT_EQ(support.offered, expected.offered);
    EXPECT_EQ(support.types.text(), expected.types);
    EXPECT_EQ(support.index_types.text(), expected.index_types);
    EXPECT_EQ(support.dilated_windows, expected.dilated);
    EXPECT_EQ(support.channels_last, expected.channels_last);
  }
}

TEST(TypeSet, AnswersForAnyNumber) {
  const TypeSet set = {DataType::kFloat, DataType::kBf16};
  EXPECT_TRUE(set.has(0));
  EXPECT_TRUE(set.has(27));
  for (const int number : {-1, -64, 1, 26, 28, 63, 64, 91, 1 << 30}) EXPECT_FALSE(set.has(number)) << number;
  EXPECT_TRUE(TypeSet{}.empty());
  EXPECT_FALSE(set.empty());
}

}  // namespace
