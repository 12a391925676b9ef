#include "backend/cpu/crew.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "backend/cpu/own_thread.h"
#include "backend/ending.h"
#include "common/fp_mode.h"

namespace cairn {
namespace {

using Clock = std::chrono::steady_clock;

// Who has just finished looks out for what comes next for so long before it sleeps: a wake-up takes as long
// as a small kernel.
constexpr auto kLookout = std::chrono::microseconds(50);

// Who looked out so often in a row and came to a job that had enough others sleeps: calls on a few lanes of a
// large crew would keep all of it awake, and cores busy whose other half computes.
constexpr int kMostMisses = 3;

// A system that has refused a thread is not asked again at every kernel.
constexpr auto kRefusalLasts = std::chrono::seconds(1);

// The rest wakes those who were woken: a caller that woke all of them would begin its own work late.
constexpr int kWakesEach = 2;

// A job that is looked at without a lock. The place stays when the job has gone, so that who comes late finds
// nothing wanted rather than freed memory.
struct alignas(64) Place {
  static constexpr std::uint32_t kOneWanted = 1U << 16;
  static constexpr std::uint32_t kInside = kOneWanted - 1;

  std::atomic<std::uint32_t> state{0};  // helpers wanted << 16 | helpers inside
  std::atomic<bool> taken{false};
  Job* job = nullptr;

  bool wants_help() const { return state.load(std::memory_order_relaxed) >= kOneWanted; }

  bool enter() {
    std::uint32_t now = state.load(std::memory_order_relaxed);
    while (now >= kOneWanted) {
      if (state.compare_exchange_weak(now, now - kOneWanted + 1, std::memory_order_acq_rel)) return true;
    }
    return false;
  }

