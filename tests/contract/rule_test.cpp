#include <algorithm>
#include <cstdlib>
#include <set>

#include "acl/acl.h"
#include "contract/pooling_cases.h"
#include "ops/catalogue.h"

namespace contract_test {
namespace {

const auto kMadeUp = static_cast<std::uintptr_t>(0x1234567890);

template <typename T, typename Live, typename Other, typename Destroy>
T* stand_in(Handle handle, Live live, Other other, Destroy destroy) {
  switch (handle) {
    case Handle::kNull:
      return nullptr;
    case Handle::kOtherKind:
      return reinterpret_cast<T*>(other());
    case Handle::kMadeUp:
      return reinterpret_cast<T*>(kMadeUp);  // NOLINT(performance-no-int-to-ptr)
    case Handle::kDestroyed: {
      T* object = live();
      destroy(object);
      return object;
    }
    default:
      return live();
  }
}

}  // namespace

Objects::~Objects() {
  for (aclTensor* tensor : tensors_) aclDestroyTensor(tensor);
  for (aclIntArray* array : arrays_) aclDestroyIntArray(array);
  for (aclFloatArray* array : float_arrays_) aclDestroyFloatArray(array);
}

aclTensor* Objects::make(const TensorSpec& spec) {
  const auto live = [&] {
    aclTensor* tensor = aclCreateTensor(spec.dims.data(), spec.dims.size(), spec.type,
                                        spec.strides ? spec.strides->data() : nullptr, spec.offset,
                                        spec.format, spec.storage ? spec.storage->data() : nullptr,
                                        spec.storage ? spec.storage->size() : 0, nullptr);
    if (spec.handle == Handle::kLive) tensors_.push_back(tensor);
    return tensor;
  };
  return stand_in<aclTensor>(
      spec.handle, live,
      [&] {
        return make(ArraySpec{"", {1}});
      },
      aclDestroyTensor);
}

aclIntArray* Objects::make(const ArraySpec& spec) {
  const auto live = [&] {
    aclIntArray* array = aclCreateIntArray(spec.values.data(), spec.values.size());
    if (spec.handle == Handle::kLive) arrays_.push_back(array);
    return array;
  };
  return stand_in<aclIntArray>(
      spec.handle, live,
      [&] {
        return make(TensorSpec{"", {1}});
      },
      aclDestroyIntArray);
}

aclFloatArray* Objects::make(const FloatArraySpec& spec) {
  const auto live = [&] {
    aclFloatArray* array = aclCreateFloatArray(spec.values.data(), spec.values.size());
    if (spec.handle == Handle::kLive) float_arrays_.push_back(array);
    return array;
  };
  return stand_in<aclFloatArray>(
      spec.handle, live,
      [&] {
        return make(ArraySpec{"", {1}});
      },
      aclDestroyFloatArray);
}

PoolCase::PoolCase(const Dims& input, const Dims& output)
    : self{"self", input},
      indices{"indices", output, ACL_INT32},
      kernel_size{"kernelSize", Dims(input.size() - 2, 2)},
      stride{"stride", Dims(input.size() - 2, 2)},
      padding{"padding", Dims(input.size() - 2, 0)},
      dilation{"dilation", Dims(input.size() - 2, 1)} {}

Dims mask_dims(const Dims& kernel, Dims windows) {
  const std::int64_t count = windows.end()[-2] * windows.back();
  windows.end()[-2] = kernel.front() * kernel.back();
  windows.back() = ((count + 15) / 16 + 1) * 32;
  return windows;
}

Outcome observe(const CaseBase& call,
                const std::function<aclnnStatus(std::uint64_t*, aclOpExecutor**)>& call_phase1) {
  setenv("CAIRN_PRODUCT", call.product.c_str(), 1);
  constexpr std::uint64_t kUntouched = 0xDEADBEEF;
  std::uint64_t size = kUntouched;
  auto* const untouched = reinterpret_cast<aclOpExecutor*>(&size);
  aclOpExecutor* executor = untouched;
  Outcome outcome{};
  outcome.status =
      call_phase1(call.null_workspace_size ? nullptr : &size, call.null_executor ? nullptr : &executor);
  unsetenv("CAIRN_PRODUCT");
  outcome.outputs_written = size != kUntouched || executor != untouched;
  outcome.workspace_size = size;
  if (outcome.status != 0) {
    const char* message = aclGetRecentErrMsg();
    outcome.message = message == nullptr ? "" : message;
  } else {
    EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
  }
  return outcome;
}

void expect_accepted(const Outcome& outcome, const std::string& product) {
  SCOPED_TRACE(product);
  EXPECT_EQ(outcome.status, 0) << outcome.message;
  EXPECT_TRUE(outcome.outputs_written);
  EXPECT_EQ(outcome.workspace_size, 0U);
}

void expect_refused(const Outcome& outcome, const std::string& product, const std::string& rule,
                    const std::vector<std::string>& words) {
  SCOPED_TRACE(product);
  EXPECT_EQ(outcome.status, rule == "arguments_not_null" ? 161001 : 161002);
  EXPECT_FALSE(outcome.outputs_written);
  EXPECT_NE(outcome.message.find("[" + rule + "]"), std::string::npos)
      << "the message is: " << outcome.message;
  for (const std::string& word : words) {
    EXPECT_NE(outcome.message.find(word), std::string::npos)
        << "no \"" << word << "\" in the message: " << outcome.message;
  }
}

std::string current_rule() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }

std::vector<std::pair<std::string, std::string>>& covered_rules() {
  static std::vector<std::pair<std::string, std::string>> rules;
  return rules;
}

bool cover(const char* suite, const char* rule) {
  covered_rules().emplace_back(suite, rule);
  return true;
}

TEST(Rules, EachHasATestOfItsName) {
  using Pairs = std::set<std::pair<std::string, std::string>>;
  const Pairs covered(covered_rules().begin(), covered_rules().end());
  Pairs listed;
  for (const cairn::Operator* op : cairn::catalogue()) {
    for (const cairn::RuleInfo& rule : rules_of(*op)) {
      listed.emplace(std::string(op->name).substr(5), rule.name);
    }
  }
  EXPECT_EQ(covered, listed);
}

TEST(Rules, NullsComeFirstAndAloneAre161001) {
  for (const cairn::Operator* op : cairn::catalogue()) {
    const std::vector<cairn::RuleInfo> rules = rules_of(*op);
    ASSERT_FALSE(rules.empty());
    EXPECT_EQ(rules[0].name, "arguments_not_null");
    EXPECT_EQ(rules[0].status, 161001);
    for (std::size_t i = 1; i < rules.size(); ++i) EXPECT_EQ(rules[i].status, 161002) << rules[i].name;
    EXPECT_EQ(rules[1].name, "handles_live");
    EXPECT_EQ(rules[2].name, "product_known");
  }
}

}  // namespace contract_test
