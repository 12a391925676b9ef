#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/launch.h"
#include "emulator/threads.h"
#include "fiber.h"

namespace cuda_emulator {

struct Copy {
  unsigned char* to;
  std::size_t bytes;
  int turn;
  std::array<unsigned char, 16> data;
};

struct Worker;

struct Thread {
  enum class State { kNew, kReady, kAtBlock, kAtWarp, kEnded };

  State state = State::kNew;
  Worker* worker = nullptr;
  Place place{};
  BlockWait block_wait{};
  WarpWait warp_wait{};
  unsigned mask = 0;
  Brought brought;
  std::uint64_t result = 0;
  std::vector<Copy> copies;
  int turn = 0;  // of the copies to come
};

// Lanes that wait for each other.
struct Meeting {
  WarpWait wait;
  unsigned mask;
  unsigned there;
};

struct Warp {
  unsigned ended = 0;
  std::vector<Meeting> meetings;
};

// A fiber that runs threads, one after the other as long as none waits.
struct Worker {
  explicit Worker(void (*entry)()) : fiber(entry) {}
  Fiber fiber;
};

// Bits in a message.
struct Bits {
  unsigned bits;
};

// The blocks of a launch, one after the other. Threads of a block run in turns: each until it waits, in an
// order that depends on the block: ascending, descending, or mixed. So what lacks a barrier goes wrong in
// some block.
class Machine {
 public:
  // Of the calling thread.
  static Machine& of_thread();
  // The one that runs; there is one.
  static Machine& current() { return *running_; }

  // Empty when all is well.
  std::string run(const Launch& launch);

  bool wait_for_block(BlockWait kind, bool predicate, Place place);
  std::uint64_t wait_for_lanes(WarpWait kind, unsigned mask, const Brought& brought, Place place);
  void try_again();
  // Ends the launch. What a thread had on its stack is forgotten, so it must not own anything.
  template <typename... Part>
  [[noreturn]] void fail(const Part&... parts) {
    failure_ = "thread " + std::to_string(current_) + ": ";
    (append(failure_, parts), ...);
    give_up();
  }

  Thread& thread() { return threads_[current_]; }
  unsigned char* shared() const { return shared_; }
  std::size_t shared_bytes() const { return launch_->shared_bytes; }
  // What fills shared memory that nobody has written yet. In some blocks these are NaNs, and integers that
  // are no place. A kernel may mend what was NaN, so in others they are large numbers.
  unsigned char unwritten() const { return unwritten_; }
  static constexpr unsigned char kNan = 0xFF;
  static constexpr unsigned char kLarge = 0x7B;

 private:
  static __thread Machine* running_;
  static constexpr unsigned kNobody = ~0U;
  static constexpr unsigned kWarp = 32;
  static constexpr unsigned kMostTries = 1U << 22;

  static void work();
  static void append(std::string& text, const char* part) { text += part; }
  static void append(std::string& text, std::size_t part) { text += std::to_string(part); }
  static void append(std::string& text, int part) { text += std::to_string(part); }
  static void append(std::string& text, Bits part);
  static void append(std::string& text, Place part);
  [[noreturn]] void give_up();

  std::string run_block(unsigned block);
  void arrange(unsigned block);
  std::uint64_t seed_of(unsigned block) const;
  unsigned next();
  void turn_to(unsigned thread);
  void yield();
  void end_thread();
  void release_block();
  void release_if_complete(unsigned warp);
  void release(unsigned warp, const Meeting& meeting);
  std::string where_they_wait() const;

  const Launch* launch_ = nullptr;
  unsigned char* shared_ = nullptr;
  unsigned char unwritten_ = kNan;
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<unsigned> order_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> free_;
  Fiber home_;
  Worker* worker_ = nullptr;
  unsigned current_ = 0;
  unsigned cursor_ = 0;  // in the order
  unsigned live_ = 0;    // have not ended
  unsigned ready_ = 0;   // need not wait
  unsigned at_block_ = 0;
  BlockWait first_wait_{};  // of those at the block's barrier
  Place first_place_{};
  bool any_ = false;
  unsigned tries_ = 0;
  std::string failure_;
};

}  // namespace cuda_emulator
