#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <string>
#include <utility>

#include "check/model.h"

namespace cairn::check {
namespace {

// What a program may ask for and be refused without a mistake.
bool is_expected(std::string_view function, Status status) {
  constexpr std::array<Status, 8> kPolled = {100002, 107006, 107019, 107020, 107021, 507012, 507046, 507047};
  if (std::ranges::find(kPolled, status) != kPolled.end()) return true;
  constexpr Status kNoContext = 107002;
  return status == kNoContext && (function == "aclrtGetDevice" || function == "aclrtGetCurrentContext");
}

struct LeakRule {
  HandleKind kind;
  RuleId rule;
};
constexpr std::array kLeakRules = {
    LeakRule{HandleKind::kTensor, RuleId::leaked_tensor},
    LeakRule{HandleKind::kTensorList, RuleId::leaked_tensor_list},
    LeakRule{HandleKind::kExecutor, RuleId::leaked_executor},
    LeakRule{HandleKind::kStream, RuleId::leaked_stream},
    LeakRule{HandleKind::kEvent, RuleId::leaked_event},
    LeakRule{HandleKind::kContext, RuleId::leaked_context},
    LeakRule{HandleKind::kIntArray, RuleId::leaked_array},
    LeakRule{HandleKind::kFloatArray, RuleId::leaked_array},
    LeakRule{HandleKind::kBoolArray, RuleId::leaked_array},
    LeakRule{HandleKind::kScalar, RuleId::leaked_scalar},
    LeakRule{HandleKind::kScalarList, RuleId::leaked_scalar},
};

// Leaks of one kind and one place.
struct Leaks {
  CallPtr made;
  HandleKind kind{};
  std::uint64_t count = 0;
  std::uint64_t more = 0;  // bytes, or elements
};
using Key = std::pair<RuleId, std::vector<std::uintptr_t>>;

Key key_of(RuleId rule, const Stack& stack) { return {rule, {stack.all().begin(), stack.all().end()}}; }

std::string how_many(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void Model::begin(const ApiCall& call) {
  ThreadFrame& frame = thread_frame();
  if (frame.depth++ > 0) return;
  keep_handler();
  report_host_accesses();
  ++calls_;
  if (first_thread_ == std::thread::id()) first_thread_ = std::this_thread::get_id();
  several_threads_ |= first_thread_ != std::this_thread::get_id() && !frame.host_function;
  frame.outermost = call;  // its values live as long as the call
  frame.call = &frame.outermost;
  frame.record = nullptr;
  frame.said = 0;
  frame.explained = false;
  frame.unknown_operand.clear();
  if (frame.host_function) check_in_host_function(call);
}

void Model::end(const ApiCall& call) {
  ThreadFrame& frame = thread_frame();
  if (--frame.depth > 0) return;
  if (frame.said == 0) {
    note_changes(call);
  } else if (!frame.explained) {
    explain_failure(call);
  }
  frame.call = nullptr;
  frame.record = nullptr;
}

void Model::said(Status status, std::string_view message) {
  ThreadFrame& frame = thread_frame();
  if (frame.depth == 0) return;
  // The first sentence of a call says most; what follows says for whom.
  if (frame.said == 0) frame.message = message;
  frame.said = status;
}

void Model::explain_failure(const ApiCall& call) {
  constexpr Status kStreamContext = 107003;
  constexpr Status kInvalid = 161002;
  const std::string_view function = call.function;
  ThreadFrame& frame = thread_frame();
  if (is_expected(function, frame.said)) return;
  // A GPU takes no calls once exit has begun; an NPU's runtime may. What is still held then is no leak.
  constexpr Status kProcessEnds = 107023;
  if (frame.said == kProcessEnds) {
    refused_at_exit_ = true;
    return;
  }
  if (function.starts_with("aclrtFree")) explain_free(call);
  if (!frame.explained && frame.message.find("belongs to another context") != std::string::npos)
    explain_context();
  if (!frame.explained && frame.said == kInvalid && !frame.unknown_operand.empty()) {
    report({.rule = RuleId::host_memory_as_tensor,
            .message = std::string(function) + ": " + frame.unknown_operand +
                       ", which is no memory of aclrtMalloc"});
  }
  if (!frame.explained && frame.said != kStreamContext) explain_handles(call);
  if (frame.explained) return;
  const bool phase1 = function.ends_with("GetWorkspaceSize");
  report({.rule = phase1 ? RuleId::phase1_refused : RuleId::failed_call,
          .message = frame.message + "; answered " + std::to_string(frame.said)});
}

void Model::faulted(std::uint64_t call, std::int32_t stream, Status status, std::string_view message) {
  constexpr Status kIndexFault = 507035;
  if (status != kIndexFault) return;
  const auto found = operators_.find(call);
  const std::string where = stream >= 0 ? " on " + stream_name(stream) : "";
  report({.rule = RuleId::index_outside_plane,
          .message = std::string(message) + (found == operators_.end() ? where : ""),
          .others = {{"queued", found == operators_.end() ? nullptr : found->second, false}}});
}

void Model::report_leaked_memory() {
  if (refused_at_exit_) return;
  std::map<Key, Leaks> leaks;
  for (auto& [begin, block] : blocks_.all()) {
    if (block.freed != nullptr) continue;
    doubt_element_size(block);
    const RuleId rule =
        block.kind == MemoryKind::kDevice ? RuleId::leaked_device_memory : RuleId::leaked_host_memory;
    Leaks& group = leaks[key_of(rule, block.made->stack)];
    group.made = block.made;
    ++group.count;
    group.more += block.requested;
  }
  for (const auto& [key, group] : leaks) {
    const std::string what =
        key.first == RuleId::leaked_device_memory ? " of device memory" : " of host memory";
    report({.rule = key.first,
            .message = how_many(group.count, "block") + what + ", " + how_many(group.more, "byte") +
                       (group.count == 1 ? ", was" : ", were") + " never freed",
            .others = {{"made", group.made, false}},
            .at = group.made,
            .count = group.count});
  }
}

void Model::report_leaks() {
  if (refused_at_exit_) return;
  std::map<Key, Leaks> leaks;
  for (const auto& [handle, object] : objects_) {
    const auto rule = std::ranges::find(kLeakRules, object.kind, &LeakRule::kind);
    if (object.ended != nullptr || object.made == nullptr || rule == kLeakRules.end()) continue;
    const auto owner = objects_.find(object.owner);
    if (owner != objects_.end() && owner->second.ended == nullptr) continue;
    const auto stream = stream_ids_.find(handle);
    if (stream != stream_ids_.end() &&
        streams_[static_cast<std::size_t>(stream->second)].info.kind == StreamKind::kDefault)
      continue;
    Leaks& group = leaks[key_of(rule->rule, object.made->stack)];
    group.made = object.made;
    group.kind = object.kind;
    ++group.count;
    group.more += object.owns;
  }
  for (const auto& [key, group] : leaks) {
    std::string what = how_many(group.count, name_of(group.kind));
    if (group.more > 0) {
      const bool tensors = group.kind == HandleKind::kTensorList;
      what += " with " + how_many(group.more, tensors ? "tensor" : "element");
    }
    report({.rule = key.first,
            .message = what + (group.count == 1 ? " was" : " were") + " never destroyed",
            .others = {{"made", group.made, false}},
            .at = group.made,
            .count = group.count});
  }
}

std::uint64_t Model::finish(int exit_code) {
  report_host_accesses();
  report_unwaited();
  report_leaked_memory();
  for (const auto& [begin, block] : blocks_.all()) {
    if (block.touched || block.kind != MemoryKind::kDevice) continue;
    report({.rule = RuleId::unused_memory,
            .message = how_many(block.requested, "byte") + " of device memory were never used",
            .others = {{"memory", block.made}},
            .at = block.made});
  }
  report_leaks();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  RunInfo run{.program = program_invocation_name,
              .exit_code = exit_code,
              .calls = calls_,
              .operators = operator_count_};
  run.streams = static_cast<std::uint64_t>(std::ranges::count_if(
      streams_, [](const StreamRecord& stream) { return stream.last_work != nullptr; }));
  run.seconds = spent.count();
  if (wrapped_streams_) run.not_watched = "the order of wrapped CUDA streams";
  if (host_accesses_missed_) {
    if (!run.not_watched.empty()) run.not_watched += ", ";
    run.not_watched += "loads and stores in device memory (there is no room for a second view of it)";
  }
  return reporter_.finish(run);
}

}  // namespace cairn::check
