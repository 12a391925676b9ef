// What phase 1 makes of arguments that no operator above has yet: an operator of this test's own has one of
// every kind.

#include "contract/plan_test.h"
#include "ops/checks/rules.h"
#include "ops/entry.h"

namespace contract_test {
namespace {

using cairn::ArgumentInfo;
using cairn::Kind;
using cairn::Value;

constexpr std::array kArguments = {
    ArgumentInfo{"self", Kind::kInput, ""},
    ArgumentInfo{"weight", Kind::kOptionalInput, ""},
    ArgumentInfo{"like", Kind::kShape, ""},
    ArgumentInfo{"sizes", Kind::kIntArray, ""},
    ArgumentInfo{"pads", Kind::kOptionalIntArray, ""},
    ArgumentInfo{"scale", Kind::kDouble, ""},
    ArgumentInfo{"slope", Kind::kFloat, ""},
    ArgumentInfo{"divisorOverride", Kind::kInt64, ""},
    ArgumentInfo{"ceilMode", Kind::kBool, ""},
    ArgumentInfo{"cubeMathType", Kind::kInt8, ""},
    ArgumentInfo{"out", Kind::kOutput, ""},
    ArgumentInfo{"mask", Kind::kOutput, ""},
};
constexpr auto kRules = cairn::table(cairn::kOpening, cairn::kGeometry);
constexpr std::array kSupport = {cairn::SupportOn{{cairn::ProductId::kPortable}, {}}};
constexpr cairn::Operator kEverything = {.name = "aclnnEverything",
                                         .header = "everything",
                                         .page = "everything",
                                         .library = "nn",
                                         .summary = "",
                                         .spatial = 1,
                                         .arguments = kArguments,
                                         .rules = [](int) -> std::span<const cairn::Rule> { return kRules; },
                                         .support = kSupport,
                                         .kernel = {"aclnnEverything", 0, nullptr, nullptr}};

struct Call : cairn::CallBase {
  using CallBase::CallBase;

