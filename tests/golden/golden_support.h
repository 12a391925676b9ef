#pragma once

#include <string>
#include <vector>

#include "api/support.h"
#include "golden/golden_file.h"
#include "reference/oracle.h"

// What the golden tests share.
namespace golden {

using Bytes = std::vector<unsigned char>;

// The cases of a file, or of the one that the environment names instead, with our NaNs in place of PyTorch's.
std::vector<Case> cases_of(const char* file, const char* variable);

// The flag of the case's tensors: those of a 2D operator are images.
aclFormat format_of(const Case& it, bool images);

// A tensor of the case on the device, with this content.
struct OnDevice {
  OnDevice(const GoldenTensor& source, aclFormat format, const Bytes& content)
      : buffer(content.size(), content.data()),
        tensor({source.dims, static_cast<aclDataType>(source.type), format}, buffer.address()) {}
  // A result: filled with something that no result is.
  static OnDevice to_be_written(const GoldenTensor& model, aclFormat format) {
    return {model, format, Bytes(model.bytes.size(), 0xa5)};
  }

  Bytes content(std::size_t size) const {
    Bytes bytes(size);
    buffer.download(bytes.data());
    return bytes;
  }

  api_test::Buffer buffer;
  api_test::Tensor tensor;
};

reference::Type reference_type(std::uint32_t type);

// Empty when all is as wanted, to the bit.
std::string first_difference(const GoldenTensor& wanted, const Bytes& found);

}  // namespace golden
