#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

// For tests that fork while other threads run. CMake sets the variable where the tests run under such a qemu.
#define SKIP_WHERE_FORKS_HANG()                                                                        \
  if (const char* qemu = std::getenv("CAIRN_TEST_OLD_QEMU"))                                           \
  GTEST_SKIP() << "qemu " << qemu << " leaves locks of its own held in the child of a fork, with any " \
               << "program whose threads come and go; qemu 10.0 does not"
