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
  const TensorUse* use = nullptr;
  void* base = nullptr;
  bool live = true;
  Operand* memory = nullptr;  // null: none of it is touched

  bool touched() const { return memory != nullptr; }
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
using Operands = std::pmr::vector<Operand>;

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
Status check_bounds(const PlannedCall& call, const void* base, const Operand& operand) {
  const auto& [argument, begin, end, memory] = operand;
  if (memory && memory->holds(begin, end)) [[likely]]
    return OK;
  std::optional<Allocation> left;
  if (!memory && begin != reinterpret_cast<std::uintptr_t>(base))
    left = cairn_runtime_bridge().find_allocation(base, 1);
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

// Where the tensors lie: at the addresses given, or else where their descriptors say now.
void find_bases(const PlannedCall& call, void* const* given, BoundTensors& tensors) {
  HandleTable::Glance glance(objects());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    BoundTensor& bound = tensors[i];
    bound.use = &call.tensors[i];
    if (bound.use->access == Access::kUnused) continue;
    if (given != nullptr) {
      bound.base = given[i];
      continue;
    }
    const std::shared_ptr<void>* desc = glance.at(bound.use->tensor, HandleKind::kTensor);
    bound.live = desc != nullptr;
    if (bound.live) bound.base = static_cast<const TensorDesc*>(desc->get())->address;
  }
}

// `operands` has room for one more.
Status bind_tensor(const PlannedCall& call, BoundTensor& bound, Operands& operands) {
  const TensorUse& use = *bound.use;
  if (use.access == Access::kUnused) return OK;
  if (!bound.live) return wrong_handle(call.kernel->name, use.argument, use.tensor, HandleKind::kTensor);
  const std::optional<ByteRange>& range = use.desc->extent.range;
  if (range && range->begin == range->end) return OK;
  if (bound.base == nullptr) {
    return refuse(call,
                  text(use.argument, "'s data address is null, but its elements are ",
                       bound.written() ? "written" : "read"),
                  ACLNN_ERR_PARAM_NULLPTR);
  }
  const auto base = reinterpret_cast<std::uintptr_t>(bound.base);
  std::uintptr_t end = 0;
  if (!range || __builtin_add_overflow(base, static_cast<std::uintptr_t>(range->end), &end)) {
    return refuse(call, text(use.argument, " reaches past the end of the address space"));
  }
  bound.memory =
      &operands.emplace_back(Operand{use.argument, base + static_cast<std::uintptr_t>(range->begin), end});
  return OK;
}

Status check_memory(const PlannedCall& call, const BoundTensor& bound) {
  if (!bound.touched()) return OK;
  // Complex numbers are pairs: none needs more than eight bytes.
  const auto alignment =
      static_cast<std::uintptr_t>(std::min<std::int64_t>(element_size(bound.use->desc->type), 8));
  if (bound.memory->begin % alignment != 0) {
    return refuse(call, text(bound.use->argument, "'s data address (", bound.base, ") is not aligned to its ",
                             alignment, "-byte elements"));
  }
  return check_bounds(call, bound.base, *bound.memory);
}

Status check_overlap(const PlannedCall& call, const BoundTensors& tensors) {
  for (const BoundTensor& output : tensors) {
    if (!output.written() || !output.touched()) continue;
    for (const BoundTensor& other : tensors) {
      // Each pair of outputs is looked at once.
      if (!other.touched() || (other.written() && &other <= &output)) continue;
      if (output.memory->end <= other.memory->begin || other.memory->end <= output.memory->begin) continue;
      if (views_overlap(*output.use->desc, output.base, *other.use->desc, other.base)) {
        return refuse(call, text(output.use->argument, " overlaps ", other.use->argument,
                                 " in memory, expected memory of its own"));
      }
    }
  }
  return OK;
}

// Adds it to the operands, which have room for one more.
Status check_workspace_memory(const PlannedCall& call, const void* workspace, const BoundTensors& tensors,
                              Operands& operands) {
  if (call.workspace_size == 0) return OK;
  const auto begin = reinterpret_cast<std::uintptr_t>(workspace);
  std::uintptr_t end = 0;
  if (__builtin_add_overflow(begin, call.workspace_size, &end)) {
    return refuse(call, "workspace reaches past the end of the address space");
  }
  Operand& operand = operands.emplace_back(Operand{"workspace", begin, end});
  cairn_runtime_bridge().find_allocations({&operand, 1});
  // First: what lies past its end is an overlap only by chance.
  if (const Status status = check_bounds(call, workspace, operand); status != OK) return status;
  for (const BoundTensor& tensor : tensors) {
    if (tensor.touched() && tensor.memory->begin < end && begin < tensor.memory->end) {
      return refuse(
          call, text("workspace overlaps ", tensor.use->argument, " in memory, expected memory of its own"));
    }
  }
  return OK;
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
    const std::optional<ByteRange>& range = use.desc->extent.range;
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

// Where kernels find what the program has at an address; null: memory that is not touched.
void* for_kernels(void* address, const Operand* memory) {
  if (memory == nullptr || !memory->allocation || memory->allocation->to_kernel == 0) [[likely]]
    return address;
  return static_cast<std::byte*>(address) + memory->allocation->to_kernel;
}

// Saturates.
std::uint64_t bytes_to_go_over(const PlannedCall& call) {
  std::uint64_t sum = call.workspace_size;
  for (const TensorUse& use : call.tensors) {
    if (use.desc == nullptr || use.access == Access::kGather || use.access == Access::kUnused) continue;
    if (__builtin_add_overflow(sum, use.desc->extent.bytes, &sum)) return UINT64_MAX;
  }
  return sum;
}

Status queue(const PlannedCall& call, const BoundTensors& tensors, void* workspace, Operands& operands,
             void* stream, std::span<const Footprint> touches, Scratch& scratch) {
  std::pmr::vector<void*> addresses(scratch.get());
  addresses.reserve(tensors.size());
  for (const BoundTensor& tensor : tensors) addresses.push_back(for_kernels(tensor.base, tensor.memory));
  PlanBytes plan = call.plan;
  call.bind(plan.data(), addresses.data(),
            for_kernels(workspace, call.workspace_size == 0 ? nullptr : &operands.back()));
  const auto describe = [&call] { return tensors_in_words(call); };
  const Status status = cairn_runtime_bridge().launch(
      stream, {*call.kernel, plan.data(), plan.size(), operands, call.product,
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
  Operands operands(scratch.get());
  operands.reserve(tensors.size() + 1);  // and the workspace
  find_bases(call, addresses, tensors);
  for (BoundTensor& tensor : tensors) {
    if (const Status status = bind_tensor(call, tensor, operands); status != OK) return status;
  }
  std::unique_ptr<const Touches> touches;  // for tools, when one watches
  if (Observer* watcher = observer()) [[unlikely]] {
    touches = std::make_unique<const Touches>(call, tensors, workspace, workspace_size);
    watcher->operands(call.kernel->name, stream, touches->all());
  }
  cairn_runtime_bridge().find_allocations(operands);
  for (const BoundTensor& tensor : tensors) {
    if (const Status status = check_memory(call, tensor); status != OK) return status;
  }
  if (const Status status = check_overlap(call, tensors); status != OK) return status;
  if (const Status status = check_workspace_memory(call, workspace, tensors, operands); status != OK)
    return status;
  return queue(call, tensors, workspace, operands, stream,
               touches != nullptr ? touches->all() : std::span<const Footprint>(), scratch);
}

}  // namespace cairn
