#include "backend/cpu/openmp.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "backend/cpu/own_thread.h"
#include "common/fp_mode.h"

namespace cairn {
namespace {

constexpr const char* kRuntimes[] = {"libgomp.so.1", "libomp.so", "libomp.so.5", "libiomp5.so"};

std::atomic<const OpenMp*> g_found{nullptr};
std::atomic<bool> g_forked{false};

// Changes whenever a library is loaded: a program may import its framework after its first call of ours.
unsigned long long libraries_loaded() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

int program_threads() {
  struct stat tasks {};
  // A folder's links are itself, its name, and its folders: here one for each thread.
  if (stat("/proc/self/task", &tasks) != 0) return 0;
  return static_cast<int>(tasks.st_nlink) - 2 - OwnThread::count();
}

// What the threads of a team are given. The runtime hands them over by means that a race detector does not
// see, so each hand-over is an atomic of ours as well.
struct Team {
  Team(Job& all_work, int helper_count) : job(all_work), helpers(helper_count) {
    open.store(true, std::memory_order_release);
  }

  void enter() {
    if (!open.load(std::memory_order_acquire)) return;
    if (std::this_thread::get_id() == caller || helpers.fetch_sub(1, std::memory_order_relaxed) > 0) {
      const DefaultFpMode mode;
      job.work();
    }
    left.fetch_add(1, std::memory_order_release);
  }

  void wait_for_all() const { (void)left.load(std::memory_order_acquire); }

  Job& job;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> helpers;
  std::atomic<int> left{0};
  std::atomic<bool> open{false};
};

}  // namespace

OpenMp::OpenMp(void* library, Parallel parallel)
    : parallel_(parallel),
      max_threads_(reinterpret_cast<Ask>(dlsym(library, "omp_get_max_threads"))),
      level_(reinterpret_cast<Ask>(dlsym(library, "omp_get_level"))) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(parallel), &info) != 0 && info.dli_fname != nullptr) {
    name_ = std::filesystem::path(info.dli_fname).filename();
    // It stays, whatever the program does with the library that brought it.
    dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

const OpenMp* OpenMp::find(void* library) {
  const auto parallel = reinterpret_cast<Parallel>(dlsym(library, "GOMP_parallel"));
  if (parallel == nullptr) return nullptr;
  auto* made = new OpenMp(library, parallel);
  if (made->max_threads_ == nullptr || made->level_ == nullptr) {
    delete made;
    return nullptr;
  }
  const OpenMp* found = nullptr;
  if (!g_found.compare_exchange_strong(found, made, std::memory_order_acq_rel)) {
    delete made;
    return found;
  }
  pthread_atfork(nullptr, nullptr, [] { g_forked.store(true, std::memory_order_relaxed); });
  return made;
}

const OpenMp* OpenMp::find_by_name(int flags) {
  for (const char* name : kRuntimes) {
    void* library = dlopen(name, RTLD_LAZY | flags);
    if (library == nullptr) continue;
    if (const OpenMp* found = find(library)) return found;
  }
  return nullptr;
}

const OpenMp* OpenMp::loaded() {
  static std::atomic<unsigned long long> searched{0};
  if (const OpenMp* found = g_found.load(std::memory_order_acquire)) return found;
  const unsigned long long count = libraries_loaded();
  if (searched.exchange(count, std::memory_order_relaxed) == count) return nullptr;
  if (const OpenMp* found = find(RTLD_DEFAULT)) return found;
  // What Python's extensions bring, as Debian 13's PyTorch does, is not in the global scope.
  return find_by_name(RTLD_NOLOAD);
}

const OpenMp* OpenMp::open() {
  if (const OpenMp* found = loaded()) return found;
  return find_by_name(0);
}

bool OpenMp::serves_this_thread() const { return !OwnThread::is_this() && level_() == 0; }

bool OpenMp::can_fork() { return !g_forked.load(std::memory_order_relaxed); }

bool OpenMp::seems_awake() const {
  thread_local bool t_awake = false;
  if (!t_awake) t_awake = program_threads() >= team_size();
  return t_awake;
}

void OpenMp::run(Job& job, int helpers) const {
  Team team(job, helpers);
  // Always the whole team: GCC's runtime ends threads that a smaller one would leave out.
  parallel_([](void* data) { static_cast<Team*>(data)->enter(); }, &team, 0, 0);
  team.wait_for_all();
}

}  // namespace cairn
