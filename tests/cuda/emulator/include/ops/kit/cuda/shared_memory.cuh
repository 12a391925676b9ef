#pragma once

#include <cuda_runtime.h>

// In place of the header of the same name.
#define CAIRN_SHARED_MEMORY(Word, name) auto* const name = static_cast<Word*>(cuda_emulator::shared_memory())
