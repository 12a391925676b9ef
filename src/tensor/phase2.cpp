#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bridge.h"
#include "tensor/executor.h"
#include "tensor/geometry.h"
#include "tensor/text.h"

namespace cairn {
namespace {

// Workspace holds whatever element type a kernel likes.
constexpr std::uintptr_t kWorkspaceAlignment = 16;

// A tensor of the call with the memory that it stands for now.
struct BoundTensor {
  const TensorUse* use;
  void* base;
  std::uintptr_t begin;
  std::uintptr_t end;
  std::optional<Allocation> allocation = std::nullopt;  // that holds it

  bool touched() const { return begin != end; }
  bool written() const { return use->access == Access::kWrite; }
};

// What a call needs for a moment lies on the stack: phase 2 asks for no memory where operands are few.
class Scratch {
 public:
  std::pmr::memory_resource* get() { return &resource_; }

 private:
  alignas(16) std::byte bytes_[1024];
  std::pmr::monotonic_buffer_resource resource_{bytes_, sizeof(bytes_)};
};
using BoundTensors = std::pmr::vector<BoundTensor>;

Status refuse(const PlannedCall& call, const std::string& message, Status status = ACLNN_ERR_PARAM_INVALID) {
  return fail(call.kernel->name, status, message);
}

Status check_workspace(const PlannedCall& call, const void* workspace, std::uint64_t size, void* stream) {
  if (Observer* watcher = observer()) {
    watcher->workspace({call.kernel->name, call.workspace_asked, workspace, size, stream});
    // A tool had phase 1 ask for more than is needed, and has now said what is wrong with what it got.
    if (call.workspace_size == 0 && call.workspace_asked > 0) return OK;
  }
  if (size > 0 && workspace == nullptr) {
    return refuse(call, text("workspace is null, but workspaceSize is ", size), ACLNN_ERR_PARAM_NULLPTR);
  }
  if (size < call.workspace_size) {
    return refuse(call,
                  text("workspaceSize is ", size, ", but phase 1 asked for ", call.workspace_size, " bytes"));
  }
  if (call.workspace_size > 0 && reinterpret_cast<std::uintptr_t>(workspace) % kWorkspaceAlignment != 0) {
    return refuse(call,
                  text("workspace (", workspace, ") is not aligned to ", kWorkspaceAlignment, " bytes"));
  }
  return OK;
}

const void* pointer(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): inside an argument
}

// No block that the API has handed out is left or run into; which memory a stream takes, the runtime knows.
// `memory` is set to the block that holds [begin, end) or lies in it, if there is one.
Status check_bounds(const PlannedCall& call, const char* argument, const void* base, std::uintptr_t begin,
                    std::uintptr_t end, std::optional<Allocation>& memory) {
  const RuntimeBridge& runtime = cairn_runtime_bridge();
  memory = runtime.find_allocation(pointer(begin), end - begin);
  std::optional<Allocation> left;
  if (!memory && begin != reinterpret_cast<std::uintptr_t>(base)) left = runtime.find_allocation(base, 1);
  const std::optional<Allocation>& near = memory ? memory : left;
  // Both ends of registered memory are the program's own.
  if (!near || near->kind == MemoryKind::kRegistered) return OK;
  const auto first = reinterpret_cast<std::uintptr_t>(near->begin);
  const std::uintptr_t limit = first + near->usable;
  if (end > limit) {
    return refuse(call, text(argument, " reaches ", end - limit, " bytes past the end of its device memory (",
                             near->usable, " usable bytes at ", static_cast<const void*>(near->begin),
                             "; its data address is ", pointer(begin), ")"));
  }
  if (begin >= first) return OK;
  return refuse(call, text(argument, "'s data address (", pointer(begin), ") lies ", first - begin,
                           " bytes before the device memory that it runs into (", near->usable,
                           " usable bytes at ", static_cast<const void*>(near->begin), ")"));
}

Status bind_tensor(const PlannedCall& call, const TensorUse& use, void* const* address_given,
                   BoundTensor& bound) {
  bound = {&use, nullptr, 0, 0};
  if (use.access == Access::kUnused) return OK;
  if (address_given != nullptr) {
    bound.base = *address_given;
  } else {
    const std::shared_ptr<const TensorDesc> current = find_tensor(use.tensor);
    if (current == nullptr)
      return wrong_handle(call.kernel->name, use.argument, use.tensor, HandleKind::kTensor);
    bound.base = current->address;
  }
  const std::optional<ByteRange> range = byte_range(*use.desc);
  if (range && range->begin == range->end) return OK;
  if (bound.base == nullptr) {
    return refuse(call,
                  text(use.argument, "'s data address is null, but its elements are ",
                       bound.written() ? "written" : "read"),
                  ACLNN_ERR_PARAM_NULLPTR);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(bound.base);
  if (!range || __builtin_add_overflow(address, static_cast<std::uintptr_t>(range->end), &bound.end)) {
    return refuse(call, text(use.argument, " reaches past the end of the address space"));
  }
  bound.begin = address + static_cast<std::uintptr_t>(range->begin);
  return OK;
}

Status check_memory(const PlannedCall& call, BoundTensor& bound) {
  if (!bound.touched()) return OK;
  // Complex numbers are pairs: none needs more than eight bytes.
  const auto alignment =
      static_cast<std::uintptr_t>(std::min<std::int64_t>(element_size(bound.use->desc->type), 8));
  if (bound.begin % alignment != 0) {
    return refuse(call, text(bound.use->argument, "'s data address (", bound.base, ") is not aligned to its ",
                             alignment, "-byte elements"));
  }
  return check_bounds(call, bound.use->argument, bound.base, bound.begin, bound.end, bound.allocation);
}

Status check_overlap(const PlannedCall& call, const BoundTensors& tensors) {
  for (const BoundTensor& output : tensors) {
    if (!output.written() || !output.touched()) continue;
    for (const BoundTensor& other : tensors) {
      // Each pair of outputs is looked at once.
      if (!other.touched() || (other.written() && &other <= &output)) continue;
      if (output.end <= other.begin || other.end <= output.begin) continue;
      if (views_overlap(*output.use->desc, output.base, *other.use->desc, other.base)) {
        return refuse(call, text(output.use->argument, " overlaps ", other.use->argument,
                                 " in memory, expected memory of its own"));
      }
    }
  }
  return OK;
}

Status check_workspace_memory(const PlannedCall& call, const void* workspace, const BoundTensors& tensors,
                              std::optional<Operand>& operand) {
  if (call.workspace_size == 0) return OK;
  const auto begin = reinterpret_cast<std::uintptr_t>(workspace);
  std::uintptr_t end = 0;
  if (__builtin_add_overflow(begin, call.workspace_size, &end)) {
    return refuse(call, "workspace reaches past the end of the address space");
  }
  operand.emplace(Operand{"workspace", begin, end});
  // First: what lies past its end is an overlap only by chance.
  if (const Status status = check_bounds(call, "workspace", workspace, begin, end, operand->allocation);
      status != OK)
    return status;
  for (const BoundTensor& tensor : tensors) {
    if (tensor.touched() && tensor.begin < end && begin < tensor.end) {
      return refuse(
          call, text("workspace overlaps ", tensor.use->argument, " in memory, expected memory of its own"));
    }
  }
  return OK;
}

std::pmr::vector<Operand> operands(BoundTensors& tensors, std::optional<Operand>& workspace,
                                   Scratch& scratch) {
  std::pmr::vector<Operand> result(scratch.get());
  result.reserve(tensors.size() + 1);
  for (BoundTensor& tensor : tensors) {
    if (!tensor.touched()) continue;
    result.push_back({tensor.use->argument, tensor.begin, tensor.end, std::move(tensor.allocation)});
  }
  if (workspace) result.push_back(*std::move(workspace));
  return result;
}

// "self FLOAT [2,3,8,8], out FLOAT [2,3,4,4]"
std::string tensors_in_words(const PlannedCall& call) {
  std::string words;
  for (const TensorUse& use : call.tensors) {
    if (use.desc == nullptr) continue;  // an optional one that was not given
    if (!words.empty()) words += ", ";
    words.append(use.argument).append(" ").append(text_of(use.desc->type)).append(" ");
    words += text_of(use.desc->dims);
  }
  return words;
}

// The memory that a call touches, as tools see it.
class Touches {
 public:
  Touches(const PlannedCall& call, const BoundTensors& tensors, const void* workspace, std::uint64_t size) {
    shapes_.reserve(tensors.size());  // footprints point at them
    for (const BoundTensor& tensor : tensors) add(tensor);
    const std::uint64_t used = std::min(call.workspace_asked, size);
    if (workspace == nullptr || used == 0) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(workspace);
    footprints_.push_back({"workspace", Access::kUpdate, Place::kOurs, begin, begin, begin + used});
  }
  Touches(const Touches&) = delete;
  Touches& operator=(const Touches&) = delete;

  std::span<const Footprint> all() const { return footprints_; }

 private:
  void add(const BoundTensor& tensor) {
    const TensorUse& use = *tensor.use;
    if (use.desc == nullptr) return;
    const std::optional<ByteRange> range = byte_range(*use.desc);
    const std::shared_ptr<const TensorDesc> current = find_tensor(use.tensor);  // of an unused one
    const void* base = tensor.base != nullptr || current == nullptr ? tensor.base : current->address;
    if (!range || range->begin == range->end || base == nullptr) return;
    shapes_.push_back({use.desc->dims, use.desc->strides, element_size(use.desc->type), use.desc->type});
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    footprints_.push_back({use.argument, use.access, Place::kOurs, address,
                           address + static_cast<std::uintptr_t>(range->begin),
                           address + static_cast<std::uintptr_t>(range->end), &shapes_.back()});
  }

  std::vector<ViewShape> shapes_;
  std::vector<Footprint> footprints_;
};

// Where kernels find what the program has at an address.
void* for_kernels(void* address, const std::optional<Allocation>& memory) {
  if (!memory || memory->to_kernel == 0) [[likely]]
    return address;
  return static_cast<std::byte*>(address) + memory->to_kernel;
}

// Saturates: strides of 0 make tensors of any size.
std::uint64_t bytes_to_go_over(const PlannedCall& call) {
  std::uint64_t sum = call.workspace_size;
  for (const TensorUse& use : call.tensors) {
    if (use.desc == nullptr || use.access == Access::kGather || use.access == Access::kUnused) continue;
    auto bytes = static_cast<std::uint64_t>(element_size(use.desc->type));
    for (const std::int64_t size : use.desc->dims) {
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) return UINT64_MAX;
    }
    if (__builtin_add_overflow(sum, bytes, &sum)) return UINT64_MAX;
  }
  return sum;
}

Status queue(const PlannedCall& call, BoundTensors& tensors, void* workspace,
             std::optional<Operand>& workspace_operand, void* stream, std::span<const Footprint> touches,
             Scratch& scratch) {
  std::pmr::vector<void*> addresses(scratch.get());
  addresses.reserve(tensors.size());
  for (const BoundTensor& tensor : tensors) addresses.push_back(for_kernels(tensor.base, tensor.allocation));
  PlanBytes plan = call.plan;
  call.bind(plan.data(), addresses.data(),
            workspace_operand ? for_kernels(workspace, workspace_operand->allocation) : workspace);
  std::pmr::vector<Operand> touched = operands(tensors, workspace_operand, scratch);
  const auto describe = [&call] { return tensors_in_words(call); };
  const Status status = cairn_runtime_bridge().launch(
      stream, {*call.kernel, plan.data(), plan.size(), touched, call.product,
               FunctionRef<std::string()>(describe), touches, bytes_to_go_over(call)});
  if (status == OK || status == ACLNN_ERR_PARAM_INVALID) return status;
  // The runtime has said why; this line adds for which operator.
  return refuse(call, text("could not be queued (aclError ", status, ")"), ACLNN_ERR_RUNTIME_ERROR);
}

}  // namespace

