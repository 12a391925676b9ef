#include <atomic>
#include <cstring>
#include <memory>
#include <thread>

#include "hostile/calls.h"
#include "hostile/small_call.h"
#include "hostile/support.h"
#include "runtime/support.h"

// Calls that come when exit has begun: each computes, or answers a status that is not 0. None answers 0 with
// nothing done.
namespace hostile_test {
namespace {

// A child that got to see its end says so with this code: a handler that never ran must not pass for success.
constexpr int kReached = 42;

std::function<int()>* g_last_words = nullptr;

[[noreturn]] void say_last_words() { _exit((*g_last_words)() == 0 ? kReached : 1); }

// A global of the program: destroyed after all that the library does at exit, which it registers later.
struct Global {
  ~Global() {
    if (in_destructor) say_last_words();
  }
  bool in_destructor = false;
};
Global g_global;

// Where `last_words` are said.
enum class Where { kStaticDestructor, kEarlyHandler };

void expect_last_words(Where where, const std::function<int()>& before,
                       const std::function<int()>& last_words) {
  expect_code(kReached, {}, [&] {
    // Copies that live on: exit leaves the stack of the test as it is, but destroys nothing on it either.
    g_last_words = new std::function<int()>(last_words);
    if (where == Where::kStaticDestructor) g_global.in_destructor = true;
    // Registered before the library's own handler, so run after it.
    if (where == Where::kEarlyHandler) std::atexit([] { say_last_words(); });
    return before();
  });
}

struct Program {
  SmallCall call;
  SmallCall queued;
  aclrtStream stream = nullptr;
  cairn::test::Gate gate;
};
Program* g_program = nullptr;

int begin() {
  g_program = new Program;
  CHILD_TRUE(start(), "no device");
  CHILD_EXPECT(aclrtCreateStream(&g_program->stream), 0);
  CHILD_TRUE(g_program->call.make() && g_program->queued.make(), "no operands");
  CHILD_EXPECT(g_program->call.run(g_program->stream), 0);
  CHILD_EXPECT(g_program->call.run(nullptr), 0);
  CHILD_EXPECT(g_program->call.right(), true);
  return 0;
}

// Right, or refused.
int honest(const SmallCall& call, aclrtStream stream) {
  if (call.run(stream) != 0) return 0;
  CHILD_TRUE(call.right(), "status 0, and nothing computed");
  return 0;
}

int honest_on_every_stream() {
  if (const int code = honest(g_program->call, g_program->stream)) return code;
  if (const int code = honest(g_program->call, nullptr)) return code;
  aclrtStream late = nullptr;
  if (aclrtCreateStream(&late) != 0) return 0;
  return honest(g_program->call, late);
}

TEST(WhenExitHasBegun, OperatorsComputeOrSayNo) {
  for (const Where where : {Where::kStaticDestructor, Where::kEarlyHandler})
    expect_last_words(where, begin, honest_on_every_stream);
}

// The operators in all their kinds: what a kernel keeps for a thread may be gone when the thread's own
// objects are, which on the main thread is before the destructors of globals.
struct Prepared {
  std::unique_ptr<Call> call;
  Bytes expected;
};
std::vector<Prepared>* g_prepared = nullptr;

int compute_all() {
  if (const int code = begin()) return code;
  g_prepared = new std::vector<Prepared>;
  for (const conformance::Subject* subject : conformance::subjects()) {
    auto call = std::make_unique<Call>(plain_recipe(*subject));
    CHILD_EXPECT(call->try_to_spoil(), 0);  // a mask has bytes that stay as they are
    CHILD_EXPECT(call->queue(nullptr), 0);
    CHILD_EXPECT(aclrtSynchronizeStream(nullptr), 0);
    Bytes expected = call->result();
    g_prepared->push_back({std::move(call), std::move(expected)});
  }
  return 0;
}

int compute_all_again() {
  for (const Prepared& prepared : *g_prepared) {
    if (prepared.call->try_to_spoil() != 0 || prepared.call->queue(nullptr) != 0 ||
        aclrtSynchronizeStream(nullptr) != 0)
      continue;
    CHILD_TRUE(prepared.call->result() == prepared.expected, "another result");
  }
  return 0;
}

TEST(WhenExitHasBegun, AllOperatorsComputeOrSayNo) {
  for (const Where where : {Where::kStaticDestructor, Where::kEarlyHandler})
    expect_last_words(where, compute_all, compute_all_again);
}

// The same at the end of a thread. Its objects are destroyed from the last to the first, so that this one
// sees all others gone.
struct OfAThread {
  ~OfAThread() {
    if (armed) code = compute_all_again();
  }
  bool armed = false;
  static std::atomic<int> code;
};
std::atomic<int> OfAThread::code{-1};

TEST(WhenAThreadHasEnded, ItsDestructorsComputeOrAreTold) {
  expect_in_child([] {
    if (const int code = compute_all()) return code;
    std::thread([] {
      static thread_local OfAThread last;
      last.armed = true;
      if (aclrtSetDevice(0) != 0 || compute_all_again() != 0) return;
    }).join();
    CHILD_EXPECT(OfAThread::code.load(), 0);
    g_prepared->clear();
    return 0;
  });
}

int queue_some() {
  if (const int code = begin()) return code;
  CHILD_EXPECT(g_program->queued.spoil(), 0);
  CHILD_EXPECT(aclrtLaunchHostFunc(g_program->stream, cairn::test::Gate::wait_at, &g_program->gate), 0);
  for (int i = 0; i < 20; ++i) CHILD_EXPECT(g_program->queued.queue(g_program->stream), 0);
  return 0;
}

int wait_for_what_was_queued() {
  g_program->gate.open();
  if (aclrtSynchronizeStream(g_program->stream) != 0) return 0;
  CHILD_TRUE(g_program->queued.right(), "status 0, and the queued work is not done");
  return 0;
}

TEST(WhenExitHasBegun, WorkQueuedBeforeIsDoneOrItsLossIsSaid) {
  for (const Where where : {Where::kStaticDestructor, Where::kEarlyHandler}) {
    expect_last_words(where, queue_some, wait_for_what_was_queued);
  }
}

// A block of ones copied to the program's own memory.
int honest_copies(aclrtStream stream) {
  std::vector<float> own(8);
  const void* from = g_program->call.grad_memory();
  aclError status = aclrtMemcpyAsync(own.data(), 32, from, 32, ACL_MEMCPY_DEVICE_TO_HOST, stream);
  if (status == 0) status = aclrtSynchronizeStream(stream);
  if (status != 0) return 0;
  CHILD_TRUE(own[0] == 1.0F, "status 0, and nothing copied");
  return 0;
}

int honest_fills(aclrtStream stream) {
  void* memory = g_program->call.result_memory();
  aclError status = aclrtMemsetAsync(memory, 64, 0x21, 64, stream);
  if (status == 0) status = aclrtSynchronizeStream(stream);
  if (status != 0) return 0;
  char cell = 0;
  if (aclrtMemcpy(&cell, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST) != 0) std::memcpy(&cell, memory, 1);
  CHILD_EXPECT(cell, 0x21);
  return 0;
}

TEST(WhenExitHasBegun, CopiesAndFillsAreMadeOrRefused) {
  for (const Where where : {Where::kStaticDestructor, Where::kEarlyHandler}) {
    expect_last_words(where, begin, [] {
      for (aclrtStream stream : {g_program->stream, aclrtStream{nullptr}}) {
        if (const int code = honest_copies(stream)) return code;
        if (const int code = honest_fills(stream)) return code;
      }
      return 0;
    });
  }
}

TEST(WhenExitHasBegun, HostFunctionsAndEventsComeOrAreRefused) {
  for (const Where where : {Where::kStaticDestructor, Where::kEarlyHandler}) {
    expect_last_words(where, begin, [] {
      static std::atomic<bool> called{false};
      aclError status = aclrtLaunchHostFunc(
          g_program->stream, [](void*) { called = true; }, nullptr);
      aclrtEvent event = nullptr;
      if (status == 0) status = aclrtCreateEvent(&event);
      if (status == 0) status = aclrtRecordEvent(event, g_program->stream);
      if (status == 0) status = aclrtSynchronizeEvent(event);
      if (status != 0) return 0;
      CHILD_TRUE(called, "status 0, and the host function was not called");
      return 0;
    });
  }
}

// The first call of all.
TEST(WhenExitHasBegun, TheLibraryMayBeUsedForTheFirstTime) {
  expect_last_words(
      Where::kStaticDestructor, [] { return 0; },
      [] {
        SmallCall call;
        if (!start() || !call.make()) return 0;
        return honest(call, nullptr);
      });
}

struct Other {
  std::atomic<int> rounds{0};
  std::atomic<int> lies{0};
};
Other g_other;

void compute_for_ever() {
  SmallCall call;
  if (aclrtSetDevice(0) != 0 || !call.make()) return;
  while (true) {
    if (call.run(nullptr) == 0 && !call.right()) ++g_other.lies;
    ++g_other.rounds;
  }
}

TEST(WhenExitHasBegun, AnotherThreadComputesOrIsTold) {
  expect_last_words(
      Where::kStaticDestructor,
      [] {
        if (const int code = begin()) return code;
        std::thread(compute_for_ever).detach();
        CHILD_EXPECT(becomes_true([] { return g_other.rounds > 10; }), true);
        return 0;
      },
      [] {
        // Exit has run the library's handlers; the thread goes on beside this one.
        const int now = g_other.rounds;
        CHILD_EXPECT(becomes_true([&] { return g_other.rounds > now + 50; }), true);
        CHILD_EXPECT(g_other.lies.load(), 0);
        return 0;
      });
}

}  // namespace
}  // namespace hostile_test
