#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "observe/watch.h"
#include "tensor/geometry.h"
#include "tensor/registry.h"

namespace cairn {
namespace {

constexpr std::uint64_t kMaxDims = 25;

// Sizes that overflow give strides at the end of the range; operators refuse such a view, with a message.
std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) {
    if (__builtin_mul_overflow(strides[i], dims[i], &strides[i - 1])) {
      strides[i - 1] = std::numeric_limits<std::int64_t>::max();
    }
  }
  return strides;
}

Status check_rank(const char* function, const char* argument, std::uint64_t rank) {
  if (rank <= kMaxDims) return OK;
  return fail(function, ACLNN_ERR_PARAM_INVALID,
              text(argument, " is ", rank, ", but a tensor has at most ", kMaxDims, " dims"));
}

// What aclCreateTensor and aclInitTensor are told of a tensor.
struct Description {
  const std::int64_t* view_dims;
  std::uint64_t view_rank;
  aclDataType type;
  const std::int64_t* strides;
  std::int64_t offset;
  aclFormat format;
  const std::int64_t* storage_dims;
  std::uint64_t storage_rank;
  void* address;
};

Status check_ranks(const char* function, const Description& given) {
  if (const Status status = check_rank(function, "viewDimsNum", given.view_rank); status != OK) return status;
  return check_rank(function, "storageDimsNum", given.storage_rank);
}

void set_view(TensorDesc& desc, const Description& given) {
  desc.dims.assign(given.view_dims, given.view_dims + given.view_rank);
  if (given.strides != nullptr) {
    desc.strides.assign(given.strides, given.strides + given.view_rank);
  } else {
    desc.strides = contiguous_strides(desc.dims);
  }
}

void set_storage(TensorDesc& desc, const Description& given) {
  desc.storage_dims.assign(given.storage_dims, given.storage_dims + given.storage_rank);
  desc.has_storage = given.storage_rank > 0;
}

void set_scalars(TensorDesc& desc, const Description& given) {
  desc.type = given.type;
  desc.format = given.format;
  desc.offset = given.offset;
  if (given.address != nullptr) desc.address = given.address;
}

aclTensor* create_tensor(const char* function, const Description& given) {
  if (given.view_dims == nullptr && given.view_rank > 0) {
    null_argument(function, "viewDims");
    return nullptr;
  }
  if (given.storage_dims == nullptr && given.storage_rank > 0) {
    null_argument(function, "storageDims");
    return nullptr;
  }
  if (check_ranks(function, given) != OK) return nullptr;
  auto desc = std::make_shared<TensorDesc>();
  set_view(*desc, given);
  set_storage(*desc, given);
  set_scalars(*desc, given);
  desc->extent = extent_of(*desc);
  return publish<aclTensor>(function, HandleKind::kTensor, std::move(desc));
}

// Puts a changed copy of the description behind the handle; a phase 1 that has read the old one keeps it.
template <typename Change>
Status replace_tensor(const char* function, const aclTensor* tensor, Change change) {
  if (tensor == nullptr) return null_argument(function, "tensor");
  const std::shared_ptr<const TensorDesc> current = find_tensor(tensor);
  if (current == nullptr) return wrong_handle(function, "tensor", tensor, HandleKind::kTensor);
  auto next = std::make_shared<TensorDesc>(*current);
  if (const Status status = change(*next); status != OK) return status;
  if (!objects().replace(tensor, HandleKind::kTensor, std::move(next))) {
    return wrong_handle(function, "tensor", tensor, HandleKind::kTensor);
  }
  return OK;
}

// Dims that are not given stay as they are; strides given without them must fit the dims that stay.
Status reinitialise(const char* function, TensorDesc& desc, const Description& given) {
  if (const Status status = check_ranks(function, given); status != OK) return status;
  if (given.view_dims != nullptr && given.view_rank > 0) {
    set_view(desc, given);
  } else if (given.strides != nullptr) {
    if (given.view_rank != desc.dims.size()) {
      return fail(function, ACLNN_ERR_PARAM_INVALID,
                  text("stride is given with viewDimsNum ", given.view_rank,
                       " and no viewDims, but the tensor has ", desc.dims.size(), " dims"));
    }
    desc.strides.assign(given.strides, given.strides + given.view_rank);
  }
  if (given.storage_dims != nullptr && given.storage_rank > 0) set_storage(desc, given);
  set_scalars(desc, given);
  desc.extent = extent_of(desc);
  return OK;
}

