#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "common/status.h"
#include "product/product.h"
#include "tensor/bridge.h"
#include "tensor/geometry.h"

namespace cairn {

// What is wrong with a call, in words for people; empty when the rule holds. Most are, so that an empty one
// costs no more than a null pointer.
class Complaint {
 public:
  Complaint() = default;
  Complaint(std::string words)  // NOLINT(google-explicit-constructor): checks return sentences
      : words_(words.empty() ? nullptr : std::make_unique<std::string>(std::move(words))) {}

  bool empty() const { return words_ == nullptr; }
  std::string_view text() const { return empty() ? std::string_view{} : *words_; }

 private:
  std::unique_ptr<const std::string> words_;
};

// A rule as tests, the tool and the reference pages see it.
struct RuleInfo {
  const char* name;  // also ends the message of a call that breaks it
  Status status;
  const char* text;  // what must hold, in one sentence
};

// A contract is an ordered table of these; the first that is broken decides the status. A check may rely on
// every rule before its own.
template <typename Call>
struct Rule {
  const char* name;
  Status status;
  const char* text;
  Complaint (*check)(const Call&);
};

// A pointer argument of phase 1.
struct Argument {
  Argument(const char* argument, const void* given, const char* wanted, bool found)
      : name(argument), handle(given), kind(wanted), live(found) {}

  const char* name;  // as the API spells it
  const void* handle;
  const char* kind;  // what it must be a live handle of; null for a plain address
  bool live;
};

struct TensorArgument : Argument {
  TensorArgument(const char* argument, const aclTensor* tensor)
      : Argument(argument, tensor, "aclTensor", false), desc(cairn_tensor_bridge().find_tensor(tensor)) {
    live = desc != nullptr;
    if (!live) return;
    range = byte_range(*desc);
    dense = range && is_dense(*desc);
  }

  const std::vector<std::int64_t>& dims() const { return desc->dims; }
  std::size_t rank() const { return desc->dims.size(); }

  std::shared_ptr<const TensorDesc> desc;
  std::optional<ByteRange> range;
  bool dense = false;
};

struct ArrayArgument : Argument {
  ArrayArgument(const char* argument, const aclIntArray* array)
      : Argument(argument, array, "aclIntArray", false), found(cairn_tensor_bridge().find_int_array(array)) {
    live = found != nullptr;
  }

  const std::vector<std::int64_t>& values() const { return *found; }
  std::size_t size() const { return found->size(); }
  std::int64_t operator[](std::size_t i) const { return (*found)[i]; }

  std::shared_ptr<const std::vector<std::int64_t>> found;
};

// What every phase 1 is given besides the operator's own arguments.
struct CallBase {
  CallBase(Operator which, std::uint64_t* size_destination, aclOpExecutor** executor_destination)
      : op(which),
        choice(current_product()),
        workspace_size("workspaceSize", size_destination, nullptr, true),
        executor("executor", static_cast<const void*>(executor_destination), nullptr, true),
        workspace_size_out(size_destination),
        executor_out(executor_destination) {}

  const Product& product() const { return *choice.product; }
  const Support& support() const { return choice.product->of(op); }

  Operator op;
  ProductChoice choice;
  Argument workspace_size;
  Argument executor;
  std::uint64_t* workspace_size_out;
  aclOpExecutor** executor_out;
};

// Makes the complaint the thread's error text: "<operator>GetWorkspaceSize: <complaint> [<rule>]".
void report_broken(Operator op, const RuleInfo& rule, const Complaint& complaint);

// The status of the first broken rule, which is reported; 0 when all hold.
template <typename Call>
Status check(const Call& call, std::span<const Rule<Call>> rules) {
  for (const Rule<Call>& rule : rules) {
    const Complaint complaint = rule.check(call);
    if (complaint.empty()) continue;
    report_broken(call.op, {rule.name, rule.status, rule.text}, complaint);
    return rule.status;
  }
  return 0;
}

template <typename Call>
std::vector<RuleInfo> infos(std::span<const Rule<Call>> rules) {
  std::vector<RuleInfo> result;
  for (const Rule<Call>& rule : rules) result.push_back({rule.name, rule.status, rule.text});
  return result;
}

struct Use {
  const TensorArgument* tensor;
  Access access;
};

// The tensors of a planned call, in the order of the arguments.
std::vector<TensorUse> in_order(std::initializer_list<Use> uses);

// `bind` writes the addresses of the tensors into the plan; `empty` says that there is nothing to compute.
template <typename Plan>
PlannedCall planned_call(const Kernel& kernel, std::initializer_list<Use> uses, const Plan& plan,
                         decltype(PlannedCall::bind) bind, bool empty) {
  PlannedCall planned;
  planned.kernel = &kernel;
  planned.tensors = in_order(uses);
  planned.empty = empty;
  planned.plan.set(plan);
  planned.bind = bind;
  return planned;
}

// The end of a phase 1 that succeeds: only here are the caller's outputs written.
Status hand_over(const CallBase& call, PlannedCall&& planned);

}  // namespace cairn
