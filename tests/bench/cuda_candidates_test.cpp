#include "backend/cuda/launch.h"
#include "bench/row_plans.h"

// Which CUDA candidate a plan gets is decided on the host: this needs no GPU.
namespace bench_test {
namespace {

class BenchRows : public testing::TestWithParam<conformance::FamilySubjects> {};

TEST_P(BenchRows, TakeEveryCudaCandidate) {
  const auto family = static_cast<std::size_t>(GetParam().family);
  expect_rows_for_all(GetParam(), cairn::cuda::candidates_of(family), row_plans({1}));
}

INSTANTIATE_TEST_SUITE_P(Families, BenchRows, testing::ValuesIn(conformance::families()),
                         [](const auto& it) { return std::string(it.param.name); });

}  // namespace
}  // namespace bench_test
