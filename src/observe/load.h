#pragma once

#include "build_stamp.h"
#include "observe/observer.h"

namespace cairn {

// What libcairn_tools.so exports as cairn_tools_open: an observer for the words of CAIRN_CHECK, never
// destroyed; null when they ask for nothing.
using OpenTools = Observer* (*)(const char* words);

}  // namespace cairn
