#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

#include "check/model.h"
#include "observe/load.h"

namespace cairn::check {
namespace {

constinit std::atomic<int> g_exit_code{0};

// From the first call on: a handler from before main would run after our destructor, which needs the code.
void keep_exit_code() {
  static constinit std::atomic<bool> kept{false};
  if (kept.load(std::memory_order_relaxed) || kept.exchange(true)) return;
  on_exit([](int status, void*) { g_exit_code = status; }, nullptr);
}

void tell_of_crash(const HostAccess& access);

// Passes events on to the model, under its lock. A child of fork() gets a new model.
class Checker final : public Observer {
 public:
  explicit Checker(Options options) : options_(std::move(options)), model_(new Model(options_)) {}

  void begin(const ApiCall& call) noexcept override {
    keep_exit_code();
    with([&](Model& model) { model.begin(call); });
  }
  void end(const ApiCall& call) noexcept override {
    with([&](Model& model) { model.end(call); });
  }
  void said(Status status, std::string_view message) noexcept override {
    with([&](Model& model) { model.said(status, message); });
  }
  void made(HandleKind kind, const void* handle) noexcept override {
    with([&](Model& model) { model.made(kind, handle); });
  }
  void owned(const void* owner, const void* handle) noexcept override {
    with([&](Model& model) { model.owned(owner, handle); });
  }
  void ended(HandleKind kind, const void* handle) noexcept override {
    with([&](Model& model) { model.ended(kind, handle); });
  }
  void wrong_handle(const char* argument, const void* handle, HandleKind expected) noexcept override {
    with([&](Model& model) { model.wrong_handle(argument, handle, expected); });
  }
  void made_stream(const StreamInfo& stream) noexcept override {
    with([&](Model& model) { model.made_stream(stream); });
  }
  void device_ended(std::int32_t device) noexcept override {
    with([&](Model& model) { model.device_ended(device); });
  }
  void allocated(const Memory& memory) noexcept override {
    with([&](Model& model) { model.allocated(memory); });
    if (memory.shared && memory.kind == MemoryKind::kDevice && wants_host_accesses(memory.kind))
      catch_crashes(&tell_of_crash);
  }
  void releasing(const void* begin) noexcept override {
    with([&](Model& model) { model.releasing(begin); });
  }
  void given_back(const void* begin) noexcept override {
    with([&](Model& model) { model.given_back(begin); });
  }
  bool wants_host_accesses(MemoryKind kind) noexcept override {
    if (kind == MemoryKind::kDevice) return is_on(RuleId::host_touches_device_memory);
    return is_on(RuleId::read_before_synchronise) || is_on(RuleId::write_before_synchronise);
  }
  void watched_memory(MemoryKind kind, const void* begin, std::size_t bytes) noexcept override {
    with([&](Model& model) { model.watched_memory(kind, begin, bytes); });
  }
  std::optional<std::uint8_t> poison() noexcept override { return options_.poison; }
  bool busy() noexcept override { return events_under_way_.load(std::memory_order_relaxed) > 0; }
  QueueTiming timing() noexcept override { return options_.timing; }
  std::uint64_t wanted_workspace(std::uint64_t need) noexcept override { return need + options_.workspace; }
  void planned(const Planned& plan) noexcept override {
    with([&](Model& model) { model.planned(plan); });
  }
  void workspace(const GivenWorkspace& given) noexcept override {
    with([&](Model& model) { model.workspace(given); });
  }
  void operands(const char* name, const void* stream, std::span<const Footprint> touches) noexcept override {
    with([&](Model& model) { model.operands(name, stream, touches); });
  }
  void copying(std::span<const Footprint> touches) noexcept override {
    with([&](Model& model) { model.copying(touches); });
  }
  std::uint64_t queued(const Work& work) noexcept override {
    std::uint64_t number = 0;
    with([&](Model& model) { number = model.queued(work); });
    return number;
  }
  void touched_now(std::span<const Footprint> touches) noexcept override {
    with([&](Model& model) { model.touched_now(touches); });
  }
  void host_function(std::uint64_t call, bool begins) noexcept override {
    with([&](Model& model) { model.host_function(call, begins); });
  }
  std::uint64_t position(std::int32_t stream) noexcept override {
    std::uint64_t number = 0;
    with([&](Model& model) { number = model.position(stream); });
    return number;
  }
  void host_knows(std::int32_t stream, std::uint64_t position) noexcept override {
    with([&](Model& model) { model.host_knows(stream, position); });
  }
  void host_knows_event(const void* event) noexcept override {
    with([&](Model& model) { model.host_knows_event(event); });
  }
  void faulted(std::uint64_t call, std::int32_t stream, Status status,
               std::string_view message) noexcept override {
    with([&](Model& model) { model.faulted(call, stream, status, message); });
  }
  std::uint64_t mstx_tool() noexcept override { return 0x1002; }  // msSanitizer's
  void heap_unregistered(const void* heap) noexcept override {
    with([&](Model& model) { model.heap_unregistered(heap); });
  }
  void region_registered(const Region& region) noexcept override {
    with([&](Model& model) { model.region_registered(region); });
  }
  void region_unregistered(const void* handle, const void* begin) noexcept override {
    with([&](Model& model) { model.region_unregistered(handle, begin); });
  }
  // The program is about to end, in the middle of anything: whoever has the lock may never let it go.
  void crashed(const HostAccess& access) noexcept {
    constexpr int kTries = 100;
    constexpr useconds_t kPause = 1000;
    Model& model = *model_.load(std::memory_order_acquire);
    for (int i = 0; i < kTries; ++i) {
      const std::unique_lock lock(model.mutex, std::try_to_lock);
      if (lock.owns_lock()) return model.crashed(access);
      usleep(kPause);
    }
  }
  // While no thread is in the model, none holds the loader's lock to look for lines: in the child that would
  // stay locked. Whoever waits here for a lock that the forking thread holds has to be let go on.
  void before_fork() noexcept {
    constexpr int kTries = 100'000;
    constexpr useconds_t kPause = 100;
    Model* const model = model_.load(std::memory_order_acquire);
    for (int i = 0; i < kTries && locked_for_fork == nullptr; ++i) {
      if (model->mutex.try_lock()) {
        locked_for_fork = model;
      } else {
        usleep(kPause);
      }
    }
  }
  static void after_fork() noexcept {
    if (locked_for_fork != nullptr) locked_for_fork->mutex.unlock();
    locked_for_fork = nullptr;
  }
  void forked() noexcept override {
    // The old one's lock may be held by a thread that is not here any more.
    finished_ = false;
    events_under_way_ = 0;
    forget_addresses();
    try {
      model_.store(new Model(options_, true), std::memory_order_release);
    } catch (const std::exception&) {
      // Without memory for one, the parent's, which may be locked.
    }
  }

