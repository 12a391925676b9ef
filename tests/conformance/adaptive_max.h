#pragma once

#include "conformance/case.h"

// Adaptive max pooling, whose plans are those of max pooling.
namespace conformance {

extern const FamilyCases kAdaptiveMaxPool;
extern const FamilyCases kAdaptiveMaxPoolBackward;

}  // namespace conformance
