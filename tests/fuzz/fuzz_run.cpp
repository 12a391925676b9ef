#include <cstdlib>
#include <list>
#include <memory>
#include <optional>

#include "cairn/cairn.h"
#include "conformance/descriptors.h"
#include "fuzz/bend.h"

// Both phases on memory that is exactly as large as each storage: the sanitizer sees every access outside.
// What is accepted must be what the oracle computes.
namespace {

using conformance::Role;
using conformance::TensorArgument;
using conformance::TensorSpec;
using fuzz::Case;
using reference::Random;

constexpr std::int64_t kMostElements = 1 << 15;
constexpr std::int64_t kMostSteps = 1 << 21;
constexpr aclError kIndexFault = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
aclrtStream stream = nullptr;

// Elements needed before any overflow; nothing when that is too many for a fuzzer to back with memory.
std::optional<std::int64_t> bounded_product(const std::vector<std::int64_t>& dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(product, dim, &product) || product > kMostElements)
      return std::nullopt;
  return product;
}

// Elements from the storage base to the end of the view; nothing when that is too far or makes no sense.
std::optional<std::int64_t> reach_of(const TensorSpec& spec) {
  const std::vector<std::int64_t> strides = conformance::strides_of(spec);
  std::int64_t reach = spec.offset;
  bool too_far = false;
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    if (spec.dims[i] < 0 || strides[i] < 0) return std::nullopt;
    if (spec.dims[i] == 0) return 0;
    std::int64_t along = 0;
    too_far |= __builtin_mul_overflow(spec.dims[i] - 1, strides[i], &along) ||
               __builtin_add_overflow(reach, along, &reach);
  }
  if (spec.offset < 0 || too_far || reach >= kMostElements) return std::nullopt;
  return reach + 1;
}

// A tensor's memory on the heap, where the sanitizer watches both ends.
class Backed {
 public:
  // Without a storage shape nobody could refuse a view that leaves the memory, so then it is as large as the
  // view.
  explicit Backed(TensorSpec& spec) : spec_(spec) {
    std::optional<std::int64_t> elements =
        spec.storage.empty() ? reach_of(spec) : bounded_product(spec.storage);
    if (!elements) {
      spec.storage = {kMostElements};
      elements = kMostElements;
    }
    const std::optional<reference::Type> type = api_test::reference_type(spec.type);
    elements_ = *elements;
    bytes_.resize(static_cast<std::size_t>(elements_ * (type ? size_of(*type) : 1)));
    bytes_.shrink_to_fit();
  }

  std::vector<unsigned char>& bytes() { return bytes_; }
  bool is_within() const {
    const std::optional<std::int64_t> reach = reach_of(spec_);
    return reach && *reach <= elements_;
  }
  // One that is not is broadcast along so many elements that computing them would take too long here.
  bool is_small() const { return bounded_product(spec_.dims).has_value(); }

 private:
  const TensorSpec& spec_;
  std::int64_t elements_ = 0;
  std::vector<unsigned char> bytes_;
};

// The arguments that have memory, by argument.
using Operands = std::vector<std::optional<Backed>>;

Operands back(Case& call) {
  Operands operands(call.arguments.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    auto* tensor = std::get_if<TensorArgument>(&call.arguments[i]);
    if (tensor != nullptr && tensor->role != Role::kAbsent) operands[i].emplace(tensor->spec);
  }
  return operands;
}

bool is_only_shape(const Case& call, std::size_t i) {
  return std::get<TensorArgument>(call.arguments[i]).role == Role::kShape;
}

std::vector<reference::View> views_of(const Case& call, Operands& operands) {
  std::vector<reference::View> views(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i] && !is_only_shape(call, i)) views[i] = view_of(call, i, operands[i]->bytes().data());
  return views;
}

void compare(const Case& call, Operands& operands, Operands& expected, aclError status) {
  const std::vector<reference::View> views = views_of(call, expected);
  const std::optional<reference::Fault> fault = call.subject->cases->oracle(call, views);
  if (status != (fault ? kIndexFault : 0)) fuzz::fail(call, "synchronise gave " + std::to_string(status));
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!operands[i] || is_only_shape(call, i)) continue;
    const std::string wrong = difference(views[i], expected[i]->bytes(), operands[i]->bytes());
    if (!wrong.empty()) fuzz::fail(call, "argument " + std::to_string(i) + wrong);
  }
}

// An accepted call.
void run(const Case& call, Operands& operands, Random& random, aclOpExecutor* executor,
         std::uint64_t workspace_size) {
  Random content(random.bits());
  for (std::optional<Backed>& operand : operands) {
    if (!operand) continue;
    for (unsigned char& byte : operand->bytes()) byte = static_cast<unsigned char>(content.bits());
  }
  call.subject->cases->fill(call, content, views_of(call, operands));
  Operands expected = operands;
  const auto workspace = std::make_unique<unsigned char[]>(workspace_size);
  const aclnnStatus status =
      call.subject->phase2(workspace_size > 0 ? workspace.get() : nullptr, workspace_size, executor, stream);
  if (status != 0) fuzz::fail(call, "phase 2 gave " + std::to_string(status));
  const aclError synchronised = aclrtSynchronizeStream(stream);
  const auto steps = call.subject->cases->steps;
  if (steps == nullptr || steps(call) <= kMostSteps) compare(call, operands, expected, synchronised);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("CAIRN_DEVICE", "cpu", 1);
  setenv("CAIRN_THREADS", "2", 1);
  unsetenv("CAIRN_PRODUCT");
  // A stream of this kind takes any memory of the program, so also the heap's.
  if (aclInit(nullptr) != 0 || cairnCreateCpuStream(&stream) != 0) std::abort();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Random random(std::span(data, size));
  Case call = fuzz::sound_call(random);
  for (std::int64_t changes = random.between(0, 3); changes > 0; --changes) fuzz::bend(random, call);

  Operands operands = back(call);
  std::vector<void*> addresses;
  for (std::optional<Backed>& operand : operands)
    addresses.push_back(operand ? operand->bytes().data() : nullptr);
  const conformance::Descriptors descriptors(call, addresses);
  std::uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  if (descriptors.phase1(&workspace_size, &executor) != 0) return 0;

  bool small = true;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i] || is_only_shape(call, i)) continue;
    if (!operands[i]->is_within()) fuzz::fail(call, "a view outside its storage passed");
    small = small && operands[i]->is_small();
  }
  if (small) {
    run(call, operands, random, executor, workspace_size);
  } else {
    aclDestroyAclOpExecutor(executor);
  }
  return 0;
}