  void leave() {
    if (state.fetch_sub(1, std::memory_order_acq_rel) == 1) state.notify_one();
  }
};

// Whether `done` came true within the lookout.
template <typename Done>
bool looked_out(const Done& done) {
  const Clock::time_point end = Clock::now() + kLookout;
  while (!done()) {
    if (Clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace

// Outlives the crew for as long as a helper does.
struct Crew::Shared : std::enable_shared_from_this<Shared> {
  explicit Shared(int lane_count) : lanes(lane_count), free(lane_count), places(lane_count) {}

  const int lanes;
  std::atomic<int> free;
  std::atomic<int> callers_waiting{0};
  std::vector<Place> places;           // one for each caller that can be at work
  std::atomic<unsigned> announced{0};  // what sleepers and those who look out watch
  std::atomic<int> asleep{0};
  std::atomic<int> looking_out{0};
  std::atomic<int> helpers{0};
  std::atomic<bool> stopped{false};
  std::mutex start_mutex;
  Clock::time_point refused_until{};

  int take(int wanted) {
    int now = free.load(std::memory_order_relaxed);
    while (now > 0) {
      const int taken = std::min(now, wanted);
      if (free.compare_exchange_weak(now, now - taken, std::memory_order_acq_rel)) return taken;
    }
    return 0;
  }

  void give_back(int count) {
    free.fetch_add(count, std::memory_order_seq_cst);
    if (callers_waiting.load(std::memory_order_seq_cst) > 0) free.notify_one();
  }

  // Returns whether nobody was at work.
  bool take_a_callers_lane() {
    int all = lanes;
    if (free.compare_exchange_strong(all, lanes - 1, std::memory_order_acq_rel)) return true;
    if (take(1) == 1) return false;
    callers_waiting.fetch_add(1, std::memory_order_seq_cst);
    while (take(1) == 0) free.wait(0, std::memory_order_seq_cst);
    // One that was woken while two lanes came free lets the next one know.
    if (callers_waiting.fetch_sub(1, std::memory_order_seq_cst) > 1) free.notify_one();
    return false;
  }

  void announce(int wanted) {
    announced.fetch_add(1, std::memory_order_seq_cst);
    const int missing = wanted - looking_out.load(std::memory_order_seq_cst);
    const int wakes = std::min({missing, kWakesEach, asleep.load(std::memory_order_seq_cst)});
    for (int i = 0; i < wakes; ++i) announced.notify_one();
  }

  // After lanes came free: a job may be waiting for one.
  void offer() {
    if (free.load(std::memory_order_relaxed) > 0 && std::ranges::any_of(places, &Place::wants_help))
      announce(1);
  }

  Place& publish(Job& job, int wanted) {
    auto place = places.begin();
    while (place->taken.exchange(true, std::memory_order_acquire)) {
      if (++place == places.end()) place = places.begin();
    }
    place->job = &job;
    place->state.store(static_cast<std::uint32_t>(wanted) * Place::kOneWanted, std::memory_order_release);
    announce(wanted);
    if (helpers.load(std::memory_order_relaxed) < wanted) start_helpers(wanted);
    return *place;
  }

  // Lets nobody in any more; returns when the last helper has left.
  static void withdraw(Place& place) {
    place.state.fetch_and(Place::kInside, std::memory_order_acq_rel);
    const auto empty = [&] { return place.state.load(std::memory_order_acquire) == 0; };
    if (!looked_out(empty)) {
      for (std::uint32_t inside = place.state.load(std::memory_order_acquire); inside != 0;
           inside = place.state.load(std::memory_order_acquire)) {
        place.state.wait(inside, std::memory_order_acquire);
      }
    }
    place.taken.store(false, std::memory_order_release);
  }

  void start_helpers(int wanted) {
    const std::lock_guard lock(start_mutex);
    while (helpers.load(std::memory_order_relaxed) < wanted) {
      if (process_is_ending() || Clock::now() < refused_until) return;
      try {
        std::thread([self = shared_from_this()] { self->help_until_stopped(); }).detach();
      } catch (const std::exception&) {  // no thread, or no memory for one
        refused_until = Clock::now() + kRefusalLasts;
        return;
      }
      helpers.fetch_add(1, std::memory_order_relaxed);
    }
  }

  // Whether there was a job to help with, and a lane for it that no caller waits for.
  bool help() {
    if (callers_waiting.load(std::memory_order_relaxed) > 0) return false;
    const auto place = std::ranges::find_if(places, &Place::wants_help);
    if (place == places.end() || take(1) == 0) return false;
    const bool inside = place->enter();
    if (inside) {
      if (place->wants_help()) announce(kWakesEach);
      place->job->work();
    }
    give_back(1);
    if (inside) place->leave();
    return true;
  }

  void help_until_stopped() {
    const OwnThread here("cairn-pool");
    const DefaultFpMode mode;
    int misses = 0;
    while (!stopped.load(std::memory_order_acquire)) {
      const unsigned seen = announced.load(std::memory_order_seq_cst);
      if (help()) {
        misses = 0;
        continue;
      }
      if (misses < kMostMisses) {
        looking_out.fetch_add(1, std::memory_order_seq_cst);
        const bool changed = looked_out([&] { return announced.load(std::memory_order_acquire) != seen; });
        looking_out.fetch_sub(1, std::memory_order_seq_cst);
        ++misses;
        if (changed) continue;
      }
      asleep.fetch_add(1, std::memory_order_seq_cst);
      announced.wait(seen, std::memory_order_seq_cst);
      asleep.fetch_sub(1, std::memory_order_seq_cst);
    }
  }
};

Crew::Crew(int lanes) : shared_(std::make_shared<Shared>(lanes)) {}

Crew::~Crew() {
  shared_->stopped.store(true, std::memory_order_release);
  shared_->announced.fetch_add(1, std::memory_order_seq_cst);
  shared_->announced.notify_all();
}

Crew::Caller::Caller(Crew& crew) : crew_(crew), alone_(crew.shared_->take_a_callers_lane()) {}

Crew::Caller::~Caller() {
  crew_.shared_->give_back(lanes_);
  crew_.shared_->offer();
}

int Crew::Caller::take_more(int wanted) {
  const int more = crew_.shared_->take(wanted);
  lanes_ += more;
  return more;
}

void Crew::Caller::run(Job& job, int helpers) {
  Place& place = crew_.shared_->publish(job, helpers);
  job.work();
  Shared::withdraw(place);
}

}  // namespace cairn
