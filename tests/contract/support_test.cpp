#include <gtest/gtest.h>

#include <string>

#include "ops/catalogue.h"

// What each product allows of each operator.
namespace contract_test {
namespace {

using cairn::Operator;
using cairn::Product;
using cairn::Support;

const Product& named(std::string_view name) {
  const cairn::ProductChoice choice = cairn::choose_product(name);
  if (!choice) throw std::invalid_argument(choice.error);
  return *choice.product;
}

TEST(Support, PortableAcceptsWhateverAnyProductAccepts) {
  const Product& portable = named("portable");
  EXPECT_FALSE(portable.strict);
  for (const Product& product : cairn::products()) {
    for (const Operator* op : cairn::catalogue()) {
      SCOPED_TRACE(std::string(product.name) + " " + op->name);
      ASSERT_NE(op->on(portable), nullptr);
      if (op->on(product) == nullptr) continue;
      const Support& wide = *op->on(portable);
      const Support& narrow = *op->on(product);
      EXPECT_EQ(wide.types | narrow.types, wide.types);
      EXPECT_EQ(wide.index_types | narrow.index_types, wide.index_types);
      EXPECT_GE(wide.dilated_windows, narrow.dilated_windows);
      EXPECT_GE(wide.channels_last, narrow.channels_last);
      EXPECT_FALSE(wide.size_limits);
      EXPECT_FALSE(wide.scales_must_fit);
    }
  }
}

TEST(Support, ForwardOperatorsAsDocumented) {
  struct Expectation {
    const char* product;
    const char* op;
    bool offered;
    const char* types;
    const char* index_types;
    bool dilated;
    bool channels_last;
  };
  const char* const k3d = "aclnnMaxPool3dWithArgmax";
  const char* const k2d = "aclnnMaxPool2dWithIndices";
  const char* const kUnpool = "aclnnMaxUnpool3d";
  const char* const kUpsample = "aclnnUpsampleNearest3d";
  const char* const kEight = "FLOAT, FLOAT16, DOUBLE, INT8, UINT8, INT16, INT32, INT64";
  const char* const kNine = "FLOAT, FLOAT16, BF16, DOUBLE, INT8, UINT8, INT16, INT32, INT64";
  const Expectation kExpected[] = {
      {"portable", k3d, true, "FLOAT, FLOAT16, BF16, DOUBLE", "INT32, INT64", true, true},
      {"atlas-a2", k3d, true, "FLOAT, FLOAT16, BF16", "INT32", false, false},
      {"ascend950", k3d, true, "FLOAT, FLOAT16, BF16", "INT32, INT64", true, true},
      {"atlas-training", k3d, false, "", "", false, false},
      {"portable", k2d, true, "FLOAT, FLOAT16, BF16, DOUBLE", "INT32, INT64", true, true},
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
    SCOPED_TRACE(std::string(expected.product) + " " + expected.op);
    const Operator* op = cairn::find_operator(expected.op);
    ASSERT_NE(op, nullptr);
    const Support* found = op->on(named(expected.product));
    EXPECT_EQ(found != nullptr, expected.offered);
    const Support support = found == nullptr ? Support{} : *found;
    EXPECT_EQ(support.types.text(), expected.types);
    EXPECT_EQ(support.index_types.text(), expected.index_types);
    EXPECT_EQ(support.dilated_windows, expected.dilated);
    EXPECT_EQ(support.channels_last, expected.channels_last);
  }
}

}  // namespace
}  // namespace contract_test
