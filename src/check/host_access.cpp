#include "check/host_access.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

namespace cairn::check {
namespace {

struct Range {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::size_t> bytes{0};
};

// Written by the handler, which may use neither locks nor the heap; more than this between two calls are
// lost, and the pages are open all the same.
constexpr std::size_t kMostCaught = 64;
struct Caught {
  std::atomic<bool> ready{false};
  HostAccess access;
};

constinit std::array<Range, 4> g_ranges;
constinit std::atomic<std::size_t> g_range_count{0};
std::array<Caught, kMostCaught> g_caught;
constinit std::atomic<std::size_t> g_next{0};
struct sigaction g_before;

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
#else
  static_cast<void>(context);
  return false;
#endif
}

void pass_on(int number, siginfo_t* info, void* context) {
  if ((g_before.sa_flags & SA_SIGINFO) != 0) return g_before.sa_sigaction(number, info, context);
  if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) return g_before.sa_handler(number);
  // The instruction runs again, and ends the program as it would have.
  std::signal(SIGSEGV, SIG_DFL);
}

void handle(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (!is_watched(address)) return pass_on(number, info, context);
  const auto& state = *static_cast<const ucontext_t*>(context);
  const std::size_t place = g_next.fetch_add(1);
  if (place < g_caught.size()) {
    g_caught[place].access = {address, is_store(state),
                              faulting_stack(instruction_of(state), capture_stack())};
    g_caught[place].ready.store(true, std::memory_order_release);
  }
  // The memory is the same that kernels see: the program goes on with right values.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the page of an address of ours
  mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE);
}

}  // namespace

void watch_addresses(const void* begin, std::size_t bytes) {
  const std::size_t place = g_range_count.load();
  if (place == g_ranges.size()) return;
  g_ranges[place].begin = reinterpret_cast<std::uintptr_t>(begin);
  g_ranges[place].bytes = bytes;
  g_range_count.store(place + 1, std::memory_order_release);
  if (place > 0) return;
  capture_stack();  // loads the unwinder now, not in the handler
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &g_before);
}

std::vector<HostAccess> take_host_accesses() {
  std::vector<HostAccess> taken;
  if (g_next.load(std::memory_order_relaxed) == 0) return taken;
  for (Caught& caught : g_caught) {
    if (caught.ready.exchange(false, std::memory_order_acquire)) taken.push_back(caught.access);
  }
  g_next.store(0);
  return taken;
}

}  // namespace cairn::check
