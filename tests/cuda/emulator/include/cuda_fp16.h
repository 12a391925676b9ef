#pragma once

#include "emulator/halves.h"

using __half = cuda_emulator::Half<10>;
using __half2 = cuda_emulator::Halves<10>;

inline float __half2float(__half value) { return cuda_emulator::widen(value); }
inline __half __float2half_rn(float value) { return cuda_emulator::narrow<10>(value); }
inline short __half_as_short(__half value) { return static_cast<short>(value.bits); }
inline __half __short_as_half(short bits) { return {static_cast<unsigned short>(bits)}; }
inline __half __low2half(__half2 pair) { return pair.x; }
