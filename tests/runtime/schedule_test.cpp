// Tasks that a schedule holds back begin all the same, whenever somebody looks at the clock.
#include "backend/cpu/schedule.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "backend/cpu/pool.h"
#include "backend/cpu/stream.h"
#include "observe/observer.h"

constinit std::atomic<cairn::Observer*> cairn_observer{nullptr};  // no tool watches

namespace cairn {
namespace {

// Delays so short that a task's time often comes between two looks at the clock.
TEST(Schedule, HoldsNothingBackForEver) {
  const auto pool = std::make_shared<Pool>(1);
  const auto schedule = std::make_shared<Schedule>(false, 1, std::chrono::nanoseconds(500));
  const auto stream = std::make_shared<CpuStream>(pool, CpuStream::Runs::kOnItsThread, schedule);
  constexpr std::int64_t kPatience = 20000;  // ms
  int done = 0;
  for (int round = 0; round < 500; ++round) {
    for (int task = 0; task < 4; ++task) stream->run([&done] { ++done; });
    ASSERT_EQ(stream->synchronise(kPatience).result, WaitResult::kDone) << "in round " << round;
  }
  EXPECT_EQ(done, 2000);
  stream->abandon(kForever);
}

// A task that waits for an event may be held back first; then only the event is waited for.
TEST(Schedule, HoldsWaitsForEventsBackToo) {
  const auto pool = std::make_shared<Pool>(1);
  const auto schedule = std::make_shared<Schedule>(false, 2, std::chrono::nanoseconds(500));
  const auto first = std::make_shared<CpuStream>(pool, CpuStream::Runs::kOnItsThread, schedule);
  const auto second = std::make_shared<CpuStream>(pool, CpuStream::Runs::kOnItsThread, schedule);
  constexpr std::int64_t kPatience = 20000;
  int value = 0;
  for (int round = 0; round < 300; ++round) {
    const auto mark = std::make_shared<Mark>();
    first->run([&value, round] { value = round; });
    first->record(mark);
    second->wait_for(mark, kForever, nullptr);
    int seen = -1;
    second->run([&] { seen = value; });
    ASSERT_EQ(second->synchronise(kPatience).result, WaitResult::kDone) << "in round " << round;
    ASSERT_EQ(seen, round);
    ASSERT_EQ(first->synchronise(kPatience).result, WaitResult::kDone) << "in round " << round;
  }
  first->abandon(kForever);
  second->abandon(kForever);
}

}  // namespace
}  // namespace cairn
