#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "check/finding.h"
#include "check/host_access.h"
#include "check/options.h"
#include "check/records.h"
#include "check/reporter.h"
#include "observe/observer.h"

namespace cairn::check {

// What a thread is at.
struct ThreadFrame {
  int depth = 0;
  ApiCall outermost{};
  const ApiCall* call = nullptr;  // that one, while there is one
  CallPtr record;                 // made when it is first asked for
  Status said = 0;
  std::string message;
  bool explained = false;       // a rule has said what is wrong with this call
  std::string unknown_operand;  // a tensor in memory that is nobody's: wrong if the runtime refuses it
  std::optional<Epoch> host_function;
  CallPtr context_set;  // the call that chose the current context
};
ThreadFrame& thread_frame();

// A report before it is put into words.
struct Draft {
  struct Other {
    const char* what;
    CallPtr call;
    bool with_arguments = true;
    std::string more = {};
  };

  RuleId rule;
  std::string message;
  std::vector<Other> others = {};
  std::string npu = {};  // empty: the rule's
  std::string fix = {};
  std::optional<Level> level = std::nullopt;
  CallPtr at = nullptr;  // null: the current call
  std::uint64_t count = 1;
};

// A model of what the program has asked for, updated in the order of its calls: it never looks at what ran
// when, so that what it says does not depend on timing. One lock around all of it, taken by the checker.
class Model {
 public:
  explicit Model(const Options& options, bool is_child = false)
      : options_(options), reporter_(options, is_child) {}

  void begin(const ApiCall& call);
  void end(const ApiCall& call);
  void said(Status status, std::string_view message);
  void made(HandleKind kind, const void* handle);
  void owned(const void* owner, const void* handle);
  void ended(HandleKind kind, const void* handle);
  void wrong_handle(const char* argument, const void* handle, HandleKind expected);
  void made_stream(const StreamInfo& stream);
  void device_ended(std::int32_t device);
  void allocated(const Memory& memory);
  void releasing(const void* begin);
  void given_back(const void* begin);
  // The program has touched memory that it cannot, and ends.
  void crashed(const HostAccess& access) noexcept;
  void watched_memory(MemoryKind kind, const void* begin, std::size_t bytes);
  void planned(const Planned& plan);
  void workspace(const GivenWorkspace& given);
  void operands(const char* name, const void* stream, std::span<const Footprint> touches);
  void copying(std::span<const Footprint> touches);
  std::uint64_t queued(const Work& work);
  void touched_now(std::span<const Footprint> touches);
  void host_function(std::uint64_t call, bool begins);
  std::uint64_t position(std::int32_t stream) { return order_.position(stream); }
  void host_knows(std::int32_t stream, std::uint64_t number);
  void host_knows_event(const void* event);
  void region_registered(const Region& region);
  void region_unregistered(const void* handle, const void* begin);
  void heap_unregistered(const void* heap);
  void faulted(std::uint64_t call, std::int32_t stream, Status status, std::string_view message);
  // What is left over; the number of errors of the whole run.
  std::uint64_t finish(int exit_code);

  const std::vector<Finding>& findings() const { return reporter_.findings(); }
  bool has_found(RuleId id) const { return reporter_.has_found(id); }

  std::mutex mutex;

 private:
  // reporting.cpp
  CallPtr here();
  void report(Draft draft);
  std::string arguments_of(const ApiCall& call);
  std::string text_of(const ApiValue& value, std::string_view name);
  std::string stream_name(std::int32_t stream) const { return "stream " + std::to_string(stream); }
  std::string place_of(const CallPtr& call) { return place_text(resolve(call->stack)); }
  // The same, but the place at which it parts from another call through the same helpers.
  std::string place_apart(const CallPtr& call, const CallPtr& from);
  CallPtr numbered_call();

  bool takes_any_memory(std::int32_t stream) const {
    const StreamKind kind = streams_[static_cast<std::size_t>(stream)].info.kind;
    return kind == StreamKind::kCpu || kind == StreamKind::kInline;
  }

  // memory_rules.cpp
  void check_tensor(const char* name, const Footprint& touch, bool any_memory);
  void check_padding(const std::string& who, const Footprint& touch, const Block& block);
  void check_copied(const Footprint& touch);
  void check_kind(std::span<const Footprint> touches);
  void explain_free(const ApiCall& call);
  bool is_freed_or_reset(const std::string& who, Block& block, const Footprint& touch);

  // region_rules.cpp
  bool check_regions(const std::string& who, const Footprint& touch);
  void note_piece(const Footprint& touch, Block& block, const CallPtr& call);
  void check_distance(const Piece& lower, const Piece& upper);

  // host_access_rules.cpp
  void report_host_accesses();
  void report_access_to_device(const HostAccess& access, bool goes_on);
  void report_access_to_pinned(const HostAccess& access, const Block& block);
  void close_to_program(const Block& block, const Use& use);
  void open_to_program();

  // order_rules.cpp
  void use_in_stream(const Epoch& epoch, const Footprint& touch, const CallPtr& call);
  void use_now(const Footprint& touch);
  void forget_known(Block& block);
  void report_race(const Epoch& epoch, const Footprint& touch, const CallPtr& call, const Use& other);
  void wait_in_stream(const Work& work);
  void explain_context();
  void check_in_host_function(const ApiCall& call);
  void report_unwaited();

  // init_rules.cpp
  void read_elements(const Footprint& touch, Block& block, const std::string& who);
  void write_bytes(const Footprint& touch, Block& block);
  void copy_bytes(std::span<const Footprint> touches);
  void check_download(const Footprint& from, Block& block);
  void run_operator(const Work& work, const CallPtr& call);
  void note_tensor(const Footprint& touch, Block& block, const CallPtr& call);
  void doubt_element_size(const Block& block);

  // lifetime_rules.cpp
  void explain_handles(const ApiCall& call);
  bool explain_handle(std::string_view argument, const void* handle, HandleKind expected);
  bool explain_executor(const ApiCall& call);
  void check_changed(const ApiCall& call);
  void note_changes(const ApiCall& call);

  // end_rules.cpp
  void explain_failure(const ApiCall& call);
  void report_leaks();
  void report_leaked_memory();

  const Options& options_;
  Reporter reporter_;
  Order order_;
  Blocks blocks_;
  std::map<std::uintptr_t, Piece>
      regions_;  // of mstx; what was unregistered stays until it overlaps a new one
  std::unordered_map<const void*, Object> objects_;
  std::vector<StreamRecord> streams_;
  std::unordered_map<const void*, std::int32_t> stream_ids_;
  std::unordered_map<std::uint64_t, std::pair<Epoch, CallPtr>> host_functions_;
  std::unordered_map<std::uint64_t, CallPtr> operators_;  // that may still fault
  std::uint64_t calls_ = 0;
  std::uint64_t operator_count_ = 0;
  std::uint64_t work_ = 0;
  std::uint64_t changes_ = 0;
  std::thread::id first_thread_;
  bool several_threads_ = false;
  bool wrapped_streams_ = false;
  std::set<std::uintptr_t> closed_;  // pinned blocks with pages that the program may not touch now
  bool host_accesses_missed_ = false;
  bool refused_at_exit_ = false;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace cairn::check
