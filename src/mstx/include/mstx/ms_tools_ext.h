// Ranges, marks and memory pools of a program, told to whatever tool watches it. Without a tool the functions
// do nothing.
#ifndef MS_TOOLS_EXT_H
#define MS_TOOLS_EXT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define MSTX_API __attribute__((visibility("default")))

typedef void* aclrtStream;

typedef uint64_t mstxRangeId;

typedef struct mstxDomainRegistration_st mstxDomainRegistration_t;
typedef mstxDomainRegistration_t* mstxDomainHandle_t;

#define MSTX_TOOL_MSPROF_ID 0x1000
#define MSTX_TOOL_MSSANITIZER_ID 0x1002

// A stream puts the mark or the range's ends into that stream as well; null does not.
MSTX_API void mstxMarkA(const char* message, aclrtStream stream);
// 0 when no tool watches.
MSTX_API mstxRangeId mstxRangeStartA(const char* message, aclrtStream stream);
MSTX_API void mstxRangeEnd(mstxRangeId id);
// The tool that watches; 0: none. Returns 0.
MSTX_API int mstxGetToolId(uint64_t* id);

// Null when no tool watches.
MSTX_API mstxDomainHandle_t mstxDomainCreateA(const char* name);
MSTX_API void mstxDomainDestroy(mstxDomainHandle_t domain);
MSTX_API void mstxDomainMarkA(mstxDomainHandle_t domain, const char* message, aclrtStream stream);
MSTX_API mstxRangeId mstxDomainRangeStartA(mstxDomainHandle_t domain, const char* message,
                                           aclrtStream stream);
MSTX_API void mstxDomainRangeEnd(mstxDomainHandle_t domain, mstxRangeId id);

#if defined(__cplusplus)
}
#endif

#include "mstx/ms_tools_ext_mem.h"

#endif
