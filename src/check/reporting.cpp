#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <optional>

#include "check/arguments.h"
#include "check/model.h"

namespace cairn::check {
namespace {

constexpr std::array<const char*, 6> kCopyKinds = {
    "ACL_MEMCPY_HOST_TO_HOST",     "ACL_MEMCPY_HOST_TO_DEVICE", "ACL_MEMCPY_DEVICE_TO_HOST",
    "ACL_MEMCPY_DEVICE_TO_DEVICE", "ACL_MEMCPY_DEFAULT",        "ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE"};

// FNV-1a over the addresses: a name for what findings have in common.
std::uint64_t mix(std::uint64_t key, std::uint64_t value) { return (key ^ value) * 0x100000001b3; }

std::uint64_t mix(std::uint64_t key, const Stack& stack) {
  for (const std::uintptr_t frame : stack.all()) key = mix(key, frame);
  return key;
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::string thread_name() {
  std::array<char, 32> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return std::string(name.data()) + " (" + std::to_string(gettid()) + ")";
}

thread_local constinit ThreadFrame* t_frame = nullptr;

// The destructors of keys come after those of a thread's variables, which may still make calls; one that is
// set again meanwhile is called again.
std::optional<pthread_key_t> make_frame_key() {
  pthread_key_t key = 0;
  const int failed = pthread_key_create(&key, [](void* frame) {
    t_frame = nullptr;
    delete static_cast<ThreadFrame*>(frame);
  });
  if (failed != 0) return std::nullopt;  // the program has them all: then frames stay
  return key;
}

}  // namespace

ThreadFrame& thread_frame() {
  static const std::optional<pthread_key_t> key = make_frame_key();
  if (t_frame == nullptr) {
    t_frame = new ThreadFrame;
    if (key) pthread_setspecific(*key, t_frame);
  }
  return *t_frame;
}

CallPtr Model::here() {
  ThreadFrame& frame = thread_frame();
  if (frame.record != nullptr) return frame.record;
  auto record = std::make_shared<CallRecord>();
  record->stack = capture_stack();
  if (frame.call != nullptr) {
    record->function = frame.call->function;
    record->arguments = arguments_of(*frame.call);
  }
  frame.record = record;
  return record;
}

CallPtr Model::numbered_call() {
  auto numbered = std::make_shared<CallRecord>(*here());
  numbered->number = work_;
  return thread_frame().record = numbered;
}

std::string Model::text_of(const ApiValue& value, std::string_view name) {
  using Kind = ApiValue::Kind;
  switch (value.kind) {
    case Kind::kInt: {
      const auto number = static_cast<std::int64_t>(value.bits);
      if (name == "kind" && value.bits < kCopyKinds.size()) return kCopyKinds[value.bits];
      return std::to_string(number);
    }
    case Kind::kUnsigned:
      return std::to_string(value.bits);
    case Kind::kReal: {
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%g", std::bit_cast<double>(value.bits));
      return text.data();
    }
    case Kind::kFlag:
      return value.bits != 0 ? "true" : "false";
    case Kind::kText:
    case Kind::kAddress:
    case Kind::kHandle:
    case Kind::kOut:
      break;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): looked up, never followed
  const auto stream = stream_ids_.find(reinterpret_cast<const void*>(value.bits));
  if (stream != stream_ids_.end()) return stream_name(stream->second);
  if (value.bits == 0) return name == "stream" ? "the default stream" : "null";
  return hexadecimal(value.bits);
}

std::string Model::arguments_of(const ApiCall& call) {
  std::string text;
  for_each_argument(call, [&](std::string_view name, const ApiValue& value) {
    if (value.kind == ApiValue::Kind::kOut) return true;  // what the call answers with
    if (!text.empty()) text += ", ";
    text.append(name).append(" = ").append(text_of(value, name));
    return true;
  });
  return text;
}

std::string Model::place_apart(const CallPtr& call, const CallPtr& from) {
  std::vector<Frame> frames = resolve(call->stack);
  const std::vector<Frame> others = resolve(from->stack);
  const auto [mine, theirs] = std::ranges::mismatch(
      frames, others, [](const Frame& a, const Frame& b) { return a.file == b.file && a.line == b.line; });
  if (mine != frames.end()) frames.erase(frames.begin(), mine);
  return place_text(frames);
}

void Model::report(Draft draft) {
  thread_frame().explained = true;
  if (!reporter_.wants(draft.rule)) return;
  const Rule& of = rule(draft.rule);
  const CallPtr at = draft.at != nullptr ? draft.at : here();
  std::uint64_t key = mix(mix(0xcbf29ce484222325, static_cast<std::uint64_t>(draft.rule)), at->stack);
  if (!draft.others.empty() && draft.others.front().call != nullptr)
    key = mix(key, draft.others.front().call->stack);
  Finding finding{.rule = &of,
                  .level = draft.level.value_or(of.level),
                  .message = std::move(draft.message),
                  .call = at->function,
                  .stack = resolve(at->stack),
                  .npu = draft.npu.empty() ? of.npu : std::move(draft.npu),
                  .fix = draft.fix.empty() ? of.fix : std::move(draft.fix),
                  .thread = several_threads_ ? thread_name() : std::string(),
                  .count = draft.count};
  for (Draft::Other& other : draft.others) {
    if (other.call == nullptr) continue;
    finding.related.push_back(
        {other.what, other.with_arguments ? other.call->with_arguments() : other.call->with_number(),
         resolve(other.call->stack), std::move(other.more)});
  }
  reporter_.report(std::move(finding), key);
}

}  // namespace cairn::check
