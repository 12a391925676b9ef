#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "aclnn/acl_meta.h"
#include "backend/kernel.h"
#include "common/status.h"
#include "observe/values.h"

namespace cairn {

// Bytes [begin, end), counted from the storage base.
struct ByteRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// What follows from a view; see geometry.h.
struct Extent {
  std::optional<ByteRange> range = std::nullopt;
  bool dense = false;
  std::uint64_t bytes = 0;  // of all elements; saturates, since strides of 0 make tensors of any size
};

// What aclCreateTensor was told. Immutable once shared: aclInitTensor and the address setters replace it.
struct TensorDesc {
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> strides;  // in elements; filled in when the program gave none
  std::int64_t offset = 0;            // in elements, from the storage base
  std::vector<std::int64_t> storage_dims;
  bool has_storage = false;  // the program gave storageDims
  aclDataType type = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  void* address = nullptr;  // the storage base
  Extent extent = {};       // found once, when all of the above is said
};

// One tensor argument of a planned call. The byte range is that of the view, relative to the storage base;
// phase 2 reads the tensor's current address.
struct TensorUse {
  const aclTensor* tensor;
  const char* argument;  // as the API names it: "gradOutput"
  Access access;
  // The view, kept for the overlap check; an empty view is never touched.
  std::shared_ptr<const TensorDesc> desc;
};

// An operator's plan. Only the bytes it has are ever copied.
class PlanBytes {
 public:
  PlanBytes() = default;
  PlanBytes(const PlanBytes& other) { *this = other; }
  PlanBytes& operator=(const PlanBytes& other) {
    size_ = other.size_;
    if (this != &other) __builtin_memcpy(bytes_, other.bytes_, size_);
    return *this;
  }

  template <typename Plan>
  void set(const Plan& value) {
    static_assert(std::is_trivially_copyable_v<Plan> && sizeof(Plan) <= sizeof(bytes_));
    static_assert(alignof(Plan) <= alignof(PlanBytes));
    __builtin_memcpy(bytes_, &value, sizeof(Plan));
    size_ = sizeof(Plan);
  }
  void* data() { return bytes_; }
  const void* data() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  alignas(16) std::byte bytes_[512];
  std::size_t size_ = 0;
};

// What phase 1 leaves behind for phase 2.
struct PlannedCall {
  const Kernel* kernel = nullptr;
  const char* product = "";  // whose rules phase 1 enforced
  std::vector<TensorUse> tensors;
  std::uint64_t workspace_size = 0;
  std::uint64_t workspace_asked = 0;  // what the program was told; more than the need when a tool wants it so
  bool empty = false;                 // nothing to compute: phase 2 succeeds and queues nothing
  PlanBytes plan;
  // Writes the current storage base of tensors[i] and the workspace into the plan.
  void (*bind)(void* plan, void* const* addresses, void* workspace) = nullptr;
};

// What libopapi needs of libnnopbase beyond CANN's own functions.
class TensorBridge {
 public:
  // Null when `handle` is not a live object of that type; no address is trusted.
  virtual std::shared_ptr<const TensorDesc> find_tensor(const aclTensor* handle) const = 0;
  virtual std::shared_ptr<const std::vector<std::int64_t>> find_int_array(
      const aclIntArray* handle) const = 0;
  virtual std::shared_ptr<const std::vector<float>> find_float_array(const aclFloatArray* handle) const = 0;
  // Several at once, under one lock where one thread made them.
  struct Lookup {
    const void* handle;
    HandleKind kind;
    std::shared_ptr<const void> found = nullptr;
  };
  virtual void find(std::span<Lookup> wanted) const = 0;
  // What `handle` is, for a message about one that was not found: "an aclIntArray", "no live object".
  virtual const char* describe(const void* handle) const = 0;

  virtual aclOpExecutor* create_executor(PlannedCall&& call) const = 0;
  // Phase 2, the same for every operator: checks, binds, queues, retires the executor. `kernel` is the
  // operator whose entry point was called; an executor of another one is refused.
  virtual Status run(aclOpExecutor* executor, const Kernel& kernel, void* workspace,
                     std::uint64_t workspace_size, void* stream) const = 0;

  // Tensors, arrays, lists, scalars and executors that are live now: what leaks show up in.
  virtual std::size_t live_objects() const = 0;

 protected:
  ~TensorBridge() = default;
};

}  // namespace cairn

extern "C" __attribute__((visibility("default"))) const cairn::TensorBridge& cairn_tensor_bridge();