  // The end of the process: what is left over, and the exit code that follows.
  int finish(int exit_code) noexcept {
    if (finished_.exchange(true)) return exit_code;
    std::uint64_t errors = 0;
    with([&](Model& model) { errors = model.finish(exit_code); });
    return errors > 0 && options_.exit_code != 0 ? options_.exit_code : exit_code;
  }

 private:
  // Without memory for it, an event is lost.
  template <typename Tell>
  void with(Tell tell) noexcept {
    events_under_way_.fetch_add(1, std::memory_order_relaxed);
    try {
      Model& model = *model_.load(std::memory_order_acquire);
      const std::lock_guard lock(model.mutex);
      tell(model);
    } catch (const std::exception&) {
    }
    events_under_way_.fetch_sub(1, std::memory_order_relaxed);
  }

  bool is_on(RuleId id) const { return options_.on[static_cast<std::size_t>(id)]; }

  static thread_local Model* locked_for_fork;

  const Options options_;
  std::atomic<Model*> model_;
  std::atomic<bool> finished_{false};
  std::atomic<int> events_under_way_{0};
};

thread_local Model* Checker::locked_for_fork = nullptr;

constinit std::atomic<Checker*> g_checker{nullptr};

void tell_of_crash(const HostAccess& access) {
  if (Checker* const checker = g_checker.load(std::memory_order_acquire)) checker->crashed(access);
}

// Runs after the destructors of the program's own statics, which may still destroy what they hold.
__attribute__((destructor)) void finish_at_exit() {
  Checker* const checker = g_checker.load(std::memory_order_acquire);
  if (checker == nullptr) return;
  const int before = g_exit_code.load();
  const int after = checker->finish(before);
  if (after == before) return;
  std::fflush(nullptr);  // exit would do it later
  _exit(after);
}

// A list that cannot be read would suppress nothing, silently.
void complain_of_files(const Options& options) {
  const std::string& list = options.suppressions;
  if (!list.empty() && access(list.c_str(), R_OK) != 0)
    std::fprintf(stderr, "cairn: CAIRN_CHECK: suppressions: %s cannot be read\n", list.c_str());
}

}  // namespace
}  // namespace cairn::check

using namespace cairn;

// Where the library is loaded before all others, a program that leaves by _exit has its report, too.
extern "C" __attribute__((visibility("default"), noreturn)) void _exit(int status) {
  check::Checker* const checker = check::g_checker.load(std::memory_order_acquire);
  if (checker != nullptr) status = checker->finish(status);
  for (;;) syscall(SYS_exit_group, status);
}
extern "C" __attribute__((visibility("default"), noreturn)) void _Exit(int status) { _exit(status); }

// NOLINTNEXTLINE(readability-identifier-naming): an exported name
extern "C" __attribute__((visibility("default"))) const char cairn_tools_stamp[] = CAIRN_STAMP;

extern "C" __attribute__((visibility("default"))) Observer* cairn_tools_open(const char* words) {
  static check::Options options;  // read once: the checker copies them
  const std::string wrong = check::read_options(words, options);
  if (!wrong.empty()) {
    std::fprintf(stderr, "cairn: CAIRN_CHECK: %s\n", wrong.c_str());
  }
  check::complain_of_files(options);
  auto* const checker = new check::Checker(options);
  check::g_checker.store(checker, std::memory_order_release);
  // Of a process that never came to have a runtime, too.
  pthread_atfork([] { check::g_checker.load()->before_fork(); }, [] { check::Checker::after_fork(); },
                 [] {
                   check::Checker::after_fork();
                   check::g_checker.load()->forked();
                 });
  return checker;
}
