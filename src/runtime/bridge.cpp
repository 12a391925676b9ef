#include "runtime/bridge.h"

#include "runtime/reach.h"
#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

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
      if (log_enabled(LogLevel::kInfo)) {
        log(LogLevel::kInfo, std::string(kernel.name) + " on stream " + std::to_string(found->id));
      }
      if (const Status status = found->queue->launch(kernel, launch.plan, launch.plan_size)) return status;
      thread_state().last_call = {kernel, launch.product, found->backend->name(), found->device};
      return ACL_SUCCESS;
    });
  }

  std::optional<Allocation> find_allocation(const void* address) const override {
    return State::get()
        .memory()
        .ask(address,
             [](const Block& block) -> std::optional<Allocation> {
               if (block.kind == MemoryKind::kRegistered) return std::nullopt;
               const bool on_device = block.kind == MemoryKind::kDevice;
               return Allocation{block.begin, block.bytes, on_device ? block.owner.get() : nullptr,
                                 block.device};
             })
        .value_or(std::nullopt);
  }

  std::size_t live_objects() const override {
    return State::get().handles().live() + State::get().memory().count();
  }
};

}  // namespace
}  // namespace cairn

const cairn::RuntimeBridge& cairn_runtime_bridge() {
  static constexpr cairn::Bridge kBridge;
  return kBridge;
}
