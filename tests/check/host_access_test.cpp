// Accesses are caught on one thread while another takes what was caught so far: none is lost, none comes
// twice.
#include "check/host_access.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace cairn::check {
namespace {

TEST(HostAccess, NoneIsLostWhileOthersAreTaken) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  watch_addresses(memory, page);
  for (int round = 0; round < 500; ++round) {
    close_pages(address, address + page, true);
    std::atomic<bool> done = false;
    std::thread toucher([&] {
      *static_cast<volatile int*>(memory) = round;
      done = true;
    });
    std::size_t caught = 0;
    while (!done) caught += take_host_accesses().size();
    toucher.join();
    caught += take_host_accesses().size();
    ASSERT_EQ(caught, 1U) << "in round " << round;
  }
  forget_addresses();
  munmap(memory, page);
}

TEST(HostAccess, ThreadsThatFaultTogetherGetSlotsOfTheirOwn) {
  constexpr int kThreads = 8;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const memory =
      mmap(nullptr, kThreads * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  watch_addresses(memory, kThreads * page);
  for (int round = 0; round < 100; ++round) {
    close_pages(address, address + kThreads * page, true);
    std::atomic<int> waiting = 0;
    std::vector<std::thread> touchers;
    for (int i = 0; i < kThreads; ++i) {
      touchers.emplace_back([&, i] {
        for (++waiting; waiting < kThreads;) std::this_thread::yield();
        static_cast<volatile char*>(memory)[static_cast<std::size_t>(i) * page] = 1;
      });
    }
    for (std::thread& toucher : touchers) toucher.join();
    std::vector<bool> seen(kThreads);
    for (const HostAccess& access : take_host_accesses()) seen.at((access.address - address) / page) = true;
    ASSERT_EQ(seen, std::vector<bool>(kThreads, true)) << "in round " << round;
  }
  forget_addresses();
  munmap(memory, kThreads * page);
}

}  // namespace
}  // namespace cairn::check
