#include "bench/row_plans.h"
#include "ops/kernels.h"

// A candidate that no benchmark row takes could be slow, or of no use, and nobody would see it.
namespace bench_test {
namespace {

class BenchRows : public testing::TestWithParam<conformance::FamilySubjects> {};

TEST_P(BenchRows, TakeEveryCpuCandidate) {
  static constexpr std::array kLists = {
#define CAIRN_FAMILY(family) &cairn::family::kCpuCandidates,
#include "ops/families.def"
#undef CAIRN_FAMILY
  };
  // Some candidates are for tensors that the cache does not hold: how large those are, the machine says.
  expect_rows_for_all(GetParam(), *kLists[static_cast<std::size_t>(GetParam().family)], row_plans({0.25, 1}));
}

INSTANTIATE_TEST_SUITE_P(Families, BenchRows, testing::ValuesIn(conformance::families()),
                         [](const auto& it) { return std::string(it.param.name); });

}  // namespace
}  // namespace bench_test
