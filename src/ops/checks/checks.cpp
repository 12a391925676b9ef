#include "ops/checks/checks.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ops/axes.h"
#include "tensor/geometry.h"
#include "tensor/text.h"

namespace cairn {
namespace {

constexpr std::array kPrivateFormats = {
    ACL_FORMAT_NC1HWC0,
    ACL_FORMAT_NC1HWC0_C04,
    ACL_FORMAT_FRACTAL_Z,
    ACL_FORMAT_FRACTAL_NZ,
    ACL_FORMAT_FRACTAL_NZ_C0_2,
    ACL_FORMAT_FRACTAL_NZ_C0_4,
    ACL_FORMAT_FRACTAL_NZ_C0_8,
    ACL_FORMAT_FRACTAL_NZ_C0_16,
    ACL_FORMAT_FRACTAL_NZ_C0_32,
    ACL_FORMAT_NDC1HWC0,
    ACL_FRACTAL_Z_3D,
};

bool has_negative(const std::vector<std::int64_t>& values) {
  return std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value < 0; });
}

std::string view_text(const TensorArgument& tensor) {
  return sentence(tensor.name, " with shape ", tensor.dims(), ", strides ", tensor.desc->strides, ", offset ",
                  tensor.desc->offset);
}

// Every element counted, and an axis of size 0 as one of size 1: whatever part of the shape a kernel
// multiplies out then fits too.
bool shape_fits(const TensorDesc& tensor) {
  auto bytes = static_cast<std::int64_t>(aclDataTypeSize(tensor.type));
  for (const std::int64_t dim : tensor.dims) {
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(dim, 1), &bytes)) return false;
  }
  return true;
}

}  // namespace

std::string where(const CallBase& call) {
  if (call.product().strict) return sentence("on ", call.product().title);
  return "in the portable profile";
}

Complaint not_null(const Argument& argument) {
  if (argument.handle != nullptr || argument.may_be_null) return {};
  return sentence(argument.name, " is null");
}

Complaint is_live(const Argument& argument) {
  if (argument.live || (argument.handle == nullptr && argument.may_be_null)) return {};
  return sentence(argument.name, " (", address_text(argument.handle), ") is ",
                  cairn_tensor_bridge().describe(argument.handle), ", expected a live ", argument.kind);
}

Complaint offered(const CallBase& call) {
  if (call.offered()) return {};
  return sentence("CAIRN_PRODUCT is ", call.product().name, ", and ", call.product().title,
                  " does not offer this operator");
}

Complaint type_among(const CallBase& call, const TensorArgument& tensor, TypeSet allowed) {
  if (allowed.has(tensor.desc->type)) return {};
  const std::string types = allowed.text();
  const bool several = types.find(',') != std::string::npos;
  return sentence(tensor.name, " has data type ", tensor.desc->type, ", expected ", several ? "one of " : "",
                  types, " ", where(call));
}

Complaint same_type(const TensorArgument& tensor, const TensorArgument& model) {
  if (tensor.desc->type == model.desc->type) return {};
  return sentence(tensor.name, " has data type ", tensor.desc->type, ", expected ", model.desc->type, " as ",
                  model.name, " has");
}

Complaint format_public(const TensorArgument& tensor) {
  const aclFormat format = tensor.desc->format;
  if (!is_format(format)) {
    return sentence(tensor.name, " has format ", format,
                    ", which is no value of aclFormat, expected one such as ND");
  }
  if (std::find(kPrivateFormats.begin(), kPrivateFormats.end(), format) == kPrivateFormats.end()) return {};
  return sentence(tensor.name, " has format ", format,
                  ", which is private to the device, expected a public one such as ND");
}

Complaint same_format(const TensorArgument& tensor, const TensorArgument& model) {
  if (tensor.desc->format == model.desc->format) return {};
  return sentence(tensor.name, " has format ", tensor.desc->format, ", expected ", model.desc->format, " as ",
                  model.name, " has");
}

Complaint rank_between(const TensorArgument& tensor, std::size_t least, std::size_t most) {
  if (tensor.rank() >= least && tensor.rank() <= most) return {};
  const std::string expected = least == most ? text_of(least) : sentence(least, " or ", most);
  return sentence(tensor.name, " has shape ", tensor.dims(), " of ", tensor.rank(), " dimensions, expected ",
                  expected);
}

