#include "emulator/threads.h"

#include <cstring>

#include "block.h"
#include "emulator/vectors.h"

__thread uint3 threadIdx, blockIdx;
__thread uint3 blockDim, gridDim;

namespace cuda_emulator {
namespace {

// Shared memory does not begin with address 0, so that 0 is never a place there.
constexpr unsigned kFirstAddress = 1024;

// Copies of the turns before this one arrive.
void complete(Thread& thread, int before) {
  std::size_t kept = 0;
  for (const Copy& copy : thread.copies) {
    if (copy.turn < before) {
      std::memcpy(copy.to, copy.data.data(), copy.bytes);
    } else {
      thread.copies[kept++] = copy;
    }
  }
  thread.copies.resize(kept);
}

}  // namespace

bool wait_for_block(BlockWait kind, bool predicate, Place place) {
  return Machine::current().wait_for_block(kind, predicate, place);
}

std::uint64_t wait_for_lanes(WarpWait kind, unsigned mask, const Brought& brought, Place place) {
  return Machine::current().wait_for_lanes(kind, mask, brought, place);
}

void try_again() { Machine::current().try_again(); }

void* shared_memory() { return Machine::current().shared(); }

unsigned shared_address(const void* address) {
  const auto from_begin = static_cast<const unsigned char*>(address) - Machine::current().shared();
  return kFirstAddress + static_cast<unsigned>(from_begin);
}

void* shared_place(unsigned address, std::size_t bytes) {
  Machine& machine = Machine::current();
  const std::size_t offset = address - kFirstAddress;
  if (address < kFirstAddress || offset + bytes > machine.shared_bytes())
    machine.fail("byte ", static_cast<int>(address - kFirstAddress), " of ", machine.shared_bytes(),
                 " bytes of shared memory");
  if (offset % bytes != 0) machine.fail("byte ", offset, " of shared memory is no place for ", bytes);
  return machine.shared() + offset;
}

void start_copy(void* to, const void* from, std::size_t bytes) {
  Machine& machine = Machine::current();
  if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0 ||
      reinterpret_cast<std::uintptr_t>(from) % bytes != 0)
    machine.fail("copies ", bytes, " bytes that do not begin at a multiple of as many");
  // Nothing else may be copied so.
  void* const place = shared_place(shared_address(to), bytes);
  Copy copy{static_cast<unsigned char*>(place), bytes, machine.thread().turn, {}};
  std::memcpy(copy.data.data(), from, bytes);
  std::memset(place, machine.unwritten(), bytes);
  machine.thread().copies.push_back(copy);
}

void end_turn_of_copies() { ++Machine::current().thread().turn; }

void wait_for_copies_before(int turns) {
  Thread& thread = Machine::current().thread();
  complete(thread, thread.turn - turns);
}

void wait_for_all_copies() {
  Thread& thread = Machine::current().thread();
  complete(thread, thread.turn + 1);
}

}  // namespace cuda_emulator
