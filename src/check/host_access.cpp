#include "check/host_access.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace cairn::check {
namespace {

struct Range {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> bytes{0};
};

// Written by the handler, which may use neither locks nor the heap; more than this between two calls are
// lost, and the pages are open all the same.
constexpr std::size_t kMostCaught = 64;
enum class Slot { kFree, kClaimed, kReady };
struct Caught {
  std::atomic<Slot> slot{Slot::kFree};
  HostAccess access;
};

constinit std::array<Range, 16> g_ranges;
constinit std::atomic<std::size_t> g_range_count{0};
std::array<Caught, kMostCaught> g_caught;
// Slots that are not free. One may be claimed on another thread while this one takes the ready ones: it
// stays counted, and is taken the next time.
constinit std::atomic<std::size_t> g_claimed{0};
constinit std::atomic<TellOfCrash> g_tell_of_crash{nullptr};
constinit std::atomic<bool> g_installed{false};
thread_local constinit std::uint64_t t_host_function = 0;
struct sigaction g_first;   // what was there when we came
struct sigaction g_before;  // what the program has set since

// A handler that passes a fault on may be called by the very one that it passes it to.
struct Passing {
  std::atomic<const void*> context{nullptr};
  std::atomic<std::uintptr_t> frame{0};
};
constinit Passing g_passing;

bool is_watched(std::uintptr_t address) {
  const std::size_t count = std::min(g_range_count.load(std::memory_order_acquire), g_ranges.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (address - g_ranges[i].begin < g_ranges[i].bytes) return true;
  }
  return false;
}

std::uintptr_t instruction_of(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return 0;
#endif
}

bool is_store(const ucontext_t& context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // of the page fault's error code
  return (context.uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#elif defined(__aarch64__)
  constexpr std::uint32_t kSyndrome = 0x45535201;  // ESR_MAGIC
  constexpr std::uint64_t kWrite = 1U << 6;
  const auto* at = reinterpret_cast<const unsigned char*>(context.uc_mcontext.__reserved);
  for (;;) {
    std::uint32_t head[2];  // magic and size of a record, zero at the end
    std::memcpy(head, at, sizeof(head));
    if (head[0] == 0 || head[1] == 0) return false;
    std::uint64_t syndrome = 0;
    if (head[0] == kSyndrome) std::memcpy(&syndrome, at + sizeof(head), sizeof(syndrome));
    if (head[0] == kSyndrome) return (syndrome & kWrite) != 0;
    at += head[1];
  }
#else
  static_cast<void>(context);
  return false;
#endif
}

void handle(int number, siginfo_t* info, void* context);

void pass_on(int number, siginfo_t* info, void* context) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // The frame of one that is still at it lies higher; a program that left its handler by a jump has none.
  const bool again = g_passing.context == context && frame < g_passing.frame;
  g_passing.context = context;
  g_passing.frame = frame;
  const struct sigaction& next = again ? g_first : g_before;
  if ((next.sa_flags & SA_SIGINFO) != 0) {
    next.sa_sigaction(number, info, context);
  } else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) {
    next.sa_handler(number);
  } else {
    // The instruction runs again, and ends the program as it would have.
    std::signal(SIGSEGV, SIG_DFL);
  }
  g_passing.context = nullptr;
}

std::uintptr_t page_size() { return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)); }

bool protect(std::uintptr_t begin, std::uintptr_t end, int protection) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): pages of ours
  return mprotect(reinterpret_cast<void*>(begin), end - begin, protection) == 0;
}

bool open_page(std::uintptr_t address) {
  const std::uintptr_t begin = address / page_size() * page_size();
  return protect(begin, begin + page_size(), PROT_READ | PROT_WRITE);
}

Caught* claim() {
  for (Caught& caught : g_caught) {
    Slot expected = Slot::kFree;
    if (!caught.slot.compare_exchange_strong(expected, Slot::kClaimed)) continue;
    g_claimed.fetch_add(1);
    return &caught;
  }
  return nullptr;
}

void handle(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const auto& state = *static_cast<const ucontext_t*>(context);
  if (!is_watched(address)) {
    if (const TellOfCrash tell = g_tell_of_crash.load())
      tell({address, is_store(state), faulting_stack(instruction_of(state), capture_stack())});
    return pass_on(number, info, context);
  }
  if (Caught* const caught = claim()) {
    caught->access = {address, is_store(state), faulting_stack(instruction_of(state), capture_stack()),
                      t_host_function};
    caught->slot.store(Slot::kReady, std::memory_order_release);
  }
  // The memory is the same that kernels see: the program goes on with right values.
  if (!open_page(address)) pass_on(number, info, context);
}

void set_handler(struct sigaction* before) {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, before);
}

void install() {
  if (g_installed.exchange(true)) return;
  capture_stack();  // loads the unwinder now, not in the handler
  set_handler(&g_first);
  g_before = g_first;
}

}  // namespace

void watch_addresses(const void* begin, std::size_t bytes) {
  const std::size_t place = g_range_count.load();
  if (place == g_ranges.size()) return;
  g_ranges[place].begin = reinterpret_cast<std::uintptr_t>(begin);
  g_ranges[place].bytes = bytes;
  g_range_count.store(place + 1, std::memory_order_release);
  install();
}

void forget_addresses() { g_range_count = 0; }

void catch_crashes(TellOfCrash tell) {
  if (g_tell_of_crash.exchange(tell) == nullptr) install();
}

void keep_handler() {
  if (!g_installed.load(std::memory_order_relaxed)) return;
  struct sigaction now {};
  sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle) return;
  g_before = now;
  set_handler(nullptr);
}

void enter_host_function(std::uint64_t call) { t_host_function = call; }

void close_pages(std::uintptr_t begin, std::uintptr_t end, bool to_loads) {
  protect(begin, end, to_loads ? PROT_NONE : PROT_READ);
}

void open_pages(std::uintptr_t begin, std::uintptr_t end) { protect(begin, end, PROT_READ | PROT_WRITE); }

std::vector<HostAccess> take_host_accesses() {
  std::vector<HostAccess> taken;
  if (g_claimed.load(std::memory_order_relaxed) == 0) return taken;
  for (Caught& caught : g_caught) {
    if (caught.slot.load(std::memory_order_acquire) != Slot::kReady) continue;
    taken.push_back(caught.access);
    g_claimed.fetch_sub(1);
    caught.slot.store(Slot::kFree, std::memory_order_release);
  }
  return taken;
}

}  // namespace cairn::check
