#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "aclnn_util.h"
#include "common/fp_mode.h"
#include "common/no_cancel.h"
#include "observe/watch.h"
#include "ops/call.h"
#include "ops/kit/cpu/target.h"
#include "runtime/bridge.h"
#include "tensor/bridge.h"

namespace cairn {

// No exception crosses the C boundary; the only ones that can occur are failed allocations.
template <typename Body>
Status guarded(Body body) noexcept {
  const NoCancellation guard;
  try {
    // Scales and positions are computed in phase 1, and must not depend on the caller's mode.
    return in_default_fp_mode(body);
  } catch (...) {
    cairn_runtime_bridge().report_error(ACLNN_ERR_INNER, "the host is out of memory");
    return ACLNN_ERR_INNER;
  }
}

// Phase 1: checks the arguments, given in the API's order, and plans the call. A family's `plan` makes a
// PlannedCall of one that keeps every rule.
template <typename Call, typename... Given>
Status plan_call(const Operator& op, PlannedCall (*plan)(const Call&), std::uint64_t* workspace_size,
                 aclOpExecutor** executor, Given... given) noexcept {
  return guarded([&] {
    static_assert((static_cast<std::size_t>(std::is_pointer_v<Given>) + ...) <= CallBase::kMostHandles);
    const std::array<Value, sizeof...(Given)> values = {given...};
    const Call call(op, values, workspace_size, executor);
    if (const Status status = check(call); status != ACLNN_SUCCESS) return status;
    return hand_over(call, plan(call));
  });
}

// Phase 2, the same for every operator.
inline Status run_planned(const Operator& op, void* workspace, std::uint64_t workspace_size,
                          aclOpExecutor* executor, void* stream) noexcept {
  return guarded(
      [&] { return cairn_tensor_bridge().run(executor, op.kernel, workspace, workspace_size, stream); });
}

// What the operators of a family have in common.
struct FamilyInfo {
  Family family;
  const char* library;
  const char* summary;
  std::span<const Rule> (*rules)(int spatial);
  const std::span<const CpuCandidate>* cpu;
};

// `page` is the header's name unless operators share one.
constexpr Operator described(const FamilyInfo& of, const char* name, const char* header, int spatial,
                             std::span<const ArgumentInfo> arguments, std::span<const SupportOn> support,
                             const char* page = nullptr) {
  return {.name = name,
          .header = header,
          .page = page != nullptr ? page : header,
          .library = of.library,
          .summary = of.summary,
          .spatial = spatial,
          .arguments = arguments,
          .rules = of.rules,
          .support = support,
          .kernel = {name, static_cast<std::size_t>(of.family), of.cpu, cpu_target}};
}

// Descriptors are full of them.
using enum DataType;
using enum ProductId;

// Between the descriptors and the C functions: the family's list.
#define CAIRN_OPERATORS(family, ...)                        \
  namespace cairn::family {                                 \
  std::span<const Operator* const> operators() {            \
    static constexpr std::array kOperators = {__VA_ARGS__}; \
    return kOperators;                                      \
  }                                                         \
  }                                                         \
  using namespace cairn::family;

// The two C functions of an operator: its parameters in brackets, then their names once more. `planner` makes
// the PlannedCall: the family's plan, unless something else is said.
#define CAIRN_ENTRY(name, op, parameters, ...) CAIRN_PLANNED_ENTRY(name, op, plan, parameters, __VA_ARGS__)
#define CAIRN_PLANNED_ENTRY(name, op, planner, parameters, ...)                                           \
  extern "C" ACLNN_API aclnnStatus name##GetWorkspaceSize(                                                \
      CAIRN_UNBRACKETED parameters, uint64_t* workspaceSize, aclOpExecutor** executor) {                  \
    CAIRN_WATCH(__VA_ARGS__, workspaceSize, executor);                                                    \
    return cairn::plan_call(op, planner, workspaceSize, executor, __VA_ARGS__);                           \
  }                                                                                                       \
  static_assert(cairn::describes(name##GetWorkspaceSize, (op).arguments));                                \
  extern "C" ACLNN_API aclnnStatus name(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, \
                                        aclrtStream stream) {                                             \
    CAIRN_WATCH(workspace, workspaceSize, executor, stream);                                              \
    return cairn::run_planned(op, workspace, workspaceSize, executor, stream);                            \
  }
#define CAIRN_UNBRACKETED(...) __VA_ARGS__

// Whether a descriptor has the arguments that the C function has.
template <typename Parameter>
constexpr bool fits_kind(Kind kind) {
  if constexpr (std::is_same_v<Parameter, aclTensor*>) return kind == Kind::kOutput;
  if constexpr (std::is_same_v<Parameter, const aclTensor*>) return is_tensor(kind) && kind != Kind::kOutput;
  if constexpr (std::is_same_v<Parameter, const aclIntArray*>) return is_array(kind);
  if constexpr (std::is_same_v<Parameter, const aclFloatArray*>) return kind == Kind::kFloatArray;
  if constexpr (std::is_same_v<Parameter, const char*>) return kind == Kind::kText;
  if constexpr (std::is_same_v<Parameter, bool>) return kind == Kind::kBool;
  if constexpr (std::is_same_v<Parameter, double>) return kind == Kind::kDouble;
  if constexpr (std::is_same_v<Parameter, float>) return kind == Kind::kFloat;
  if constexpr (std::is_same_v<Parameter, std::int64_t>) return kind == Kind::kInt64;
  if constexpr (std::is_same_v<Parameter, std::int8_t>) return kind == Kind::kInt8;
  return false;
}

template <typename... Parameters>
constexpr bool describes(Status (* /*phase1*/)(Parameters...), std::span<const ArgumentInfo> arguments) {
  constexpr std::size_t kOutputs = 2;  // workspaceSize and executor
  if (arguments.size() + kOutputs != sizeof...(Parameters)) return false;
  std::size_t i = 0;
  return ((i >= arguments.size() || fits_kind<Parameters>(arguments[i].kind) ? (++i, true) : false) && ...);
}

}  // namespace cairn
