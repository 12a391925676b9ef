#ifndef CAIRN_CAIRN_H_
#define CAIRN_CAIRN_H_

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"

// What Cairn has beyond CANN: in libacl_rt.so, and what runs executors in libnnopbase.so.

#ifdef __cplusplus
extern "C" {
#endif

// "cpu" or "cuda": whose devices aclrtGetDeviceCount counts. Null when no device can be used;
// aclGetRecentErrMsg then says why.
ACL_FUNC_VISIBILITY const char* cairnGetBackendName(void);

// A device in words, cut to `size` bytes with the final zero: "NVIDIA H200, compute capability 9.0, …".
ACL_FUNC_VISIBILITY aclError cairnGetDeviceDescription(int32_t deviceId, char* text, size_t size);

// A stream whose operators run on this machine's CPU, whatever CAIRN_DEVICE says, over tensors in any memory
// of the program; streams of a device take device memory only. It belongs to no context: any thread may use
// it, and none needs aclrtSetDevice for it.
ACL_FUNC_VISIBILITY aclError cairnCreateCpuStream(aclrtStream* stream);

// The same without a thread of its own: a call that queues something computes it on the calling thread, with
// help for large tensors, and returns when it is done. That saves waking a thread, and where the caller has
// an OpenMP team, as PyTorch's threads do, the team helps. What has to wait for an event of another stream is
// computed later, by the thread that records the event or by one that synchronises.
ACL_FUNC_VISIBILITY aclError cairnCreateInlineCpuStream(aclrtStream* stream);

// A cudaStream_t of the caller's (null: the legacy default stream) as a stream of this API, for the backend
// "cuda". It belongs to no context either. The caller keeps owning the CUDA stream and destroys it after the
// wrapper; aclrtDestroyStream of the wrapper waits for what was queued through it and leaves the CUDA stream
// as it is. An index outside its plane is also reported by the next call that queues something here, since
// the program may never synchronise through this API.
ACL_FUNC_VISIBILITY aclError cairnWrapCudaStream(void* cudaStream, int32_t deviceId, aclrtStream* stream);

typedef struct cairnCallInfo {
  const char* operatorName;  // "aclnnMaxUnpool3dBackward"
  const char* product;       // whose rules phase 1 enforced: "portable"
  const char* backend;       // "cpu" or "cuda"
  int32_t deviceId;
  char
      kernel[128];  // which of the operator's kernels ran; on the CPU also its instruction set: "bands, AVX2"
} cairnCallInfo;

// About the last operator that the calling thread queued. ACL_ERROR_RT_PARAM_INVALID when there is none.
ACL_FUNC_VISIBILITY aclError cairnGetLastCall(cairnCallInfo* info);

struct aclOpExecutor;

// Phase 2 of the operator that made the executor, over other memory: addresses[i] is for this run what
// aclSetRawTensorAddr would set for its i-th tensor, of those that were given to phase 1 in its order. The
// tensors stay what they are, and may have been destroyed: threads can share one repeatable executor.
ACL_FUNC_VISIBILITY aclError cairnLaunch(struct aclOpExecutor* executor, void* const* addresses,
                                         uint64_t count, void* workspace, uint64_t workspaceSize,
                                         aclrtStream stream);

// The same, and then aclrtSynchronizeStream: for bindings, to whom each call of a C function costs much.
ACL_FUNC_VISIBILITY aclError cairnCompute(struct aclOpExecutor* executor, void* const* addresses,
                                          uint64_t count, void* workspace, uint64_t workspaceSize,
                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif  // CAIRN_CAIRN_H_
