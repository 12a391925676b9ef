#include "runtime/bridge.h"

#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

class Bridge final : public RuntimeBridge {
 public:
  void report_error(Status status, std::string_view message) const override { report(status, message); }

  void warn(std::string_view message) const override { log(LogLevel::kWarn, message); }

  Status launch(void* stream, const Kernel& kernel, const void* plan, std::size_t plan_size) const override {
    return entry(kernel.name, [&](const Call& call) -> Status {
      std::shared_ptr<Stream> found;
      if (const Status status = use_stream(call, stream, found)) return status;
      if (log_enabled(LogLevel::kInfo)) {
        log(LogLevel::kInfo, std::string(kernel.name) + " on stream " + std::to_string(found->id));
      }
      return found->queue->launch(kernel, plan, plan_size);
    });
  }

  std::optional<Allocation> find_allocation(const void* address) const override {
    const std::optional<Block> block = State::get().memory().find(address);
    if (!block || block->kind == MemoryKind::kRegistered) return std::nullopt;
    return Allocation{block->begin, block->bytes};
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
