#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

// In place of the header of the same name, which says what all this is for.
namespace cairn::cuda {

template <typename Words>
void load_words_if(bool there, const void* from, Words& words) {
  if (there) words = *static_cast<const Words*>(from);
}

template <typename T>
T keep(T value) {
  return value;
}

inline float largest_or_nan(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return __uint_as_float(cuda_emulator::kNan);
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

inline unsigned shared_address(const void* address) { return cuda_emulator::shared_address(address); }
inline void set_shared_bits(unsigned address, unsigned bits) {
  *static_cast<unsigned*>(cuda_emulator::shared_place(address, sizeof(bits))) |= bits;
}
inline void store_shared_if(bool there, unsigned address, std::uint16_t value) {
  if (there) *static_cast<std::uint16_t*>(cuda_emulator::shared_place(address, sizeof(value))) = value;
}

inline void copy_async(void* to_shared, const void* from) { cuda_emulator::start_copy(to_shared, from, 16); }
inline void end_turn_of_copies() { cuda_emulator::end_turn_of_copies(); }
inline void wait_for_turns_before() { cuda_emulator::wait_for_copies_before(1); }
inline void wait_for_copies() {
  cuda_emulator::end_turn_of_copies();
  cuda_emulator::wait_for_copies_before(0);
}
template <int Bytes>
void start_copy(unsigned to, const void* from) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
  cuda_emulator::start_copy(cuda_emulator::shared_place(to, Bytes), from, Bytes);
}
inline void wait_for_started_copies() { cuda_emulator::wait_for_all_copies(); }

}  // namespace cairn::cuda
