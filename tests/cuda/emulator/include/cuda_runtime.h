#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <cstring>

// What device code uses without naming it.
#include "emulator/atomics.h"
#include "emulator/numbers.h"
#include "emulator/warps.h"

using std::isnan;
