// Whose threads help a kernel: our own, or the OpenMP team of the calling thread. Children do the work, since
// a process has one OpenMP runtime at the most and keeps it.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "cairn/cairn.h"
#include "runtime/bridge.h"
#include "runtime/child.h"
#include "runtime/fake_kernel.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cairn::test {
namespace {

constexpr std::int64_t kTasks = 64;

// Who worked on a kernel, and how many at once.
struct Account {
  std::mutex mutex;
  std::set<std::thread::id> own;      // threads of ours
  std::set<std::thread::id> program;  // all others, the caller among them
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  std::atomic<int> tasks{0};
  std::atomic<int> odd_modes{0};  // tasks that found a floating-point mode other than the default
};

bool is_own_thread() {
  char name[32] = {};
  pthread_getname_np(pthread_self(), name, sizeof(name));
  return std::string(name).starts_with("cairn-");
}

bool has_default_mode() {
#if defined(__x86_64__)
  return (_mm_getcsr() & ~0x3FU) == 0x1F80;
#else
  return true;
#endif
}

void note(Account& account) {
  const int now = account.now.fetch_add(1) + 1;
  int most = account.most.load();
  while (now > most && !account.most.compare_exchange_weak(most, now)) {
  }
  {
    const std::lock_guard lock(account.mutex);
    (is_own_thread() ? account.own : account.program).insert(std::this_thread::get_id());
  }
  if (!has_default_mode()) account.odd_modes.fetch_add(1);
  account.tasks.fetch_add(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));  // for the others to arrive
  account.now.fetch_sub(1);
}

const FakeKernel kAccount{"aclnnAccount",
                          [](const void* plan, Workers& workers) -> std::optional<IndexFault> {
                            Account* account = nullptr;
                            std::memcpy(&account, plan, sizeof(account));
                            workers.run(kTasks, [&](std::int64_t) { note(*account); });
                            return std::nullopt;
                          }};

const FakeKernel kThrow{"aclnnThrow", [](const void*, Workers& workers) -> std::optional<IndexFault> {
                          workers.run(kTasks, [](std::int64_t i) {
                            if (i == 40) throw std::runtime_error("no such luck");
                          });
                          return std::nullopt;
                        }};

// Asks what work of so many nanoseconds is worth.
struct Worth {
  std::vector<std::int64_t> work;
  std::vector<int> lanes;
};
const FakeKernel kWorth{"aclnnWorth", [](const void* plan, Workers& workers) -> std::optional<IndexFault> {
                          Worth* worth = nullptr;
                          std::memcpy(&worth, plan, sizeof(worth));
                          for (const std::int64_t work : worth->work)
                            worth->lanes.push_back(workers.worth(work));
                          return std::nullopt;
                        }};

aclError account_for(Account& account, aclrtStream stream) {
  Account* plan = &account;
  return cairn_runtime_bridge().launch(stream, {kAccount, &plan, sizeof(plan)});
}

aclrtStream inline_stream() {
  aclrtStream stream = nullptr;
  cairnCreateInlineCpuStream(&stream);
  return stream;
}

std::string description() {
  char text[256] = {};
  cairnGetDeviceDescription(0, text, sizeof(text));
  return text;
}

// As a program that was linked with it.
void* load_openmp() { return dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL); }

using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);

Parallel parallel() { return reinterpret_cast<Parallel>(dlsym(RTLD_DEFAULT, "GOMP_parallel")); }

class OpenMpPool : public testing::Test {
 protected:
  // Never loaded into this process: a child is to find it, or not.
  void SetUp() override {
    if (in_child({}, [] { return load_openmp() == nullptr ? 1 : 0; }).code != 0)
      GTEST_SKIP() << "no libgomp.so.1";
  }

  using Environment = std::map<std::string, std::string>;
  static Environment forced(const char* threads, const char* team) {
    return {{"CAIRN_DEVICE", "cpu"},
            {"CAIRN_POOL", "openmp"},
            {"CAIRN_THREADS", threads},
            {"OMP_NUM_THREADS", team}};
  }

  static void expect_success(const Environment& environment, const std::function<int()>& body) {
    const ChildResult result = in_child(environment, body);
    EXPECT_EQ(result.code, 0) << result.stderr_text;
  }
};