template <typename Out, typename Read>
Status read_tensor(const char* function, const aclTensor* tensor, const char* out_name, Out* out, Read read) {
  if (tensor == nullptr) return null_argument(function, "tensor");
  if (out == nullptr) return null_argument(function, out_name);
  const std::shared_ptr<const TensorDesc> desc = find_tensor(tensor);
  if (desc == nullptr) return wrong_handle(function, "tensor", tensor, HandleKind::kTensor);
  *out = read(*desc);
  return OK;
}

Status copy_out(const char* function, const aclTensor* tensor, std::vector<std::int64_t> TensorDesc::*member,
                const char* values_name, std::int64_t** values, const char* count_name,
                std::uint64_t* count) {
  if (tensor != nullptr && values != nullptr && count == nullptr) return null_argument(function, count_name);
  return guarded<Status>(function, ACLNN_ERR_INNER, [&] {
    return read_tensor(function, tensor, values_name, values, [&](const TensorDesc& desc) {
      const std::vector<std::int64_t>& source = desc.*member;
      auto* copy = new std::int64_t[source.size()];  // the caller's, who frees it with delete[]
      std::copy(source.begin(), source.end(), copy);
      *count = source.size();
      return copy;
    });
  });
}

}  // namespace

std::shared_ptr<const TensorDesc> find_tensor(const aclTensor* handle) {
  return objects().find<const TensorDesc>(handle, HandleKind::kTensor);
}

Status set_address(const char* function, const aclTensor* tensor, void* address) {
  return guarded<Status>(function, ACLNN_ERR_INNER, [&] {
    return replace_tensor(function, tensor, [&](TensorDesc& desc) {
      desc.address = address;
      return OK;
    });
  });
}

}  // namespace cairn

using namespace cairn;

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t* stride, int64_t offset, aclFormat format,
                           const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
  CAIRN_WATCH(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
              tensorData);
  const char* const function = __func__;
  return guarded<aclTensor*>(function, nullptr, [&] {
    return create_tensor(function, {viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                                    storageDimsNum, tensorData});
  });
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum,
                          aclDataType dataType, const int64_t* stride, int64_t offset, aclFormat format,
                          const int64_t* storageDims, uint64_t storageDimsNum, void* tensorDataAddr) {
  CAIRN_WATCH(tensor, viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum,
              tensorDataAddr);
  const char* const function = __func__;
  return guarded<Status>(function, ACLNN_ERR_INNER, [&] {
    return replace_tensor(function, tensor, [&](TensorDesc& desc) {
      return reinitialise(function, desc,
                          {viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                           storageDimsNum, tensorDataAddr});
    });
  });
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  CAIRN_WATCH(tensor);
  return destroy(__func__, HandleKind::kTensor, "tensor", tensor);
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  CAIRN_WATCH(tensor, viewDims, viewDimsNum);
  return copy_out(__func__, tensor, &TensorDesc::dims, "viewDims", viewDims, "viewDimsNum", viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
  CAIRN_WATCH(tensor, storageDims, storageDimsNum);
  return copy_out(__func__, tensor, &TensorDesc::storage_dims, "storageDims", storageDims, "storageDimsNum",
                  storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
  CAIRN_WATCH(tensor, stridesValue, stridesNum);
  return copy_out(__func__, tensor, &TensorDesc::strides, "stridesValue", stridesValue, "stridesNum",
                  stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  CAIRN_WATCH(tensor, offset);
  return read_tensor(__func__, tensor, "offset", offset, [](const TensorDesc& desc) { return desc.offset; });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  CAIRN_WATCH(tensor, format);
  return read_tensor(__func__, tensor, "format", format, [](const TensorDesc& desc) { return desc.format; });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  CAIRN_WATCH(tensor, dataType);
  return read_tensor(__func__, tensor, "dataType", dataType,
                     [](const TensorDesc& desc) { return desc.type; });
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  CAIRN_WATCH(tensor, addr);
  if (tensor != nullptr && addr == nullptr) return null_argument(__func__, "addr");
  return set_address(__func__, tensor, addr);
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  CAIRN_WATCH(tensor, addr);
  return read_tensor(__func__, tensor, "addr", addr, [](const TensorDesc& desc) { return desc.address; });
}
