#pragma once

namespace cairn {

// The instruction set that kernels on this machine's CPU run with: "AVX2".
const char* cpu_target();

}  // namespace cairn
