// Stands for a libcairn_cuda.so that lies beside libacl_rt.so: of another build, of one from before builds
// had stamps, or of the same.
#include "backend/cuda/open.h"
#include "build_stamp.h"

#if defined(CAIRN_OTHER_STAMP)
const char cairn_cuda_stamp[] = "another";
#elif !defined(CAIRN_NO_STAMP)
const char cairn_cuda_stamp[] = CAIRN_STAMP;
#endif

cairn::CudaChoice cairn_cuda_open() { return {nullptr, "this one was opened"}; }
