#pragma once

#include "build_stamp.h"

// libacl_rt defines this symbol and the libraries above it need it. Its name ends with the stamp of the build
// (cmake/CairnStamp.cmake), so the loader refuses libraries of different builds, which would take each
// other's C++ types for their own.
extern "C" __attribute__((visibility("default"))) const char CAIRN_ONE_BUILD;
