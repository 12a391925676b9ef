#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// What threads of an emulated block ask the emulator. A wait lasts until the threads that are meant have
// come; what can never come ends the launch with a message.
namespace cuda_emulator {

// Where in the source a thread waits.
struct Place {
  const char* file;
  int line;

  bool operator==(const Place& other) const {
    return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
  }
};

enum class BlockWait { kBarrier, kBarrierOr };
// At a barrier of the block. Returns whether `predicate` holds for any thread.
bool wait_for_block(BlockWait kind, bool predicate, Place place);

enum class WarpWait {
  kBarrier,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kAny,
  kAll,
  kMatchAny,
  kMax,
  kUnsignedMax
};
// What a lane brings: a value, and for shuffles a lane or a distance, in groups of `width`.
struct Brought {
  std::uint64_t value = 0;
  int by = 0;
  int width = 32;
};
// With the lanes of the mask. Those that have ended count as there; what is shuffled from them has all bits
// set.
std::uint64_t wait_for_lanes(WarpWait kind, unsigned mask, const Brought& brought, Place place);

// A thread that tries again: others get a turn.
void try_again();

// The dynamic shared memory of the block.
void* shared_memory();
unsigned shared_address(const void* address);
// A place of so many bytes in it; the launch ends if there is none.
void* shared_place(unsigned address, std::size_t bytes);

// A copy that arrives when the thread waits for it; until then the place is as if nobody had written it.
void start_copy(void* to, const void* from, std::size_t bytes);
void end_turn_of_copies();
// All but those of the latest turns, or really all.
void wait_for_copies_before(int turns);
void wait_for_all_copies();

}  // namespace cuda_emulator
