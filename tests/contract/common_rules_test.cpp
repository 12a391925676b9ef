// Rules that every operator has, with the same meaning for each.

#include <limits>

#include "contract/adaptive_max_cases.h"
#include "contract/mean_cases.h"
#include "contract/pooling_cases.h"
#include "contract/upsample_linear_cases.h"

namespace contract_test {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

// Breaks one tensor after another.
template <typename Case, typename Break>
void each_tensor_refused(Break break_it) {
  on_each_product<Case>([&](Case& valid) {
    accepts(valid);
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      Case broken = valid;
      TensorSpec& tensor = *broken.tensors()[i];
      break_it(tensor);
      refuses(broken, tensor.name);
    }
  });
}

Dims dense_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  return strides;
}

std::int64_t count(const Dims& dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) product *= dim;
  return product;
}

template <typename Case>
void arguments_not_null() {
  each_tensor_refused<Case>([](TensorSpec& tensor) { tensor.handle = Handle::kNull; });
  on_each_product<Case>([](Case& valid) {
    for (std::size_t i = 0; i < valid.arrays().size(); ++i) {
      Case broken = valid;
      broken.arrays()[i]->handle = Handle::kNull;
      refuses(broken, broken.arrays()[i]->name);
    }
    Case without_size = valid;
    without_size.null_workspace_size = true;
    refuses(without_size, "workspaceSize is null");
    Case without_executor = valid;
    without_executor.null_executor = true;
    refuses(without_executor, "executor is null");
  });
}

template <typename Case>
void handles_live() {
  for (const Handle handle : {Handle::kDestroyed, Handle::kOtherKind, Handle::kMadeUp}) {
    each_tensor_refused<Case>([=](TensorSpec& tensor) { tensor.handle = handle; });
    on_each_product<Case>([=](Case& valid) {
      for (std::size_t i = 0; i < valid.arrays().size(); ++i) {
        Case broken = valid;
        broken.arrays()[i]->handle = handle;
        refuses(broken, std::string(broken.arrays()[i]->name) + " (0x", "expected a live aclIntArray");
      }
    });
  }
}

template <typename Case>
void product_known() {
  Case call;
  call.product = "Ascend910B1";
  accepts(call);
  call.product = "Ascend910B";
  refuses(call, "CAIRN_PRODUCT", "Ascend910B1", "atlas-training");
  call.product = "Ascend9000";
  refuses(call, "CAIRN_PRODUCT", "\"Ascend9000\"", "portable", "atlas-a2", "Ascend310P");
}

template <typename Case>
void operator_offered() {
  on_each_product<Case>([](Case& call) { accepts(call); });
  for (const char* product : Case::kRefusing) {
    Case call;
    call.product = product;
    refuses(call, product, "does not offer");
  }
}

// Whether the product may name the formats it takes, which is another rule.
template <typename Case>
bool names_formats(const Case& call) {
  if constexpr (requires { Case::kNamesFormats; }) return Case::kNamesFormats && call.product != "portable";
  return false;
}

template <typename Case>
void formats_public() {
  const aclFormat kPrivate[] = {ACL_FORMAT_NC1HWC0,
                                ACL_FORMAT_NC1HWC0_C04,
                                ACL_FORMAT_FRACTAL_Z,
                                ACL_FORMAT_FRACTAL_NZ,
                                ACL_FORMAT_FRACTAL_NZ_C0_2,
                                ACL_FORMAT_FRACTAL_NZ_C0_4,
                                ACL_FORMAT_FRACTAL_NZ_C0_8,
                                ACL_FORMAT_FRACTAL_NZ_C0_16,
                                ACL_FORMAT_FRACTAL_NZ_C0_32,
                                ACL_FORMAT_NDC1HWC0,
                                ACL_FRACTAL_Z_3D};
  const aclFormat kPublic[] = {ACL_FORMAT_UNDEFINED, ACL_FORMAT_NCHW, ACL_FORMAT_ND, ACL_FORMAT_HWCN,
                               ACL_FORMAT_NCDHW,     ACL_FORMAT_NC,   ACL_FORMAT_NCL};
  on_each_product<Case>([&](Case& call) {
    for (const aclFormat format : kPublic) {
      if (format != ACL_FORMAT_ND && !takes_any_format(call)) continue;
      for (TensorSpec* tensor : call.tensors()) tensor->format = format;
      if (!names_formats(call)) accepts(call);
    }
    for (const aclFormat format : kPrivate) {
      for (TensorSpec* tensor : call.tensors()) tensor->format = format;
      refuses(call, call.tensors()[0]->name, "private");
    }
    for (const int number : {-1000, -2, 5, 28, 33 + 100, 999, INT32_MAX, INT32_MIN}) {
      for (TensorSpec* tensor : call.tensors()) tensor->format = static_cast<aclFormat>(number);
      refuses(call, call.tensors()[0]->name, "number " + std::to_string(number) + ", which is no value");
    }
  });
}