  const cairn::TensorArgument& weight = tensor(1);
  const cairn::ArrayArgument& pads = array(1);
  const double scale = number(0);
  const double slope = number(1);
  const std::int64_t divisor = integer(0);
  const bool ceil_mode = integer(1) != 0;
  const std::int64_t math_type = integer(2);
};

struct Plan {
  double scale, slope;
  std::int64_t divisor, math_type;
  bool ceil_mode, has_weight, has_pads;
  void* out;
  void* mask;
  void* workspace;
};

cairn::PlannedCall plan(const Call& call) {
  const auto bind = [](void* bytes, void* const* addresses, void* workspace) {
    auto& plan = *static_cast<Plan*>(bytes);
    const std::size_t outputs = plan.has_weight ? 3 : 2;
    plan.out = addresses[outputs];
    plan.mask = addresses[outputs + 1];
    plan.workspace = workspace;
  };
  const Plan made{call.scale,       call.slope,     call.divisor, call.math_type, call.ceil_mode,
                  call.weight.live, call.pads.live, nullptr,      nullptr,        nullptr};
  cairn::PlannedCall planned = planned_call(call, made, bind, false);
  planned.workspace_size = 96;
  return planned;
}

aclnnStatus everything(const aclTensor* self, const aclTensor* weight, const aclTensor* like,
                       const aclIntArray* sizes, const aclIntArray* pads, double scale, float slope,
                       std::int64_t divisor, bool ceil_mode, std::int8_t math_type, aclTensor* out,
                       aclTensor* mask, std::uint64_t* workspace_size, aclOpExecutor** executor) {
  return cairn::plan_call(kEverything, plan, workspace_size, executor, self, weight, like, sizes, pads, scale,
                          slope, divisor, ceil_mode, math_type, out, mask);
}
static_assert(cairn::describes(everything, kArguments));

class Arguments : public Plans {
 protected:
  aclTensor* self = tensor({2, 3, 4});
  aclTensor* like = tensor({5});
  aclTensor* out = tensor({2, 3, 2});
  aclTensor* mask = tensor({7}, ACL_INT8);
  aclIntArray* sizes = array({2});
};

TEST_F(Arguments, OfEveryKindReachThePlan) {
  ASSERT_EQ(everything(self, tensor({3}), like, sizes, array({1, 1}), 0.5, -0.25F, -7, true, -3, out, mask,
                       &workspace_size, &executor),
            0)
      << runtime.error;
  EXPECT_EQ(workspace_size, 96U);
  expect_uses({kRead, kRead, kUnused, kWrite, kWrite}, {"self", "weight", "like", "out", "mask"});
  static char memory[8];
  const auto bound_plan = [&] {
    Plan result = this->plan<Plan>();
    void* const addresses[] = {nullptr, nullptr, nullptr, &memory[1], &memory[2]};
    tensors.planned->bind(&result, addresses, &memory[3]);
    return result;
  }();
  EXPECT_EQ(bound_plan.scale, 0.5);
  EXPECT_EQ(bound_plan.slope, -0.25);
  EXPECT_EQ(bound_plan.divisor, -7);
  EXPECT_EQ(bound_plan.math_type, -3);
  EXPECT_TRUE(bound_plan.ceil_mode);
  EXPECT_TRUE(bound_plan.has_weight);
  EXPECT_TRUE(bound_plan.has_pads);
  EXPECT_EQ(bound_plan.out, &memory[1]);
  EXPECT_EQ(bound_plan.mask, &memory[2]);
  EXPECT_EQ(bound_plan.workspace, &memory[3]);
}

TEST_F(Arguments, ThatAreOptionalMayBeNull) {
  ASSERT_EQ(everything(self, nullptr, like, sizes, nullptr, 1, 1, 0, false, 0, out, mask, &workspace_size,
                       &executor),
            0)
      << runtime.error;
  expect_uses({kRead, kUnused, kWrite, kWrite}, {"self", "like", "out", "mask"});
  EXPECT_FALSE(this->plan<Plan>().has_weight);
  EXPECT_FALSE(this->plan<Plan>().has_pads);
}

TEST_F(Arguments, ThatAreOptionalMustBeLiveIfTheyAreGiven) {
  int other = 0;
  EXPECT_EQ(everything(self, reinterpret_cast<const aclTensor*>(&other), like, sizes, nullptr, 1, 1, 0, false,
                       0, out, mask, &workspace_size, &executor),
            161002);
  EXPECT_NE(runtime.error.find("aclnnEverythingGetWorkspaceSize: weight ("), std::string::npos)
      << runtime.error;
  EXPECT_EQ(everything(self, nullptr, like, sizes, reinterpret_cast<const aclIntArray*>(&other), 1, 1, 0,
                       false, 0, out, mask, &workspace_size, &executor),
            161002);
  EXPECT_NE(runtime.error.find("pads ("), std::string::npos) << runtime.error;
}

TEST_F(Arguments, ThatAreNotOptionalMayNotBeNull) {
  EXPECT_EQ(everything(self, nullptr, nullptr, sizes, nullptr, 1, 1, 0, false, 0, out, mask, &workspace_size,
                       &executor),
            161001);
  EXPECT_NE(runtime.error.find("like is null"), std::string::npos) << runtime.error;
  EXPECT_EQ(everything(self, nullptr, like, sizes, nullptr, 1, 1, 0, false, 0, out, nullptr, &workspace_size,
                       &executor),
            161001);
  EXPECT_NE(runtime.error.find("mask is null"), std::string::npos) << runtime.error;
}

TEST(Words, TakeTheNumberOfSpatialAxes) {
  cairn::Operator op = kEverything;
  const char* const text =
      "{0} {n} {axes}; {list}; {outlist}; {plane} {by} {last} {rank} {lowrank} {at} {oat} "
      "{shape} {oshape} {cshape} {ocshape} {nshape} {lastshape} {olastshape}";
  EXPECT_EQ(in_words(text, op),
            "self 1 L; L; oL; L L NLC 3 2 l l (N,C,L) (N,C,oL) (C,L) (C,oL) (N,L) (N,L,C) (N,oL,C)");
  op.spatial = 2;
  EXPECT_EQ(in_words(text, op),
            "self 2 H and W; H, W; oH, oW; H·W H x W NHWC 4 3 h·W + w h·oW + w (N,C,H,W) (N,C,oH,oW) (C,H,W) "
            "(C,oH,oW) (N,H,W) (N,H,W,C) (N,oH,oW,C)");
  op.spatial = 3;
  EXPECT_EQ(in_words("{axes} {by} {at}", op), "D, H and W D x H x W (d·H + h)·W + w");
}

}  // namespace
}  // namespace contract_test
