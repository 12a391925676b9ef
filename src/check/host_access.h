#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "callsite/stack.h"

namespace cairn::check {

// A load or store of the program's own in memory that it was not to touch then.
struct HostAccess {
  std::uintptr_t address = 0;
  bool writes = false;
  Stack stack;
  std::uint64_t host_function = 0;  // the call that queued the one it was made in; 0: none
};

// Catches them from now on in these addresses. Other faults go to the handler that was there before.
void watch_addresses(const void* begin, std::size_t bytes);
// In a child of fork(), which has none of that memory.
void forget_addresses();
// Where such memory cannot be opened: called in the signal handler, before the fault ends the program.
using TellOfCrash = void (*)(const HostAccess& access);
void catch_crashes(TellOfCrash tell);
// Takes the signal back if the program has set a handler of its own, which then gets the other faults.
void keep_handler();
// The calling thread runs that host function from now on; 0: none any more.
void enter_host_function(std::uint64_t call);
// Closes whole pages to the program's stores, or to its loads as well; opens them again.
void close_pages(std::uintptr_t begin, std::uintptr_t end, bool to_loads);
void open_pages(std::uintptr_t begin, std::uintptr_t end);
// What was caught since the last call.
std::vector<HostAccess> take_host_accesses();

}  // namespace cairn::check
