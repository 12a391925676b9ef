#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "cairn/cairn.h"
#include "fuzz/program_call.h"
#include "reference/oracle.h"

// Both phases on memory that is exactly as large as each storage: the sanitizer sees every access outside.
// What is accepted must be what the oracle computes.
namespace {

using fuzz::Operator;
using fuzz::ProgramCall;
using fuzz::TensorSpec;
using reference::Random;
using reference::Type;

constexpr std::int64_t kMostElements = 1 << 15;
constexpr aclError kIndexFault = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
aclrtStream stream = nullptr;

// Elements needed before any overflow; nothing when that is too many for a fuzzer to back with memory.
std::optional<std::int64_t> bounded_product(const std::vector<std::int64_t>& dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(product, dim, &product) || product > kMostElements)
      return std::nullopt;
  return product;
}

std::vector<std::int64_t> strides_of(const TensorSpec& spec) {
  if (!spec.strides.empty()) return spec.strides;
  std::vector<std::int64_t> strides(spec.dims.size());
  std::int64_t next = 1;
  for (std::size_t i = spec.dims.size(); i-- > 0;) {
    strides[i] = next;
    if (__builtin_mul_overflow(next, spec.dims[i], &next)) next = 0;
  }
  return strides;
}

// Elements from the storage base to the end of the view; nothing when that is too far or makes no sense.
std::optional<std::int64_t> reach_of(const TensorSpec& spec) {
  const std::vector<std::int64_t> strides = strides_of(spec);
  std::int64_t reach = spec.offset;
  bool too_far = false;
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    if (spec.dims[i] < 0 || strides[i] < 0) return std::nullopt;
    if (spec.dims[i] == 0) return 0;
    std::int64_t along = 0;
    too_far |= __builtin_mul_overflow(spec.dims[i] - 1, strides[i], &along) ||
               __builtin_add_overflow(reach, along, &reach);
  }
  if (spec.offset < 0 || too_far || reach >= kMostElements) return std::nullopt;
  return reach + 1;
}

std::optional<Type> reference_type(aclDataType type) {
  for (int i = 0; i <= static_cast<int>(Type::kInt64); ++i)
    if (api_test::to_acl(static_cast<Type>(i)) == type) return static_cast<Type>(i);
  return std::nullopt;
}

// A tensor with its memory on the heap, where the sanitizer watches both ends.
class Backed {
 public:
  // Without a storage shape nobody could refuse a view that leaves the memory, so then it is as large as the
  // view.
  explicit Backed(TensorSpec& spec) : spec_(spec) {
    std::optional<std::int64_t> elements =
        spec.storage.empty() ? reach_of(spec) : bounded_product(spec.storage);
    if (!elements) {
      spec.storage = {kMostElements};
      elements = kMostElements;
    }
    const int element_size = reference_type(spec.type) ? size_of(*reference_type(spec.type)) : 1;
    elements_ = *elements;
    bytes_.resize(static_cast<std::size_t>(elements_ * element_size));
    bytes_.shrink_to_fit();
    tensor_.emplace(spec, bytes_.data());
  }

  aclTensor* tensor() const { return *tensor_; }
  std::vector<unsigned char>& bytes() { return bytes_; }
  bool is_within() const {
    const std::optional<std::int64_t> reach = reach_of(spec_);
    return reach && *reach <= elements_;
  }
  void fill_with_noise(Random& random) {
    for (unsigned char& byte : bytes_) byte = static_cast<unsigned char>(random.bits());
  }
  // Mostly cells of the plane, a few around it.
  void fill_with_indices(Random& random, std::int64_t plane) {
    const std::optional<Type> type = reference_type(spec_.type);
    if (!type || is_floating(*type)) return fill_with_noise(random);
    const int faults = random.chance(50) ? 0 : 5;
    for (std::int64_t i = 0; i < elements_; ++i) {
      std::int64_t value = random.between(-1, plane - 1);
      if (random.chance(faults)) value = random.chance(50) ? plane : static_cast<std::int64_t>(random.bits());
      store_integer(bytes_.data() + i * size_of(*type), *type, value);
    }
  }

