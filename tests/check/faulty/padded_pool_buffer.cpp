// tensor_outside_its_allocation, error: the padded input of a max pooling, with the size formula of llama.cpp
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "program.h"

int main() {
  Device device;
  Stream stream;
  // A plane of 8 x 8 floats is padded to 10 x 10: its rows get longer as well, and padding counts elements.
  const size_t element = sizeof(float), row_bytes = 8 * element, plane_bytes = 8 * row_bytes, pad = 1;
#ifdef FIXED
  const size_t padded_bytes = (8 + 2 * pad) * (8 + 2 * pad) * element;
#else
  const size_t padded_bytes = plane_bytes + pad * 2 + pad * 2 * row_bytes;
#endif
  Memory padded(padded_bytes);  // earlier
  padded.fill(0);
  Memory pooled(5 * 5 * element);
  Memory indices(5 * 5 * sizeof(int32_t));
  const int64_t in[] = {1, 1, 10, 10}, out[] = {1, 1, 5, 5};
  Tensor self(aclCreateTensor(in, 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, in, 4, padded.data));
  Tensor values(aclCreateTensor(out, 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, out, 4, pooled.data));
  Tensor taken(aclCreateTensor(out, 4, ACL_INT32, nullptr, 0, ACL_FORMAT_NCHW, out, 4, indices.data));
  Ints kernel({2, 2}), step({2, 2}), padding({0, 0}), dilation({1, 1});
  Phases pool;
  must(aclnnMaxPool2dWithIndicesGetWorkspaceSize(self, kernel, step, padding, dilation, false, values, taken,
                                                 &pool.size, &pool.executor));
  aclnnMaxPool2dWithIndices(pool.space(), pool.size, pool.executor, stream);  // here
  stream.wait();
}