template <typename Case>
void dims_not_negative() {
  each_tensor_refused<Case>([](TensorSpec& tensor) { tensor.dims[0] = -tensor.dims[0]; });
}

template <typename Case>
void strides_not_negative() {
  each_tensor_refused<Case>([](TensorSpec& tensor) {
    tensor.strides = dense_strides(tensor.dims);
    tensor.strides->back() = -1;
  });
}

template <typename Case>
void offsets_not_negative() {
  each_tensor_refused<Case>([](TensorSpec& tensor) { tensor.offset = -1; });
}

template <typename Case>
void sizes_fit() {
  each_tensor_refused<Case>([](TensorSpec& tensor) { tensor.offset = kHuge; });
  // In elements it fits, in bytes it does not.
  each_tensor_refused<Case>(
      [](TensorSpec& tensor) { tensor.offset = tensor.type == ACL_INT8 ? kHuge : kHuge / 2; });
  each_tensor_refused<Case>([](TensorSpec& tensor) {
    tensor.strides = dense_strides(tensor.dims);
    tensor.strides->front() = kHuge;
  });
  each_tensor_refused<Case>([](TensorSpec& tensor) { tensor.dims = Dims(tensor.dims.size(), kHuge); });
  // Without elements, but of a shape whose planes cannot be counted.
  each_tensor_refused<Case>([](TensorSpec& tensor) {
    tensor.dims = Dims(tensor.dims.size(), kHuge);
    tensor.dims[0] = 0;
  });
}

template <typename Case>
void views_inside_storage() {
  on_each_product<Case>([](Case& valid) {
    for (std::size_t i = 0; i < valid.tensors().size(); ++i) {
      Case call = valid;
      TensorSpec& tensor = *call.tensors()[i];
      const std::int64_t elements = count(tensor.dims);
      tensor.offset = 7;
      tensor.storage = Dims{elements + 7};
      accepts(call);
      tensor.storage = Dims{elements + 6};
      refuses(call, tensor.name, "storage");
      tensor.storage = Dims{2, -elements};
      refuses(call, tensor.name, "storage");
    }
  });
}

template <typename Case>
void output_not_overlapping() {
  on_each_product<Case>([](Case& valid) {
    for (std::size_t i = 0; i < valid.outputs().size(); ++i) {
      Case call = valid;
      TensorSpec& output = *call.outputs()[i];
      output.strides = dense_strides(output.dims);
      for (std::int64_t& stride : *output.strides) stride *= 3;
      accepts(call);
      output.strides = dense_strides(output.dims);
      output.strides->front() -= 1;
      refuses(call, output.name, "share memory");
      output.strides = Dims(output.dims.size(), 0);
      refuses(call, output.name, "share memory");
    }
  });
}

}  // namespace

#define COMMON_RULES(suite)                \
  SHARED_RULE(suite, arguments_not_null)   \
  SHARED_RULE(suite, handles_live)         \
  SHARED_RULE(suite, product_known)        \
  SHARED_RULE(suite, operator_offered)     \
  SHARED_RULE(suite, formats_public)       \
  SHARED_RULE(suite, dims_not_negative)    \
  SHARED_RULE(suite, strides_not_negative) \
  SHARED_RULE(suite, offsets_not_negative) \
  SHARED_RULE(suite, sizes_fit)            \
  SHARED_RULE(suite, views_inside_storage)

EVERY_OPERATOR(COMMON_RULES)

#define OUTPUTS_APART(suite) SHARED_RULE(suite, output_not_overlapping)
ANY_OUTPUT_STRIDES(OUTPUTS_APART)

}  // namespace contract_test
