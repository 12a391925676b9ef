#pragma once

#include <atomic>

namespace cairn {

// Set once exit() has begun. From then on no thread of ours is started or relied upon: destructors of the
// program free memory that such a thread might still write, so work runs on the thread that asks for it.
inline constinit std::atomic<bool> g_process_is_ending{false};

inline bool process_is_ending() { return g_process_is_ending.load(std::memory_order_acquire); }

}  // namespace cairn
