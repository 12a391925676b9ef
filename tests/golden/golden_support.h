#pragma once

#include <list>
#include <string>
#include <vector>

#include "api/support.h"
#include "conformance/subjects.h"
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

// What the arguments of call() become.
template <typename T>
conformance::Value value_of(const T& argument, std::list<api_test::IntArray>& arrays) {
  if constexpr (std::is_same_v<T, OnDevice>) {
    return static_cast<aclTensor*>(argument.tensor);
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
    return static_cast<aclIntArray*>(arrays.emplace_back(argument));
  } else {
    return argument;
  }
}

// A call of the operator with these arguments, in the order of its function.
template <typename... Arguments>
api_test::Outcome call(const char* name, aclrtStream stream, const Arguments&... arguments) {
  std::list<api_test::IntArray> arrays;
  std::vector<conformance::Value> values;
  (values.push_back(value_of(arguments, arrays)), ...);
  const conformance::Subject& subject = conformance::subject_named(name);
  return api_test::run(
      [&](std::uint64_t* size, aclOpExecutor** executor) { return subject.phase1(values, size, executor); },
      subject.phase2, stream);
}

// Empty when all is as wanted, to the bit.
std::string first_difference(const GoldenTensor& wanted, const Bytes& found);

}  // namespace golden
