#include "runtime/bridge.h"

#include <atomic>
#include <new>

#include "common/one_build.h"
#include "runtime/in_order.h"
#include "runtime/reach.h"
#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

// "aclnnX on stream 3 of cpu: self FLOAT [2,3], …; kernel bands (not pairs: windows overlap along W)"
std::string launch_text(const Launch& launch, const Stream& stream, const Choice& choice) {
  std::string text = std::string(launch.kernel.name) + " on stream " + std::to_string(stream.id) + " of " +
                     stream.backend->name();
  if (launch.describe) text += ": " + (*launch.describe)();
  text += std::string("; kernel ") + choice.candidate;
  if (!choice.reasons.empty()) text += " (not " + choice.reasons + ")";
  return text;
}

// The call is queued by now: a line that there is no memory for must not make it look refused.
void log_launch(const Launch& launch, const Stream& stream, const Choice& choice) {
  try {
    log(LogLevel::kInfo, launch_text(launch, stream, choice));
  } catch (const std::bad_alloc&) {
    // It is lost.
  }
}

// CAIRN_KERNEL may mean a kernel of another operator, so that it is only said, and once.
void warn_of_wish(const Kernel& kernel, const Stream& stream, const Choice& choice) {
  static constinit std::atomic<bool> said{false};
  if (!log_enabled(LogLevel::kWarn) || said.exchange(true)) return;
  try {
    log(LogLevel::kWarn, "CAIRN_KERNEL is \"" + std::string(candidate_wish()) + "\", but " + kernel.name +
                             " has no kernel of that name on " + stream.backend->name() + ", only " +
                             choice.others);
  } catch (const std::bad_alloc&) {
    // It is lost, as above.
  }
}

Allocation allocation_of(const Block& block) {
  return {block.begin,  block.bytes,  block.kind,     block.owner.get(),
          block.device, block.memory, block.to_kernel};
}

class Bridge final : public RuntimeBridge {
 public:
  void report_error(Status status, std::string_view message) const override { report(status, message); }

  void warn(std::string_view message) const override { log(LogLevel::kWarn, message); }

  Status launch(void* stream, const Launch& launch) const override {
    const Kernel& kernel = launch.kernel;
    return entry(kernel.name, [&](const Call& call) -> Status {
      std::shared_ptr<Stream> found;
      if (const Status status = begin_work(call, stream, found)) return status;
      if (const Status status = check_operands(call, *found, launch.operands)) return status;
      Leases leases;
      for (Operand& operand : launch.operands) {
        if (operand.allocation && operand.allocation->lease != nullptr)
          leases.push_back(std::move(operand.allocation->lease));
      }
      Choice choice{.bytes = launch.bytes, .explain = log_enabled(LogLevel::kInfo)};
      {
        const InOrder in_order(*found, WorkKind::kOperator, kernel.name, launch.touches);
        choice.call = in_order.call();
        if (const Status status =
                found->queue->launch(kernel, launch.plan, launch.plan_size, std::move(leases), choice))
          return status;
      }
      if (!choice.others.empty()) warn_of_wish(kernel, *found, choice);
      if (choice.explain) log_launch(launch, *found, choice);
      thread_state().last_call = {kernel, choice.candidate, launch.product, found->backend->name(),
                                  found->device};
      return ACL_SUCCESS;
    });
  }

  std::optional<Allocation> find_allocation(const void* begin, std::size_t bytes) const override {
    return State::get().memory().ask(begin, bytes, [](const Block& block) { return allocation_of(block); });
  }

  void find_allocations(std::span<Operand> operands) const override {
    State::get().memory().find_several([&](const auto& find) {
      for (Operand& operand : operands) {
        const Block* block = find(operand.first(), operand.end - operand.begin);
        if (block != nullptr) operand.allocation.emplace(allocation_of(*block));
      }
    });
  }

  std::size_t live_objects() const override {
    return State::get().handles().live() + State::get().memory().count();
  }
};

}  // namespace
}  // namespace cairn

const char CAIRN_ONE_BUILD = 0;

const cairn::RuntimeBridge& cairn_runtime_bridge() {
  static constexpr cairn::Bridge kBridge;
  return kBridge;
}
