#include "golden/golden_support.h"

#include <cstdlib>
#include <cstring>

namespace golden {
namespace {

bool ends_with_sums(const Case& it) {
  switch (it.op) {
    case Operator::kMaxPool2dBackward:
    case Operator::kMaxPool3dBackward:
    case Operator::kUpsample3dBackward:
    case Operator::kMaxPool2dStep:
    case Operator::kMaxPool3dStep:
    case Operator::kPoolUnpoolStep:
    case Operator::kUpsample3dStep:
    case Operator::kPoolUnpool2dStep:
    case Operator::kUpsampleBackward:
    case Operator::kAdaptiveMaxStep:
      return true;
    case Operator::kMaxUnpool2dBackward:  // a conversion makes a NaN canonical as a sum does
      return it.tensors.front().type != it.tensors.back().type;
    default:
      return false;
  }
}

// PyTorch's sums are whichever NaN its machine made of several, and conversions to BF16 have one of their
// own. Ours are always the canonical one.
void make_nans_canonical(GoldenTensor& sums) {
  const reference::Type type = reference_type(sums.type);
  const auto size = static_cast<std::size_t>(size_of(type));
  for (std::size_t i = 0; i < sums.bytes.size(); i += size) make_nan_canonical(&sums.bytes[i], type);
}

// PyTorch computes maxima of half types in float, and conversions back give NaNs bits of their own. Ours are
// copies: of the NaN at the index.
void copy_nans(Case& it) {
  const GoldenTensor& self = it.tensors[0];
  GoldenTensor& values = it.tensors[1];
  const GoldenTensor& indices = it.tensors[2];
  const reference::Type type = reference_type(self.type);
  const reference::Type index_type = reference_type(indices.type);
  const auto size = static_cast<std::size_t>(size_of(type));
  const auto index_size = static_cast<std::size_t>(size_of(index_type));
  const std::size_t spatial = it.op == Operator::kMaxPool2d ? 2 : 3;
  const std::size_t first = it.channels_last ? self.dims.size() - 1 - spatial : self.dims.size() - spatial;
  const auto plane_of = [&](const GoldenTensor& tensor) {
    std::int64_t plane = 1;
    for (std::size_t axis = first; axis < first + spatial; ++axis) plane *= tensor.dims[axis];
    return static_cast<std::size_t>(plane);
  };
  const std::size_t step = it.channels_last ? static_cast<std::size_t>(self.dims.back()) : 1;
  for (std::size_t i = 0; i < values.bytes.size() / size; ++i) {
    if (!is_nan(&values.bytes[i * size], type)) continue;
    const std::size_t group = i / (plane_of(values) * step);
    const auto index = static_cast<std::size_t>(load_integer(&indices.bytes[i * index_size], index_type));
    const std::size_t source = (group * plane_of(self) + index) * step + i % step;
    std::memcpy(&values.bytes[i * size], &self.bytes.at(source * size), size);
  }
}

}  // namespace

std::vector<Case> cases_of(const char* file, const char* variable) {
  const char* other = std::getenv(variable);
  std::vector<Case> cases = read_cases(other != nullptr ? other : file);
  for (Case& it : cases) {
    if (it.op == Operator::kMeanStep || it.op == Operator::kAdaptiveMeanStep)
      for (std::size_t i = 2; i < it.tensors.size(); ++i) make_nans_canonical(it.tensors[i]);
    if (ends_with_sums(it)) make_nans_canonical(it.tensors.back());
    if (it.op == Operator::kMaxPool2d || it.op == Operator::kMaxPool3d) copy_nans(it);
  }
  return cases;
}

aclFormat format_of(const Case& it, bool images) {
  if (!it.channels_last) return ACL_FORMAT_ND;
  return images ? ACL_FORMAT_NHWC : ACL_FORMAT_NDHWC;
}

reference::Type reference_type(std::uint32_t type) {
  return api_test::reference_type(static_cast<aclDataType>(type)).value();
}

std::string first_difference(const GoldenTensor& wanted, const Bytes& found) {
  const reference::Type type = reference_type(wanted.type);
  const auto size = static_cast<std::size_t>(size_of(type));
  for (std::size_t i = 0; i < found.size(); i += size) {
    if (std::memcmp(&found[i], &wanted.bytes[i], size) != 0) return "element " + std::to_string(i / size);
  }
  return {};
}

}  // namespace golden
