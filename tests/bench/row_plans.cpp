#include "bench/row_plans.h"

#include "driver/call.h"

namespace bench_test {
namespace {

using cairn::bench::Selection;
using cairn::bench::Suite;

// With storages where a device would put them: at multiples of 256.
RowPlan plan_of(const cairn::bench::Case& row) {
  const conformance::Case it = call_of(row).it;
  std::vector<reference::View> views(it.arguments.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto* tensor = std::get_if<conformance::TensorArgument>(&it.arguments[i]);
    if (tensor == nullptr) continue;
    const bool has_memory = tensor->role != conformance::Role::kShape;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): nobody looks there
    views[i] = view_of(it, i, has_memory ? reinterpret_cast<unsigned char*>((i + 1) << 40) : nullptr);
  }
  RowPlan result{label(row), it.subject->cases->family, {}};
  it.subject->cases->plan(it, views, result.plan);
  return result;
}

}  // namespace

std::vector<RowPlan> row_plans(const std::vector<double>& fractions) {
  std::vector<RowPlan> plans;
  const auto add = [&plans](Suite suite, double fraction) {
    Selection selection;
    selection.suite = suite;
    selection.fraction = fraction;
    for (const cairn::bench::Case& row : cases(selection)) plans.push_back(plan_of(row));
  };
  for (const double fraction : fractions) add(Suite::kStandard, fraction);
  add(Suite::kOdd, 1);
  return plans;
}

bool speaks_against_any_row(const std::string& reason) {
  for (const char* words : {"this instruction set", "this machine", "there are windows"})
    if (reason.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace bench_test