 private:
  const TensorSpec& spec_;
  std::int64_t elements_ = 0;
  std::vector<unsigned char> bytes_;
  std::optional<api_test::Tensor> tensor_;
};

// What N, C, D, H, W are in the program's axes.
reference::View view_of(const ProgramCall& call, const TensorSpec& spec, std::vector<unsigned char>& bytes) {
  const std::size_t rank = spec.dims.size();
  const bool flat = call.op == Operator::kMaxPool2d;
  const std::size_t spatial = flat ? 2 : 3;
  std::vector<std::size_t> axes;
  for (std::size_t axis = 5 - spatial; axis < 5; ++axis) axes.push_back(axis);
  if (call.op == Operator::kMaxUnpool3d) {
    if (rank == 5) axes.insert(axes.begin(), 1);
    axes.insert(axes.begin(), 0);
  } else {
    axes.insert(call.channels_last() ? axes.end() : axes.begin(), 1);
    if (rank == spatial + 2) axes.insert(axes.begin(), 0);
  }
  const Type type = *reference_type(spec.type);
  reference::View view{bytes.data(), type, {1, 1, 1, 1, 1}, {}};
  const std::vector<std::int64_t> strides = strides_of(spec);
  for (std::size_t i = 0; i < rank; ++i) {
    view.size[axes[i]] = spec.dims[i];
    view.stride[axes[i]] = strides[i];
  }
  // An empty view may have any offset.
  if (view.count() > 0) view.origin += spec.offset * size_of(type);
  return view;
}

struct Operands {
  Backed grad;
  Backed self;
  Backed indices;
  Backed result;
};

reference::Triple spatial_of(const reference::View& view) {
  return {view.size[2], view.size[3], view.size[4]};
}

void compare_backward(const ProgramCall& call, Operands& operands, std::vector<unsigned char> expected,
                      aclError status) {
  const reference::View grad = view_of(call, call.grad, operands.grad.bytes());
  const reference::View result = view_of(call, call.result, expected);
  std::optional<reference::Fault> fault;
  if (call.op == Operator::kUpsample3d) {
    upsample_nearest_backward(grad, result,
                              reference::upsample_scales(spatial_of(result), spatial_of(grad), call.scales));
  } else {
    const reference::View indices = view_of(call, call.indices, operands.indices.bytes());
    fault = call.op == Operator::kMaxUnpool3d
                ? max_unpool_backward(grad, indices, result)
                : max_pool_backward(grad, indices, result, call.channels_last());
  }
  if (status != (fault ? kIndexFault : 0)) fail(call, "synchronise gave " + std::to_string(status));
  const std::string wrong = difference(result, expected, operands.result.bytes());
  if (!wrong.empty()) fail(call, wrong);
}

// The window of an accepted call; nothing where the oracle, which looks at every tap, would take too long.
std::optional<reference::Window> window_of(const ProgramCall& call, std::int64_t cells) {
  constexpr std::int64_t kMostTaps = 1 << 21;
  const bool flat = call.op == Operator::kMaxPool2d;
  const auto on_axes = [&](const std::vector<std::int64_t>& values, std::int64_t missing) {
    reference::Triple result{missing, missing, missing};
    for (std::size_t axis = flat ? 1 : 0; axis < 3; ++axis)
      result[axis] = values.size() == 1 ? values[0] : values[axis - (flat ? 1 : 0)];
    return result;
  };
  const reference::Window window{on_axes(call.arrays[0], 1),
                                 on_axes(call.arrays[1].empty() ? call.arrays[0] : call.arrays[1], 1),
                                 on_axes(call.arrays[2], 0), on_axes(call.arrays[3], 1)};
  std::int64_t taps = cells;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const std::int64_t value : {window.kernel[axis], window.stride[axis], window.dilation[axis]})
      if (value > 1 << 20) return std::nullopt;
    if (__builtin_mul_overflow(taps, window.kernel[axis], &taps) || taps > kMostTaps) return std::nullopt;
  }
  return window;
}