Status run_call(const PlannedCall& call, void* const* addresses, void* workspace,
                std::uint64_t workspace_size, void* stream) {
  if (const Status status = check_workspace(call, workspace, workspace_size, stream); status != OK)
    return status;
  if (call.empty) return OK;

  Scratch scratch;
  BoundTensors tensors(call.tensors.size(), scratch.get());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    void* const* const given = addresses == nullptr ? nullptr : addresses + i;
    if (const Status status = bind_tensor(call, call.tensors[i], given, tensors[i]); status != OK)
      return status;
  }
  std::unique_ptr<const Touches> touches;  // for tools, when one watches
  if (Observer* watcher = observer()) [[unlikely]] {
    touches = std::make_unique<const Touches>(call, tensors, workspace, workspace_size);
    watcher->operands(call.kernel->name, stream, touches->all());
  }
  for (BoundTensor& tensor : tensors) {
    if (const Status status = check_memory(call, tensor); status != OK) return status;
  }
  if (const Status status = check_overlap(call, tensors); status != OK) return status;
  std::optional<Operand> workspace_operand;
  if (const Status status = check_workspace_memory(call, workspace, tensors, workspace_operand); status != OK)
    return status;
  return queue(call, tensors, workspace, workspace_operand, stream,
               touches != nullptr ? touches->all() : std::span<const Footprint>(), scratch);
}

}  // namespace cairn
