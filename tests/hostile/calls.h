#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "api/support.h"
#include "reference/number.h"

// Calls of all eight operators, large enough for every thread of the pool to have a share.
namespace hostile_test {

enum class Operator {
  kMaxPool3d,
  kMaxPool3dBackward,
  kMaxPool2d,
  kMaxPool2dBackward,
  kMaxUnpool3d,
  kMaxUnpool3dBackward,
  kUpsampleNearest3d,
  kUpsampleNearest3dBackward,
};
inline constexpr int kOperatorCount = 8;

using Bytes = std::vector<unsigned char>;

// A call without the library: the parent of the processes that run it makes these.
struct Recipe {
  Operator op;
  reference::Type type;
  std::string name;
  Bytes values;   // of the tensor that is read
  Bytes indices;  // where the operator reads some
  std::size_t output_bytes;
};

// Every operator with every floating-point type it takes. The planes hold subnormals, values whose sums
// round, values on the edge of the subnormals, and values whose sums overflow to Inf and on to NaN.
std::vector<Recipe> recipes_for_sums();
// One call whose result needs only small integers.
Recipe plain_recipe(Operator op);

// A recipe with its operands in device memory.
class Call {
 public:
  explicit Call(const Recipe& recipe);

  aclnnStatus phase1(std::uint64_t* workspace_size, aclOpExecutor** executor) const {
    return phase1_(workspace_size, executor);
  }
  aclnnStatus phase2(void* workspace, std::uint64_t size, aclOpExecutor* executor, aclrtStream stream) const {
    return phase2_(workspace, size, executor, stream);
  }
  // Both phases, with workspace where one is asked for; the first status that is not 0.
  aclnnStatus queue(aclrtStream stream);
  // Fills the outputs with bytes that no result has.
  void spoil() const { EXPECT_EQ(try_to_spoil(), 0); }
  aclError try_to_spoil() const;
  // The outputs' bytes, one after the other.
  Bytes result() const;
  const std::list<api_test::Buffer>& buffers() const { return buffers_; }

 private:
  aclTensor* input(const std::vector<std::int64_t>& dims, aclDataType type, const Bytes& content);
  aclTensor* output(const std::vector<std::int64_t>& dims, aclDataType type, std::size_t bytes);
  aclTensor* shape_only(const std::vector<std::int64_t>& dims, aclDataType type);
  aclIntArray* array(const std::vector<std::int64_t>& values);
  void make_pool(const Recipe& recipe);
  void make_pool_backward(const Recipe& recipe);
  void make_unpool(const Recipe& recipe);
  void make_upsample(const Recipe& recipe);

  std::list<api_test::Buffer> buffers_;
  std::vector<std::pair<void*, std::size_t>> outputs_;
  std::list<api_test::Tensor> tensors_;
  std::list<api_test::IntArray> arrays_;
  api_test::Phase1 phase1_;
  api_test::Phase2 phase2_ = nullptr;
  std::unique_ptr<api_test::Buffer> workspace_;
};

}  // namespace hostile_test