void compare_forward(const ProgramCall& call, Operands& operands, std::vector<unsigned char> expected,
                     std::vector<unsigned char> expected_indices, aclError status) {
  const reference::View self = view_of(call, call.self, operands.self.bytes());
  const reference::View out = view_of(call, call.grad, expected);
  std::optional<reference::Fault> fault;
  std::string wrong;
  if (call.op == Operator::kUpsample3d) {
    upsample_nearest(self, out, reference::upsample_steps(spatial_of(self), spatial_of(out), call.scales));
  } else if (call.op == Operator::kMaxUnpool3d) {
    fault = max_unpool(self, view_of(call, call.indices, operands.indices.bytes()), out);
  } else {
    const std::optional<reference::Window> window = window_of(call, out.count());
    if (!window) return;
    const reference::View indices = view_of(call, call.indices, expected_indices);
    max_pool(self, *window, out, indices);
    wrong = difference(indices, expected_indices, operands.indices.bytes());
  }
  if (status != (fault ? kIndexFault : 0)) fail(call, "synchronise gave " + std::to_string(status));
  wrong += difference(out, expected, operands.grad.bytes());
  if (!wrong.empty()) fail(call, wrong);
}

void run(const ProgramCall& call, Operands& operands, aclOpExecutor* executor, std::uint64_t workspace_size) {
  const std::vector<unsigned char> before = (call.forward ? operands.grad : operands.result).bytes();
  const std::vector<unsigned char> indices_before = operands.indices.bytes();
  const auto workspace = std::make_unique<unsigned char[]>(workspace_size);
  const aclnnStatus status =
      phase2(call, workspace_size > 0 ? workspace.get() : nullptr, workspace_size, executor, stream);
  if (status != 0) fail(call, "phase 2 gave " + std::to_string(status));
  const aclError synchronised = aclrtSynchronizeStream(stream);
  if (call.forward) return compare_forward(call, operands, before, indices_before, synchronised);
  compare_backward(call, operands, before, synchronised);
}

bool is_small(const TensorSpec& spec) { return bounded_product(spec.dims).has_value(); }

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  setenv("CAIRN_DEVICE", "cpu", 1);
  setenv("CAIRN_THREADS", "2", 1);
  unsetenv("CAIRN_PRODUCT");
  // A stream of this kind takes any memory of the program, so also the heap's.
  if (aclInit(nullptr) != 0 || cairnCreateCpuStream(&stream) != 0) std::abort();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Random random(std::span(data, size));
  ProgramCall call = fuzz::sound_call(random);
  for (std::int64_t changes = random.between(0, 3); changes > 0; --changes) bend(random, call);

  Operands operands{Backed(call.grad), Backed(call.self), Backed(call.indices), Backed(call.result)};
  std::int64_t plane = 1;
  const TensorSpec& indexed = call.op == Operator::kMaxUnpool3d ? call.grad : call.self;
  for (const std::int64_t dim : indexed.dims)
    plane = dim > 0 && dim < 100 && plane < 10000 ? plane * dim : plane;
  plane = random.between(1, plane);
  Random content(random.bits());
  operands.grad.fill_with_noise(content);
  operands.self.fill_with_noise(content);
  operands.result.fill_with_noise(content);
  operands.indices.fill_with_indices(content, plane);

  std::vector<std::unique_ptr<api_test::IntArray>> arrays;
  fuzz::Arguments arguments{operands.grad.tensor(),
                            operands.self.tensor(),
                            operands.indices.tensor(),
                            operands.result.tensor(),
                            {}};
  for (const auto& values : call.arrays) arrays.push_back(std::make_unique<api_test::IntArray>(values));
  for (std::size_t i = 0; i < arrays.size(); ++i) arguments.arrays[i] = *arrays[i];
  std::uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  if (phase1(call, arguments, &workspace_size, &executor) != 0) return 0;

  const TensorSpec& other = call.forward ? call.self : call.result;
  if (!operands.grad.is_within() || !(call.forward ? operands.self : operands.result).is_within())
    fail(call, "a view outside its storage passed");
  if (call.has_indices() && !operands.indices.is_within()) fail(call, "indices outside their storage passed");
  if (!is_small(call.grad) || !is_small(other)) {
    // Broadcast along so many elements that computing them would take too long here.
    aclDestroyAclOpExecutor(executor);
    return 0;
  }
  run(call, operands, executor, workspace_size);
  return 0;
}
