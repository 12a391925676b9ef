#pragma once

#include "emulator/halves.h"

using __nv_bfloat16 = cuda_emulator::Half<7>;
using __nv_bfloat162 = cuda_emulator::Halves<7>;

inline float __bfloat162float(__nv_bfloat16 value) { return cuda_emulator::widen(value); }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return cuda_emulator::narrow<7>(value); }
inline short __bfloat16_as_short(__nv_bfloat16 value) { return static_cast<short>(value.bits); }
inline __nv_bfloat16 __short_as_bfloat16(short bits) { return {static_cast<unsigned short>(bits)}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 pair) { return pair.x; }
