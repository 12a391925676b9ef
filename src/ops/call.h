#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "ops/axes.h"
#include "ops/operator.h"
#include "product/product.h"
#include "tensor/bridge.h"
#include "tensor/geometry.h"

namespace cairn {

// A pointer argument of phase 1.
struct Argument {
  const char* name = nullptr;  // as the API spells it
  const void* handle = nullptr;
  const char* kind = nullptr;  // what it must be a live handle of; null for a plain address
  bool live = true;
  bool may_be_null = false;
};

// What a handle stands for, if it is a live one of its kind.
using Found = std::shared_ptr<const void>;

struct TensorArgument : Argument {
  void set(const ArgumentInfo& info, const aclTensor* tensor, Found&& object);

  const std::vector<std::int64_t>& dims() const { return desc->dims; }
  std::size_t rank() const { return desc->dims.size(); }

  std::shared_ptr<const TensorDesc> desc;
  std::optional<ByteRange> range;
  bool dense = false;
  Access access = Access::kRead;
};

struct ArrayArgument : Argument {
  void set(const ArgumentInfo& info, const aclIntArray* array, Found&& object);

  // One that was not given, and may be null, counts as empty.
  const std::vector<std::int64_t>& values() const {
    static const std::vector<std::int64_t> none;
    return found != nullptr ? *found : none;
  }
  std::size_t size() const { return found != nullptr ? found->size() : 0; }
  std::int64_t operator[](std::size_t i) const { return (*found)[i]; }

  std::shared_ptr<const std::vector<std::int64_t>> found;
};

struct FloatArrayArgument : Argument {
  void set(const ArgumentInfo& info, const aclFloatArray* array, Found&& object);

  const std::vector<float>& values() const { return *found; }
  std::size_t size() const { return found->size(); }
  // Every float is a double.
  double operator[](std::size_t i) const { return static_cast<double>((*found)[i]); }

  std::shared_ptr<const std::vector<float>> found;
};

// What a program hands to phase 1 as one argument.
using Value = std::variant<const aclTensor*, const aclIntArray*, const aclFloatArray*, const char*, bool,
                           double, float, std::int64_t, std::int8_t>;

// Arguments of one sort, in the API's order; few, and without a heap.
template <typename T>
class Few {
 public:
  T& add() { return items_[size_++]; }
  std::span<const T> all() const { return {items_.data(), size_}; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  std::size_t size() const { return size_; }

 private:
  std::array<T, 8> items_{};
  std::size_t size_ = 0;
};

// Phase 1 of any operator: its arguments, looked up. Families derive their own, which say what the arguments
// mean to them.
class CallBase {
 public:
  static constexpr std::size_t kMostHandles = 10;  // among the arguments of an operator

  CallBase(const Operator& which, std::span<const Value> values, std::uint64_t* workspace_size,
           aclOpExecutor** executor);
  CallBase(const CallBase&) = delete;
  CallBase& operator=(const CallBase&) = delete;

  const Product& product() const { return *choice.product; }
  const Support& support() const { return *support_; }
  bool offered() const { return support_ != nullptr; }
  int spatial() const { return op.spatial; }

  // Every pointer, workspaceSize and executor included.
  std::span<const Argument* const> arguments() const { return {arguments_.data(), argument_count_}; }
  // The tensors that were given, in the API's order; of those, the ones that are written.
  std::span<const TensorArgument* const> tensors() const { return {given_.data(), given_count_}; }
  std::span<const TensorArgument* const> outputs() const { return {outputs_.data(), output_count_}; }

  const Operator& op;
  ProductChoice choice;
  std::uint64_t* const workspace_size_out;
  aclOpExecutor** const executor_out;

 protected:
  // By their order among arguments of their sort.
  const TensorArgument& tensor(std::size_t i) const { return tensors_[i]; }
  std::size_t tensor_count() const { return tensors_.size(); }
  const ArrayArgument& array(std::size_t i) const { return arrays_[i]; }
  const FloatArrayArgument& floats() const { return floats_; }  // no operator has more than one
  const char* text() const { return static_cast<const char*>(text_.handle); }
  double number(std::size_t i) const { return numbers_[i]; }  // double and float alike
  std::size_t number_count() const { return numbers_.size(); }
  std::int64_t integer(std::size_t i) const { return integers_[i]; }  // bool, int8_t and int64_t alike

 private:
  // A handle takes what `next` has found for it.
  void add(const ArgumentInfo& info, const Value& value, TensorBridge::Lookup*& next);
  void add(const Argument& argument) { arguments_[argument_count_++] = &argument; }

  const Support* support_ = nullptr;
  Few<TensorArgument> tensors_;
  Few<ArrayArgument> arrays_;
  FloatArrayArgument floats_;
  Argument text_;
  Few<double> numbers_;
  Few<std::int64_t> integers_;
  Argument workspace_size_;
  Argument executor_;
  std::array<const Argument*, 18> arguments_{};
  std::size_t argument_count_ = 0;
  std::array<const TensorArgument*, 8> given_{};
  std::size_t given_count_ = 0;
  std::array<const TensorArgument*, 8> outputs_{};
  std::size_t output_count_ = 0;
};

// The status of the first broken rule, which is reported as "<operator>GetWorkspaceSize: <complaint>
// [<rule>]"; 0 when all hold.
Status check(const CallBase& call);

// `bind` writes the addresses of the tensors into the plan; `empty` says that there is nothing to compute.
template <typename Plan>
PlannedCall planned_call(const CallBase& call, const Plan& plan, decltype(PlannedCall::bind) bind,
                         bool empty) {
  PlannedCall planned;
  planned.kernel = &call.op.kernel;
  planned.tensors.reserve(call.tensors().size());
  for (const TensorArgument* tensor : call.tensors()) {
    planned.tensors.push_back(
        {static_cast<const aclTensor*>(tensor->handle), tensor->name, tensor->access, tensor->desc});
  }
  planned.empty = empty;
  planned.plan.set(plan);
  planned.bind = bind;
  return planned;
}

// A view of a plan, the tensor of the call that it looks at, and where the plan has its type.
template <auto kView, std::size_t kTensor, auto kType>
struct Bound {
  template <typename Plan>
  static void bind(Plan& plan, void* const* addresses) {
    bind_view(plan.*kView, addresses[kTensor], plan.*kType);
  }
};

// A view into a buffer of bytes: its offset counts those.
template <auto kView, std::size_t kTensor>
struct BoundAtByte {
  template <typename Plan>
  static void bind(Plan& plan, void* const* addresses) {
    bind_view(plan.*kView, addresses[kTensor], DataType::kInt8);
  }
};

// The same for a plan whose views are all that has an address.
template <typename... Views, typename Plan>
PlannedCall planned_call(const CallBase& call, const Plan& plan, bool empty) {
  const auto bind = [](void* plan_memory, void* const* addresses, void* /*workspace*/) {
    (Views::bind(*static_cast<Plan*>(plan_memory), addresses), ...);
  };
  return planned_call(call, plan, bind, empty);
}

// The end of a phase 1 that succeeds: only here are the caller's outputs written.
Status hand_over(const CallBase& call, PlannedCall&& planned);

}  // namespace cairn
