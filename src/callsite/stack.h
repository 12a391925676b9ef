#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cairn {

// Where a call came from: return addresses, the innermost first.
struct Stack {
  static constexpr std::size_t kDeepest = 24;

  std::array<std::uintptr_t, kDeepest> frames{};
  std::size_t depth = 0;

  std::span<const std::uintptr_t> all() const { return {frames.data(), depth}; }
  bool operator==(const Stack& other) const = default;
};

// The calling thread's.
Stack capture_stack();
// The stack of an instruction that faulted: its own address comes before the callers'.
Stack faulting_stack(std::uintptr_t instruction, const Stack& handler);

// A frame in words. Without debugging information there is no file, and `offset` counts from the function.
struct Frame {
  std::string function;
  std::string file;  // as the compiler was given it
  int line = 0;
  std::string module;
  std::uintptr_t offset = 0;
};

// The program's own frames: what lies in Cairn's libraries or before main is left out.
std::vector<Frame> resolve(const Stack& stack);

// "max_pool2d pool.cpp:71"
std::string short_text(const Frame& frame);
// "max_pool2d pool.cpp:71 < main main.cpp:40"
std::string short_text(const std::vector<Frame>& frames);
// "pool.cpp:71", of the innermost frame; the function where there is no file.
std::string place_text(const std::vector<Frame>& frames);

}  // namespace cairn