TEST(Pool, UnknownNamesAreRefused) {
  const ChildResult result = in_child({{"CAIRN_POOL", "tbb"}}, [] {
    CHILD_EXPECT(aclInit(nullptr), ACL_ERROR_INVALID_PARAM);
    const char* text = aclGetRecentErrMsg();
    CHILD_EXPECT(text != nullptr &&
                     std::strstr(text, "CAIRN_POOL is \"tbb\", expected auto, own or openmp") != nullptr,
                 true);
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

TEST(Pool, IsOurOwnWhereNoOpenMpIsLoaded) {
  for (const char* pool : {"", "auto", "own"}) {
    const ChildResult result =
        in_child({{"CAIRN_DEVICE", "cpu"}, {"CAIRN_POOL", pool}, {"CAIRN_THREADS", "3"}}, [] {
          Account account;
          CHILD_EXPECT(account_for(account, inline_stream()), ACL_SUCCESS);
          CHILD_EXPECT(account.tasks.load(), kTasks);
          CHILD_EXPECT(account.own.size(), 2U);
          CHILD_EXPECT(account.program.size(), 1U);
          CHILD_EXPECT(description().ends_with("3 threads (pool: own)"), true);
          return 0;
        });
    EXPECT_EQ(result.code, 0) << pool << ": " << result.stderr_text;
  }
}

TEST(Pool, MoreWorkIsWorthMoreThreadsAndLittleIsWorthNone) {
  const ChildResult result = in_child({{"CAIRN_DEVICE", "cpu"}, {"CAIRN_THREADS", "16"}}, [] {
    Worth worth{{-1, 0, 1'000, 30'000, 100'000, 300'000, 1'000'000, INT64_MAX}, {}};
    Worth* plan = &worth;
    CHILD_EXPECT(cairn_runtime_bridge().launch(inline_stream(), {kWorth, &plan, sizeof(plan)}), ACL_SUCCESS);
    CHILD_EXPECT((worth.lanes == std::vector<int>{1, 1, 1, 1, 7, 12, 16, 16}), true);
    return 0;
  });
  EXPECT_EQ(result.code, 0) << result.stderr_text;
}

TEST_F(OpenMpPool, IsTakenByName) {
  expect_success(forced("3", "3"), [] {
    Account account;
    CHILD_EXPECT(account_for(account, inline_stream()), ACL_SUCCESS);
    CHILD_EXPECT(account.tasks.load(), kTasks);
    CHILD_EXPECT(account.own.size(), 0U);
    CHILD_EXPECT(account.program.size(), 3U);
    CHILD_EXPECT(description().ends_with("3 threads (pool: openmp, libgomp.so.1)"), true);
    return 0;
  });
}

TEST_F(OpenMpPool, IsLeftAloneByName) {
  expect_success(
      {{"CAIRN_DEVICE", "cpu"}, {"CAIRN_POOL", "own"}, {"CAIRN_THREADS", "3"}, {"OMP_NUM_THREADS", "3"}}, [] {
        load_openmp();
        parallel()([](void*) {}, nullptr, 0, 0);
        Account account;
        CHILD_EXPECT(account_for(account, inline_stream()), ACL_SUCCESS);
        CHILD_EXPECT(account.own.size(), 2U);
        CHILD_EXPECT(description().ends_with("(pool: own)"), true);
        return 0;
      });
}

// A program may load its framework after its first call of ours, and a framework may never use its threads.
// The team is larger than what a sanitizer adds in threads of its own.
TEST_F(OpenMpPool, IsTakenOnceTheCallersTeamIsThere) {
  expect_success({{"CAIRN_DEVICE", "cpu"}, {"CAIRN_THREADS", "3"}, {"OMP_NUM_THREADS", "9"}}, [] {
    const aclrtStream stream = inline_stream();
    Account before;
    CHILD_EXPECT(account_for(before, stream), ACL_SUCCESS);
    CHILD_EXPECT(before.own.size(), 2U);
    load_openmp();
    Account loaded;
    CHILD_EXPECT(account_for(loaded, stream), ACL_SUCCESS);
    CHILD_EXPECT(loaded.own.size(), 2U);
    parallel()([](void*) {}, nullptr, 0, 0);
    Account used;
    CHILD_EXPECT(account_for(used, stream), ACL_SUCCESS);
    CHILD_EXPECT(used.own.size(), 0U);
    CHILD_EXPECT(used.program.size(), 3U);
    return 0;
  });
}

TEST_F(OpenMpPool, NeverHasMoreLanesThanEitherAllows) {
  struct Limits {
    const char* threads;
    const char* team;
    int most;
  };
  for (const Limits& limits :
       {Limits{"2", "5", 2}, Limits{"5", "2", 2}, Limits{"4", "4", 4}, Limits{"4", "1", 1}}) {
    expect_success(forced(limits.threads, limits.team), [&] {
      Account account;
      CHILD_EXPECT(account_for(account, inline_stream()), ACL_SUCCESS);
      CHILD_EXPECT(account.tasks.load(), kTasks);
      CHILD_EXPECT(account.most.load(), limits.most);
      return 0;
    });
  }
}

// torch.set_num_threads(1), or the worker of a DataLoader.
TEST_F(OpenMpPool, OfOneThreadKeepsACallOnItsCaller) {
  expect_success({{"CAIRN_DEVICE", "cpu"}, {"CAIRN_THREADS", "3"}, {"OMP_NUM_THREADS", "1"}}, [] {
    load_openmp();
    Account account;
    CHILD_EXPECT(account_for(account, inline_stream()), ACL_SUCCESS);
    CHILD_EXPECT(account.program.size(), 1U);
    CHILD_EXPECT(account.own.size(), 0U);
    return 0;
  });
}

TEST_F(OpenMpPool, IsNotForkedByAStreamsThread) {
  expect_success(forced("3", "3"), [] {
    aclrtStream stream = nullptr;
    CHILD_EXPECT(cairnCreateCpuStream(&stream), ACL_SUCCESS);
    Account account;
    CHILD_EXPECT(account_for(account, stream), ACL_SUCCESS);
    CHILD_EXPECT(aclrtSynchronizeStreamWithTimeout(stream, 60000),
                 ACL_SUCCESS);  // the stream's thread computes
    CHILD_EXPECT(account.program.size(), 0U);
    CHILD_EXPECT(account.own.size(), 3U);
    return 0;
  });
}

TEST_F(OpenMpPool, IsNotForkedWithinAParallelRegion) {
  expect_success(forced("3", "3"), [] {
    load_openmp();
    struct Region {
      std::atomic<int> done{0};
      Account account;
    } region;
    parallel()(
        [](void* data) {
          auto* shared = static_cast<Region*>(data);
          if (account_for(shared->account, inline_stream()) == ACL_SUCCESS) shared->done.fetch_add(1);
        },
        &region, 0, 0);
    CHILD_EXPECT(region.done.load(), 3);
    CHILD_EXPECT(region.account.tasks.load(), 3 * kTasks);
    CHILD_EXPECT(region.account.most.load() <= 3, true);
    CHILD_EXPECT(region.account.program.size() <= 3, true);
    return 0;
  });
}

TEST_F(OpenMpPool, ServesCallersSideBySide) {
  expect_success(forced("3", "3"), [] {
    Account account;
    std::vector<std::thread> callers;
    for (int i = 0; i < 5; ++i) {
      callers.emplace_back([&] {
        const aclrtStream stream = inline_stream();
        for (int round = 0; round < 4; ++round) account_for(account, stream);
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHILD_EXPECT(account.tasks.load(), 5 * 4 * kTasks);
    CHILD_EXPECT(account.most.load() <= 3, true);
    return 0;
  });
}

// The parent's team does not exist in the child, and the runtime would wait for it.
TEST_F(OpenMpPool, IsLeftAloneInAChildOfFork) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer lets no child of a process with threads make any";
#endif
  expect_success(forced("3", "3"), [] {
    Account account;
    CHILD_EXPECT(account_for(account, inline_stream()), ACL_SUCCESS);
    CHILD_EXPECT(account.own.size(), 0U);
    const pid_t child = fork();
    if (child == 0) {
      Account mine;
      const bool computed = account_for(mine, inline_stream()) == ACL_SUCCESS && mine.tasks.load() == kTasks;
      _exit(computed && mine.program.size() == 1 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHILD_EXPECT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    Account after;
    CHILD_EXPECT(account_for(after, inline_stream()), ACL_SUCCESS);
    CHILD_EXPECT(after.program.size(), 3U);
    return 0;
  });
}

TEST_F(OpenMpPool, PassesExceptionsOnAndGoesOn) {
  expect_success(forced("3", "3"), [] {
    const aclrtStream stream = inline_stream();
    const char plan = 0;
    CHILD_EXPECT(cairn_runtime_bridge().launch(stream, {kThrow, &plan, 1}), ACL_SUCCESS);
    CHILD_EXPECT(aclrtSynchronizeStream(stream) != ACL_SUCCESS, true);
    Account account;
    CHILD_EXPECT(account_for(account, stream), ACL_SUCCESS);
    CHILD_EXPECT(account.tasks.load(), kTasks);
    CHILD_EXPECT(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    return 0;
  });
}

#if defined(__x86_64__)
TEST_F(OpenMpPool, ComputesInTheDefaultFloatingPointMode) {
  expect_success(forced("3", "3"), [] {
    load_openmp();
    parallel()([](void*) { _mm_setcsr(0x9FC0); }, nullptr, 0, 0);  // as torch.set_flush_denormal(True) has it
    Account account;
    CHILD_EXPECT(account_for(account, inline_stream()), ACL_SUCCESS);
    CHILD_EXPECT(account.program.size(), 3U);
    CHILD_EXPECT(account.odd_modes.load(), 0);
    static std::atomic<int> kept{0};
    parallel()(
        [](void* count) { *static_cast<std::atomic<int>*>(count) += (_mm_getcsr() & 0xFFC0) == 0x9FC0; },
        &kept, 0, 0);
    CHILD_EXPECT(kept.load(), 3);
    return 0;
  });
}
#endif

}  // namespace
}  // namespace cairn::test
