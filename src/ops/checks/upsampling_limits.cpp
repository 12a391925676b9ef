#include "ops/checks/upsampling_limits.h"

namespace cairn::upsampling {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMemory = std::int64_t{60} << 30;
constexpr std::int64_t kRows = std::int64_t{1} << 31;

const TensorArgument& read_tensor(const Call& call) { return *call.tensors()[0]; }
const TensorArgument& written_tensor(const Call& call) { return *call.tensors()[1]; }

Size3 plane(const Call& call, const TensorArgument& tensor) {
  return plane_of(*tensor.desc, axes_of(call, tensor));
}

Wide planes(const Call& call, const TensorArgument& tensor) {
  const Axes axes = axes_of(call, tensor);
  return Wide{size_along(axes.n, tensor.dims())} * size_along(axes.c, tensor.dims());
}

// `bytes` of an element in the buffers. Without limits the product could pass what Wide holds; where there
// are some, a rule before this one keeps it far away.
Complaint memory_within(const Call& call, std::int64_t bytes) {
  if (!call.support().size_limits) return {};
  const Size3 from = plane(call, read_tensor(call));
  const Size3 to = plane(call, written_tensor(call));
  Wide cells = Wide{from.count()} + to.count() + Wide{from.d} * from.h * to.w;
  if (call.spatial() == 3) cells += Wide{from.d} * to.h * to.w;
  const Wide all = planes(call, read_tensor(call)) * cells * bytes;
  if (all < kMemory) return {};
  return sentence(read_tensor(call).name, " ", read_tensor(call).dims(), " and ", written_tensor(call).name,
                  " ", written_tensor(call).dims(), " need ", static_cast<std::int64_t>(all >> 30),
                  " GiB for buffers of ", bytes, " bytes an element, expected less than 60 ", where(call));
}

}  // namespace

Complaint memory_of_floats(const Call& call) { return memory_within(call, sizeof(float)); }

Complaint memory_of_elements(const Call& call) {
  return memory_within(call, static_cast<std::int64_t>(aclDataTypeSize(read_tensor(call).desc->type)));
}

Complaint rows_within_limit(const Call& call) {
  if (!call.support().size_limits) return {};
  const TensorArgument& tensor = read_tensor(call);
  const Size3 from = plane(call, tensor);
  const Wide rows = planes(call, tensor) * from.d * from.h;
  if (rows < kRows) return {};
  return sentence(tensor.name, " has shape ", tensor.dims(), " with ", static_cast<std::int64_t>(rows),
                  " rows, expected less than ", kRows, " ", where(call));
}

Complaint plane_within_limit(const Call& call) {
  if (!call.support().size_limits) return {};
  const TensorArgument& tensor = written_tensor(call);
  const Size3 to = plane(call, tensor);
  const Wide cells = Wide{to.h} * to.w;
  if (cells < kRows) return {};
  return sentence(tensor.name, " has shape ", tensor.dims(), " with H·W = ", static_cast<std::int64_t>(cells),
                  ", expected less than ", kRows, " ", where(call));
}

}  // namespace cairn::upsampling
