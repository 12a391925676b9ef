#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "check/model.h"

namespace cairn::check {
namespace {

// A block whose work nobody ever waits for must not fill the memory.
constexpr std::size_t kMostUses = 4096;

const char* verb(Access access) { return writes(access) ? "write" : "read"; }

std::string hazard(Access later, Access earlier) {
  const std::string after = writes(later) ? "write" : "read";
  return after + " after " + verb(earlier);
}

std::string bytes_at(const Footprint& touch) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%zu bytes at 0x%zx", touch.end - touch.begin,
                static_cast<std::size_t>(touch.begin));
  return text.data();
}

}  // namespace

void Model::made_stream(const StreamInfo& stream) {
  const auto place = static_cast<std::size_t>(stream.id);
  if (place >= streams_.size()) streams_.resize(place + 1);
  streams_[place] = {stream, true, here(), nullptr, 0};
  stream_ids_[stream.handle] = stream.id;
  objects_[stream.handle] = {.kind = HandleKind::kStream, .made = here()};
  wrapped_streams_ |= stream.kind == StreamKind::kWrapped;
}

std::uint64_t Model::queued(const Work& work) {
  ++work_;
  StreamRecord& stream = streams_[static_cast<std::size_t>(work.stream)];
  if (work.kind == WorkKind::kWait) wait_in_stream(work);
  const Epoch epoch = order_.queue(work.stream);
  switch (work.kind) {
    case WorkKind::kWait:
      return work_;
    case WorkKind::kRecord:
      order_.record(work.event, epoch);
      return work_;
    case WorkKind::kReset:
      order_.reset(work.event);
      return work_;
    case WorkKind::kHostFunction:
      order_.host_function_queued(work.stream);
      host_functions_[work_] = {epoch, numbered_call()};
      return work_;
    case WorkKind::kOperator:
    case WorkKind::kCopy:
    case WorkKind::kFill:
      break;
  }
  const CallPtr call = numbered_call();
  stream.last_work = call;
  stream.last_number = epoch.number;
  if (work.kind == WorkKind::kOperator) {
    ++operator_count_;
    operators_[work_] = call;
    run_operator(work, call);
  } else {
    copy_bytes(work.touches);
  }
  for (const Footprint& touch : work.touches) use_in_stream(epoch, touch, call);
  return work_;
}

void Model::forget_known(Block& block) {
  std::erase_if(block.uses, [&](const Use& use) { return order_.host_knows_of(use.epoch); });
}

void Model::use_in_stream(const Epoch& epoch, const Footprint& touch, const CallPtr& call) {
  Block* const block = touch.access == Access::kUnused ? nullptr : blocks_.find(touch.begin);
  if (block == nullptr || streams_[static_cast<std::size_t>(epoch.stream)].info.kind == StreamKind::kWrapped)
    return;
  forget_known(*block);
  const View view(touch);
  for (const Use& use : block->uses) {
    const bool conflicts = writes(use.access) || writes(touch.access);
    if (!conflicts || epoch.comes_after(use.epoch) || epoch.uncertain || use.epoch.uncertain) continue;
    if (!view.overlaps(use.view)) continue;
    report_race(epoch, touch, call, use);
    break;
  }
  // What this use comes after and covers, no later one can meet without meeting this one.
  std::erase_if(block->uses, [&](const Use& use) {
    if (!epoch.comes_after(use.epoch)) return false;
    if (writes(touch.access))
      return view.dense() && view.begin() <= use.view.begin() && use.view.end() <= view.end();
    return use.epoch.stream == epoch.stream && !writes(use.access) && use.view == view;
  });
  if (block->uses.size() == kMostUses) return;
  block->uses.push_back({epoch, touch.access, view, touch.argument, call});
  if (block->watched) close_to_program(*block, block->uses.back());
}

void Model::report_race(const Epoch& epoch, const Footprint& touch, const CallPtr& call, const Use& other) {
  const std::string mine = stream_name(epoch.stream);
  const std::string theirs = stream_name(other.epoch.stream);
  std::string fix = "aclrtRecordEvent(event, " + theirs + ") after " + place_apart(other.call, call) +
                    " and aclrtStreamWaitEvent(" + mine + ", event) before " + place_apart(call, other.call);
  // What lies there is nobody's result: a second block does as well, and nothing has to wait.
  if (std::string_view(touch.argument) == "workspace" && std::string_view(other.argument) == "workspace")
    fix = "a workspace for each stream; or " + fix;
  report({.rule = RuleId::race_between_streams,
          .message = call->with_number() + " on " + mine + " " + verb(touch.access) + "s " + touch.argument +
                     ", " + bytes_at(touch) + ", which " + other.call->with_number() + " on " + theirs + " " +
                     verb(other.access) + "s as " + other.argument + ": nothing orders the two (" +
                     hazard(touch.access, other.access) + ")",
          .others = {{"other", other.call, false}},
          .fix = std::move(fix)});
}

void Model::touched_now(std::span<const Footprint> touches) {
  copy_bytes(touches);
  for (const Footprint& touch : touches) use_now(touch);
}