Complaint same_rank(const TensorArgument& tensor, const TensorArgument& model) {
  const std::size_t rank = tensor.rank();
  const std::size_t expected = model.rank();
  if (rank == expected) return {};
  return sentence(tensor.name, " has shape ", tensor.dims(), " of ", rank, " dimensions, expected ", expected,
                  " as ", model.name, " ", model.dims(), " has");
}

Complaint same_shape(const TensorArgument& tensor, const TensorArgument& model) {
  if (tensor.dims() == model.dims()) return {};
  return sentence(tensor.name, " has shape ", tensor.dims(), ", expected that of ", model.name, ", ",
                  model.dims());
}

Complaint no_negative_dim(const TensorArgument& tensor) {
  if (tensor.range || !has_negative(tensor.dims())) return {};
  return sentence(tensor.name, " has shape ", tensor.dims(), ", expected no negative dimension");
}

Complaint no_negative_stride(const TensorArgument& tensor) {
  if (tensor.range || !has_negative(tensor.desc->strides)) return {};
  return sentence(tensor.name, " has strides ", tensor.desc->strides, ", expected no negative stride");
}

Complaint no_negative_offset(const TensorArgument& tensor) {
  if (tensor.desc->offset >= 0) return {};
  return sentence(tensor.name, " has offset ", tensor.desc->offset, ", expected at least 0");
}

Complaint span_fits(const TensorArgument& tensor) {
  if (tensor.dense || (tensor.range && shape_fits(*tensor.desc))) return {};
  return sentence(view_text(tensor), " spans more bytes than 64 bits can count");
}

Complaint inside_storage(const TensorArgument& tensor) {
  if (!tensor.desc->has_storage) return {};
  const TensorDesc& desc = *tensor.desc;
  if (tensor.dense && desc.offset == 0 && desc.storage_dims == desc.dims) return {};
  const std::int64_t needed = tensor.range->end / static_cast<std::int64_t>(aclDataTypeSize(desc.type));
  const std::optional<std::int64_t> held = element_count(desc.storage_dims);
  if (held && needed <= *held) return {};
  return sentence(view_text(tensor), " needs a storage of ", needed, " elements, but its storage is ",
                  desc.storage_dims);
}

Complaint elements_apart(const TensorArgument& output) {
  if (output.dense || !elements_overlap(*output.desc)) return {};
  return sentence(view_text(output), " has elements that share memory, expected each to have its own");
}

Complaint contiguous(const TensorArgument& output) {
  const TensorDesc& tensor = *output.desc;
  if (output.dense || is_empty(tensor)) return {};
  return sentence(output.name, " with shape ", tensor.dims, " has strides ", tensor.strides,
                  ", expected it to be contiguous");
}

Complaint only_batch_empty(const TensorArgument& tensor) {
  const auto& dims = tensor.dims();
  if (std::find(dims.begin() + 1, dims.end(), 0) == dims.end()) return {};
  return sentence(tensor.name, " has shape ", dims, ", expected every dimension but N to be greater than 0");
}

Complaint first_of(Complaint complaint, Complaint other) {
  if (!complaint.empty()) return complaint;
  return other;
}

std::int64_t saturating_product(std::initializer_list<std::int64_t> sizes) {
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product)) return INT64_MAX;
  }
  return product;
}

Complaint length_among(const ArrayArgument& array, std::initializer_list<std::size_t> allowed) {
  if (std::find(allowed.begin(), allowed.end(), array.size()) != allowed.end()) return {};
  std::string lengths;
  for (const std::size_t& length : allowed) {
    const bool last = &length == allowed.end() - 1;
    lengths += sentence(lengths.empty() ? "" : last ? " or " : ", ", length);
  }
  return sentence(array.name, " is ", array.values(), " of length ", array.size(), ", expected length ",
                  lengths);
}

Complaint all_positive(const ArrayArgument& array) {
  const auto& values = array.values();
  if (std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value > 0; })) return {};
  return sentence(array.name, " is ", values, ", expected every value to be greater than 0");
}

}  // namespace cairn
