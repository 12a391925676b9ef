#pragma once

#include <string>

#include "reference/operand.h"

namespace reference {

std::string describe(const Window& window);

enum class Indices {
  kArgmax,              // what a forward finds in random data; -1 where a window lies in padding only
  kArgmaxWithStrays,    // some point elsewhere in the plane
  kArgmaxWithOneStray,  // one of each plane
  kArgmaxWithFaults,    // some point outside the plane
  kAnywhere,            // all over the plane
  kHoles,               // many -1
  kOneCell,             // all the same
  kFaults,              // anywhere, many outside the plane
};
const char* name_of(Indices indices);
Indices random_indices(Random& random);

// Fills an index tensor whose values point into planes of size `in`. Without a window the argmax kinds point
// anywhere.
void fill_indices(Random& random, const View& view, Indices indices, const Triple& in, const Window* window);

}  // namespace reference