void Model::use_now(const Footprint& touch) {
  Block* const block = blocks_.find(touch.begin);
  if (block == nullptr) return;
  forget_known(*block);
  const std::optional<Epoch>& inside = thread_frame().host_function;
  const View view(touch);
  for (const Use& use : block->uses) {
    if (!writes(use.access) && !writes(touch.access)) continue;
    if (inside && use.epoch.comes_after(*inside)) continue;  // queued behind this host function
    if (use.epoch.uncertain) continue;                       // one before it may wait for this
    if (!view.overlaps(use.view)) continue;
    const bool reads = !writes(touch.access);
    report({.rule = reads ? RuleId::read_before_synchronise : RuleId::write_before_synchronise,
            .message = std::string(here()->function) + " " + verb(touch.access) + "s " + touch.argument +
                       ", " + bytes_at(touch) + ", that " + use.call->with_number() + " on " +
                       stream_name(use.epoch.stream) + " has yet to " + verb(use.access) + " as " +
                       use.argument,
            .others = {{"queued", use.call}},
            .fix = "aclrtSynchronizeStream, or aclrtSynchronizeEvent on an event recorded after " +
                   place_of(use.call)});
    return;
  }
}

void Model::releasing(const void* begin) {
  Block* const block = blocks_.find(reinterpret_cast<std::uintptr_t>(begin));
  if (block == nullptr) return;
  forget_known(*block);
  const CallPtr call = here();
  const std::string who = call->with_arguments() + ": ";
  if (block->device_has_ended && block->kind == MemoryKind::kDevice) {
    report({.rule = RuleId::memory_after_reset,
            .message = who + "aclrtResetDevice has ended the device of this memory",
            .others = {{"memory", block->made}}});
  }
  if (!block->uses.empty()) {
    const Use& use = block->uses.back();
    report({.rule = RuleId::use_after_free_in_stream,
            .message = who + std::to_string(block->requested) + " bytes that " + use.call->with_number() +
                       " on " + stream_name(use.epoch.stream) + " may still " + verb(use.access) + " as " +
                       use.argument,
            .others = {{"queued", use.call}},
            .npu = std::string(call->function) + " does not wait; the work " + verb(use.access) +
                   "s what lies there next, or 507015",
            .fix = "aclrtSynchronizeStream before " + place_of(call) +
                   (block->kind == MemoryKind::kDevice ? ", or aclrtFreeWithDevSync" : "")});
  }
  doubt_element_size(*block);
  block->freed = call;
  block->uses.clear();
}

void Model::wait_in_stream(const Work& work) {
  if (order_.wait(work.stream, work.event)) return;
  const auto event = objects_.find(work.event);
  if (event == objects_.end()) return;
  const bool reusable = std::string_view(event->second.made->function) == "aclrtCreateEventExWithFlag";
  report({.rule = RuleId::wait_for_unrecorded_event,
          .message = here()->with_arguments() + ": the event has not been recorded yet",
          .others = {{"made", event->second.made, false}},
          .level = reusable ? Level::kNote : Level::kWarning});
}

void Model::host_function(std::uint64_t call, bool begins) {
  const auto found = host_functions_.find(call);
  if (found == host_functions_.end()) return;
  ThreadFrame& frame = thread_frame();
  if (begins) {
    order_.host_knows_before(found->second.first);
    if (!closed_.empty()) open_to_program();
    frame.host_function = found->second.first;
    enter_host_function(call);
    return;
  }
  report_host_accesses();
  enter_host_function(0);
  order_.host_function_ended(found->second.first);
  frame.host_function.reset();
  host_functions_.erase(found);
}

void Model::check_in_host_function(const ApiCall& call) {
  const std::string_view name = call.function;
  const bool launches = name.starts_with("aclnn") && !name.ends_with("GetWorkspaceSize");
  const bool forbidden = launches || name.starts_with("aclrtMalloc") || name.starts_with("aclrtFree") ||
                         name.starts_with("aclrtSynchronize") || name.ends_with("Async") ||
                         name == "aclrtLaunchHostFunc";
  if (!forbidden) return;
  report({.rule = RuleId::forbidden_in_callback,
          .message = std::string(name) + " is called from a host function of " +
                     stream_name(thread_frame().host_function->stream)});
  thread_frame().explained = false;  // the call may fail for a reason of its own
}

void Model::explain_context() {
  const ThreadFrame& frame = thread_frame();
  report({.rule = RuleId::stream_of_another_context,
          .message = frame.message,
          .others = {{"current context", frame.context_set}}});
}

void Model::report_unwaited() {
  for (const StreamRecord& stream : streams_) {
    if (stream.last_work == nullptr || stream.info.kind == StreamKind::kWrapped) continue;
    if (order_.known(stream.info.id) >= stream.last_number) continue;
    report({.rule = RuleId::work_never_waited_for,
            .message = stream.last_work->with_number() + " on " + stream_name(stream.info.id) +
                       ": nothing has waited for it",
            .at = stream.last_work});
  }
}

}  // namespace cairn::check
