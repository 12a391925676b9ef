#include "conformance/trial.h"

namespace conformance {

using reference::Operand;

Trial::Trial(Case call, Random& random) : it(std::move(call)) {
  for (std::size_t i = 0; i < it.arguments.size(); ++i) {
    operands.emplace_back();
    const auto* argument = std::get_if<TensorArgument>(&it.arguments[i]);
    if (argument == nullptr || argument->role == Role::kShape || argument->role == Role::kAbsent) continue;
    const View view = view_of(it, i, nullptr);
    const reference::Layout layout{view.stride, argument->spec.offset, storage_of(argument->spec)};
    operands.back().emplace(random, view.type, view.size, layout);
    (argument->role == Role::kInput ? inputs : outputs).push_back(i);
    elements += view.count();
  }
  const std::vector<View> all = views();
  it.subject->cases->fill(it, random, all);
  std::vector<View> oracles = all;
  for (const std::size_t i : outputs) {
    expected.push_back(operands[i]->clone());
    oracles[i] = expected.back().view();
  }
  fault = it.subject->cases->oracle(it, oracles);
}

std::vector<View> Trial::views(std::span<unsigned char* const> elsewhere) const {
  std::vector<View> result(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) continue;
    result[i] = operands[i]->view();
    if (!elsewhere.empty())
      result[i].origin = elsewhere[i] + (result[i].origin - operands[i]->memory().data());
  }
  return result;
}

PlanBytes Trial::plan(std::span<unsigned char* const> elsewhere) const {
  PlanBytes plan;
  it.subject->cases->plan(it, views(elsewhere), plan);
  return plan;
}

NanCount count_nans(const View& view) {
  using reference::Type;
  const std::uint64_t wanted = view.type == Type::kFloat     ? 0x7fc00000
                               : view.type == Type::kFloat16 ? 0x7e00
                               : view.type == Type::kBf16    ? 0x7fc0
                                                             : 0x7ff8000000000000;
  NanCount count;
  walk(view, [&](const unsigned char* element, const reference::Sizes&) {
    if (!is_nan(element, view.type)) return;
    ++count.all;
    if (std::memcmp(element, &wanted, static_cast<std::size_t>(size_of(view.type))) != 0) ++count.others;
  });
  return count;
}

std::string to_text(const std::optional<Fault>& fault) {
  if (!fault) return "none";
  return "position " + std::to_string(fault->position) + " value " + std::to_string(fault->value) +
         " plane " + std::to_string(fault->plane);
}

}  // namespace conformance
