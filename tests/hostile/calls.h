#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "api/support.h"
#include "conformance/descriptors.h"
#include "conformance/subjects.h"

// Calls of every operator, large enough for every thread of the pool to have a share.
namespace hostile_test {

using Bytes = std::vector<unsigned char>;

// A call without the library: the parent of the processes that run it makes these. Every tensor is
// contiguous.
struct Recipe {
  conformance::Case it;
  reference::Type type;
  std::string name;
  std::vector<Bytes> contents;  // by argument: of inputs what they hold, of outputs as many bytes
  std::size_t output_bytes;
  std::size_t value_bytes;  // of these: the first output's
};

// Every operator with every floating-point type it takes. The planes hold subnormals, values whose sums
// round, values on the edge of the subnormals, and values whose sums overflow to Inf and on to NaN.
std::vector<Recipe> recipes_for_sums();
// One call whose result needs only small integers.
Recipe plain_recipe(const conformance::Subject& subject);
inline Recipe plain_recipe(const char* name) { return plain_recipe(conformance::subject_named(name)); }

// A recipe with its operands in device memory.
class Call {
 public:
  explicit Call(const Recipe& recipe);

  aclnnStatus phase1(std::uint64_t* workspace_size, aclOpExecutor** executor) const {
    return descriptors_->phase1(workspace_size, executor);
  }
  aclnnStatus phase2(void* workspace, std::uint64_t size, aclOpExecutor* executor, aclrtStream stream) const {
    return subject_.phase2(workspace, size, executor, stream);
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
  const conformance::Subject& subject_;
  std::list<api_test::Buffer> buffers_;
  std::vector<std::pair<void*, std::size_t>> outputs_;
  std::optional<conformance::Descriptors> descriptors_;
  std::unique_ptr<api_test::Buffer> workspace_;
};

}  // namespace hostile_test
