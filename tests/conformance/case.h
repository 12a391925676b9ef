#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "api/descriptors.h"
#include "common/data_type.h"
#include "common/view.h"
#include "ops/family.h"
#include "reference/indices.h"
#include "reference/operand.h"

// Calls of the operators as plain values. What a family of operators needs to be tested (a random call, its
// content, the oracle, the plan that kernels get) is written once, in its file here; kernel tests, API tests,
// CUDA comparison, fuzzing, golden files and benchmark take it from there.
namespace conformance {

using api_test::TensorSpec;
using reference::Fault;
using reference::Random;
using reference::View;

enum class Role {
  kInput,
  kShape,  // only its shape counts: its address may be null
  kOutput,
  kAbsent,  // an optional tensor that is not given
};

struct TensorArgument {
  Role role = Role::kInput;
  TensorSpec spec{};
};
using ArrayArgument = std::optional<std::vector<std::int64_t>>;  // nothing: an optional one, not given

using FloatArrayArgument = std::vector<float>;

using Argument = std::variant<TensorArgument, ArrayArgument, double, float, bool, std::int64_t, std::int8_t,
                              FloatArrayArgument, std::string>;

struct Subject;

struct Case {
  const Subject* subject = nullptr;
  std::vector<Argument> arguments{};  // in the order of the C function
  reference::Values values = reference::Values::kOrdinary;
  reference::Indices indices = reference::Indices::kArgmax;  // where the operator reads some

  const TensorSpec& tensor(std::size_t i) const { return std::get<TensorArgument>(arguments[i]).spec; }
  const std::vector<std::int64_t>& array(std::size_t i) const {
    return *std::get<ArrayArgument>(arguments[i]);
  }
};

// Which of N, C and the spatial axes a tensor of one dimension less lacks.
enum class Axes {
  kImage,       // N; and the format may say that C comes last
  kBatchFirst,  // C
};

// How large a random call is.
enum class Extent {
  kSmall,      // mostly a few hundred elements
  kLarge,      // planes larger than any tile, and the layers of real networks
  kPastCache,  // more than the cache holds
};

// A family's Plan, as a backend is handed it.
class PlanBytes {
 public:
  template <typename Plan>
  void hold(const Plan& plan) {
    static_assert(std::is_trivially_copyable_v<Plan> && sizeof(Plan) <= sizeof(bytes_));
    std::memcpy(bytes_.data(), &plan, sizeof(Plan));
  }
  const void* get() const { return bytes_.data(); }

 private:
  alignas(16) std::array<std::byte, 1024> bytes_{};
};

// What a family writes. Views are by argument, and empty where that is no tensor, or one without memory.
struct FamilyCases {
  cairn::Family family;
  Axes axes;
  // The outputs are sums, in which NaNs meet.
  bool sums;
  // A call that the portable product accepts; of a subject that is no operator, one whose plan kernels take.
  Case (*random)(const Subject& subject, Random& random, Extent extent);
  // Fills the inputs as the case's `values` and `indices` say.
  void (*fill)(const Case& it, Random& random, std::span<const View> views);
  // Writes the outputs.
  std::optional<Fault> (*oracle)(const Case& it, std::span<const View> views);
  void (*plan)(const Case& it, std::span<const View> views, PlanBytes& plan);
  // Steps the oracle takes, where that is more than elements: what a fuzzer bends may ask for any number.
  std::int64_t (*steps)(const Case& it) = nullptr;
};

using Value = std::variant<aclTensor*, aclIntArray*, double, float, bool, std::int64_t, std::int8_t,
                           aclFloatArray*, char*>;
using Phase1 = aclnnStatus (*)(std::span<const Value> arguments, std::uint64_t* workspace_size,
                               aclOpExecutor** executor);
using Phase2 = aclnnStatus (*)(void* workspace, std::uint64_t workspace_size, aclOpExecutor* executor,
                               aclrtStream stream);

// A C function of phase 1 over a list of arguments.
template <auto kFunction>
aclnnStatus phase1(std::span<const Value> arguments, std::uint64_t* workspace_size,
                   aclOpExecutor** executor) {
  return [&]<typename... Parameters>(aclnnStatus (*function)(Parameters...)) {
    constexpr std::size_t kArguments = sizeof...(Parameters) - 2;
    const auto given = [&]<typename Parameter>(std::type_identity<Parameter>, std::size_t i) -> Parameter {
      if constexpr (std::is_pointer_v<Parameter>) {
        return std::get<std::remove_const_t<std::remove_pointer_t<Parameter>>*>(arguments[i]);
      } else {
        return std::get<Parameter>(arguments[i]);
      }
    };
    return [&]<std::size_t... kI>(std::index_sequence<kI...>) {
      return function(given(std::type_identity<std::tuple_element_t<kI, std::tuple<Parameters...>>>(), kI)...,
                      workspace_size, executor);
    }
    (std::make_index_sequence<kArguments>());
  }(kFunction);
}

// An operator under test; or, without functions, the plans of a family that kernels take though no operator
// makes them: those are for tests of kernels alone.
struct Subject {
  const char* name;
  int spatial;  // axes: 1 to 3. The missing ones are of size 1
  const FamilyCases* cases;
  Phase1 phase1 = nullptr;
  Phase2 phase2 = nullptr;

  bool is_operator() const { return phase1 != nullptr; }
};
#define CAIRN_SUBJECT(name, spatial, cases) \
  conformance::Subject { #name, spatial, &(cases), conformance::phase1 < name##GetWorkspaceSize>, name }

Case random_case(const Subject& subject, Random& random, Extent extent);

bool channels_last(const Case& it);
// Where the axes of a tensor of this rank are among N, C, D, H, W (0 … 4).
std::vector<int> axes_of(const Subject& subject, std::size_t rank, bool channels_last);
// Those given, or a contiguous tensor's.
std::vector<std::int64_t> strides_of(const TensorSpec& spec);
// The elements of the storage: those given, or as many as the view reaches.
std::int64_t storage_of(const TensorSpec& spec);
// Argument `i`, a tensor of a call that phase 1 accepts, in this memory; null where only sizes and strides
// count.
View view_of(const Case& it, std::size_t i, unsigned char* storage);
// The same as a kernel gets it from phase 1.
cairn::View5 kernel_view(const Case& it, std::size_t i, const View& view);

reference::Triple plane_of(const View& view);
cairn::Size3 to_kernel(const reference::Triple& size);
cairn::DataType to_kernel(reference::Type type);

std::string describe(const Case& it);

}  // namespace conformance
