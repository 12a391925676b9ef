#pragma once

#include <algorithm>
#include <optional>

#include "api/support.h"
#include "reference/geometry.h"

// What random calls need: operands on the device, arguments in every spelling, a judgement.
namespace api_test {

// An operand, its copy on the device, and the descriptor of that.
struct OnDevice {
  OnDevice(reference::Random& random, const reference::Operand& source, const std::vector<int>& axes,
           aclFormat format)
      : spec(spec_of(random, source, axes, format)),
        buffer(source.memory().size(), source.memory().data()),
        tensor(std::in_place, spec, buffer.address()) {}

  TensorSpec spec;
  Buffer buffer;
  std::optional<Tensor> tensor;
};

inline std::string to_text(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) text += std::to_string(value) + " ";
  return text + "]";
}

inline std::string to_text(const TensorSpec& spec) {
  return "type " + std::to_string(spec.type) + " format " + std::to_string(spec.format) + " dims " +
         to_text(spec.dims) + " strides " + to_text(spec.strides) + " offset " + std::to_string(spec.offset) +
         " storage " + to_text(spec.storage);
}

// What is wrong with the outcome, given the oracle's fault.
inline std::string judge(const Outcome& outcome, const std::optional<reference::Fault>& fault) {
  if (outcome.phase1 != 0 || outcome.phase2 != 0) return "refused: " + outcome.message;
  if (outcome.synchronise != (fault ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION : 0))
    return "synchronise gave " + std::to_string(outcome.synchronise) + " " + outcome.message;
  if (!fault) return {};
  const std::string named =
      "indices[" + std::to_string(fault->position) + "] is " + std::to_string(fault->value) + ",";
  if (outcome.message.find(named) != std::string::npos) return {};
  return "the message does not say \"" + named + "\": " + outcome.message;
}

// What is wrong with the bytes of an output.
inline std::string judge(const reference::Operand& expected, reference::Operand& output,
                         const Buffer& result) {
  std::vector<unsigned char> bytes = output.snapshot();
  result.download(bytes.data());
  output.restore(bytes);
  return difference(expected, output);
}

// A length-1 array where all axes agree, no stride where it is the kernel's; else all values.
inline std::vector<std::int64_t> attribute(reference::Random& random, const reference::Triple& values,
                                           bool flat) {
  std::vector<std::int64_t> all(values.begin() + (flat ? 1 : 0), values.end());
  const bool same = std::equal(all.begin() + 1, all.end(), all.begin());
  if (same && random.chance(50)) return {all[0]};
  return all;
}

// Flags that leave the axes as they are.
inline aclFormat plain_format(reference::Random& random, bool flat) {
  return random.pick({ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NCDHW, ACL_FORMAT_NCL, ACL_FORMAT_HWCN,
                      flat ? ACL_FORMAT_NDHWC : ACL_FORMAT_NHWC});
}

inline std::vector<int> pool_axes(bool flat, bool batch, bool channels_last) {
  std::vector<int> axes;
  if (batch) axes.push_back(0);
  if (!channels_last) axes.push_back(1);
  if (!flat) axes.push_back(2);
  axes.insert(axes.end(), {3, 4});
  if (channels_last) axes.push_back(1);
  return axes;
}

// Sizes both pools accept: a 2D call has no empty channel or plane.
inline reference::PoolGeometry pool_geometry(reference::Random& random, bool flat) {
  reference::PoolGeometry geometry;
  do {
    geometry = reference::random_pool_geometry(random, flat, random.chance(2));
  } while (flat && geometry.c * geometry.in[0] * geometry.in[1] * geometry.in[2] == 0);
  return geometry;
}

}  // namespace api_test
