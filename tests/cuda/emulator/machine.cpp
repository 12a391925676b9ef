#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>

#include "block.h"
#include "emulator/vectors.h"

namespace cuda_emulator {
namespace {

enum class Order { kAscending, kDescending, kMixed };

// splitmix64: the same orders everywhere.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// Fills `numbers` with 0, 1 … in an order that the seed says.
void put_in_order(std::vector<unsigned>& numbers, std::uint64_t seed) {
  Noise noise(seed);
  const auto order = static_cast<Order>(noise() % 3);
  std::iota(numbers.begin(), numbers.end(), 0U);
  if (order == Order::kDescending) std::reverse(numbers.begin(), numbers.end());
  if (order == Order::kMixed)
    for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[noise() % i]);
}

// Shared memory with something on either side that must stay as it is, for builds without AddressSanitizer.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes) : bytes_(bytes), all_(allocate(bytes)) {
    if (all_ == nullptr) throw std::bad_alloc();
    std::fill_n(all_, kGuards, kGuard);
    std::fill_n(all_ + kGuards + bytes_, kGuards, kGuard);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { std::free(all_); }

  unsigned char* begin() const { return all_ + kGuards; }
  void fill(unsigned char byte) { std::memset(begin(), byte, bytes_); }
  bool is_alone() const {
    const auto good = [](unsigned char byte) { return byte == kGuard; };
    return std::all_of(all_, begin(), good) &&
           std::all_of(begin() + bytes_, begin() + bytes_ + kGuards, good);
  }

 private:
#if defined(CUDA_EMULATOR_ASAN)
  static constexpr std::size_t kGuards = 0;
#else
  static constexpr std::size_t kGuards = 256;
#endif
  static constexpr unsigned char kGuard = 0xA5;

  static unsigned char* allocate(std::size_t bytes) {
    void* memory = nullptr;
    return posix_memalign(&memory, 128, bytes + 2 * kGuards) == 0 ? static_cast<unsigned char*>(memory)
                                                                  : nullptr;
  }

  std::size_t bytes_;
  unsigned char* all_;
};

}  // namespace

__thread Machine* Machine::running_ = nullptr;

Machine& Machine::of_thread() {
  static thread_local Machine machine;
  return machine;
}

std::string Machine::run(const Launch& launch) {
  SharedMemory shared(launch.shared_bytes);
  running_ = this;
  launch_ = &launch;
  shared_ = shared.begin();
  failure_.clear();
  gridDim = {launch.blocks, 1, 1};
  blockDim = {launch.threads, 1, 1};
  threads_.resize(launch.threads);
  warps_.resize((launch.threads + kWarp - 1) / kWarp);
  std::vector<unsigned> blocks(launch.blocks);
  put_in_order(blocks, launch.blocks * 7919ULL + launch.threads);
  for (const unsigned block : blocks) {
    unwritten_ = Noise(seed_of(block) + 1)() % 2 == 0 ? kNan : kLarge;
    shared.fill(unwritten_);
    std::string wrong = run_block(block);
    if (wrong.empty() && !shared.is_alone()) wrong = "something was written beside the shared memory";
    if (!wrong.empty())
      return "kernel with " + launch.name + ", block " + std::to_string(block) + ": " + wrong;
  }
  return {};
}

std::string Machine::run_block(unsigned block) {
  blockIdx = {block, 0, 0};
  arrange(block);
  turn_to(next());
  // Here all threads have ended, or one has failed, or all that are left wait.
  if (failure_.empty() && live_ > 0) failure_ = "deadlock: " + where_they_wait();
  if (!failure_.empty()) {
    free_.clear();
    workers_.clear();  // with what was going on there
  }
  worker_ = nullptr;
  return failure_;
}

void Machine::arrange(unsigned block) {
  for (Thread& it : threads_) {
    it.state = Thread::State::kNew;
    it.copies.clear();
    it.turn = 0;
  }
  const auto threads = static_cast<unsigned>(threads_.size());
  for (Warp& warp : warps_) {
    warp.ended = 0;
    warp.meetings.clear();
  }
  if (threads % kWarp != 0) warps_.back().ended = ~0U << threads % kWarp;
  order_.resize(threads);
  put_in_order(order_, seed_of(block));
  cursor_ = threads - 1;
  live_ = ready_ = threads;
  at_block_ = 0;
  any_ = false;
  tries_ = 0;
}

// The same for the same block of the same launch.
std::uint64_t Machine::seed_of(unsigned block) const {
  return (std::uint64_t{block} << 32 | launch_->blocks) * 31 + launch_->threads + launch_->shared_bytes;
}

// The thread whose turn is next, or nobody.
unsigned Machine::next() {
  if (ready_ == 0) return kNobody;
  while (true) {
    if (++cursor_ >= order_.size()) cursor_ = 0;
    const Thread::State state = threads_[order_[cursor_]].state;
    if (state == Thread::State::kNew || state == Thread::State::kReady) return order_[cursor_];
  }
}

// From a fiber that waits, or from the one that is no thread's, to a thread; with nobody left, back to that.
void Machine::turn_to(unsigned thread) {
  Worker* const from = worker_;
  Fiber& from_fiber = from != nullptr ? from->fiber : home_;
  if (thread == kNobody) {
    from_fiber.switch_to(home_);
    return;
  }
  Thread& to = threads_[thread];
  if (to.state == Thread::State::kNew) {
    if (free_.empty()) {
      workers_.push_back(std::make_unique<Worker>(&Machine::work));
      free_.push_back(workers_.back().get());
    }
    to.worker = free_.back();
    free_.pop_back();
  }
  current_ = thread;
  threadIdx.x = thread;
  worker_ = to.worker;
  if (worker_ != from) from_fiber.switch_to(worker_->fiber);
}

// What a worker does for ever: it runs the current thread, then the next new one.
void Machine::work() {
  Machine& machine = current();
  Fiber::begin(machine.home_);
  Worker* const self = machine.worker_;
  while (true) {
    machine.thread().state = Thread::State::kReady;
    machine.launch_->body(machine.launch_->call);
    machine.end_thread();
    const unsigned next = machine.next();
    if (next != kNobody && machine.threads_[next].state == Thread::State::kNew) {
      machine.threads_[next].worker = self;
      machine.current_ = next;
      threadIdx.x = next;
      continue;
    }
    machine.free_.push_back(self);
    machine.turn_to(next);
  }
}

void Machine::yield() { turn_to(next()); }

void Machine::give_up() {
  turn_to(kNobody);
  std::abort();  // nobody comes back to a block that failed
}

void Machine::end_thread() {
  const unsigned warp = current_ / kWarp;
  thread().state = Thread::State::kEnded;
  warps_[warp].ended |= 1U << current_ % kWarp;
  --live_;
  --ready_;
  tries_ = 0;
  if (at_block_ > 0 && at_block_ == live_) release_block();
  release_if_complete(warp);
}

void Machine::try_again() {
  if (++tries_ > kMostTries) fail("tries again for ever");
  yield();
}

}  // namespace cuda_emulator
