#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(__x86_64__)
// What a call must keep goes onto the stack, and the stack is exchanged.
extern "C" void cuda_emulator_switch(void** from, void* to);
asm(R"(
.text
.type cuda_emulator_switch, @function
cuda_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuda_emulator_switch, .-cuda_emulator_switch
)");
#endif

namespace cuda_emulator {
namespace {

constexpr std::size_t kStackBytes = 256 << 10;

}  // namespace

Fiber::Fiber(void (*entry)()) : size_(kStackBytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  memory_ =
      mmap(nullptr, page + size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED || mprotect(memory_, page, PROT_NONE) != 0) {
    std::perror("the stack of an emulated thread");
    std::abort();
  }
  bottom_ = static_cast<char*>(memory_) + page;
#if defined(__x86_64__)
  // As if `entry` had been called, and had then switched with six registers.
  constexpr int kRegisters = 6;
  auto* end = reinterpret_cast<std::uintptr_t*>(static_cast<char*>(memory_) + page + size_);
  *--end = 0;  // where `entry` would return to; like any function it starts 8 bytes before a multiple of 16
  *--end = reinterpret_cast<std::uintptr_t>(entry);
  for (int i = 0; i < kRegisters; ++i) *--end = 0;
  top_ = end;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = const_cast<void*>(bottom_);
  context_.uc_stack.ss_size = size_;
  context_.uc_link = nullptr;
  makecontext(&context_, entry, 0);
#endif
}

Fiber::~Fiber() {
  if (memory_ == nullptr) return;
#if defined(CUDA_EMULATOR_ASAN)
  __asan_unpoison_memory_region(bottom_, size_);  // a fiber that was given up had variables there
#endif
  munmap(memory_, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + size_);
}

void Fiber::switch_to(Fiber& to) {
#if defined(CUDA_EMULATOR_ASAN)
  __sanitizer_start_switch_fiber(&asan_frames_, to.bottom_, to.size_);
#endif
#if defined(__x86_64__)
  cuda_emulator_switch(&top_, to.top_);
#else
  swapcontext(&context_, &to.context_);
#endif
#if defined(CUDA_EMULATOR_ASAN)
  __sanitizer_finish_switch_fiber(asan_frames_, nullptr, nullptr);
#endif
}

void Fiber::begin([[maybe_unused]] Fiber& from) {
#if defined(CUDA_EMULATOR_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &from.bottom_, &from.size_);
#endif
}

}  // namespace cuda_emulator
