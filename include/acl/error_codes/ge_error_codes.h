#ifndef ACL_ERROR_CODES_GE_ERROR_CODES_H_
#define ACL_ERROR_CODES_GE_ERROR_CODES_H_

#include <stddef.h>
#include <stdint.h>

// The first code of each graph-engine family; nothing here returns one.
static const uint32_t ACL_ERROR_GE_PARAM_INVALID = 145000U;
static const uint32_t ACL_ERROR_GE_MEMORY_ALLOCATION = 245000U;
static const uint32_t ACL_ERROR_GE_INTERNAL_ERROR = 545000U;

#endif  // ACL_ERROR_CODES_GE_ERROR_CODES_H_
