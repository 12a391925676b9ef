#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/data_type.h"
#include "common/view.h"
#include "cuda/device.h"
#include "reference/geometry.h"
#include "reference/operand.h"

namespace cuda_test {

cairn::DataType to_kernel(reference::Type type);
inline cairn::Size3 to_kernel(const reference::Triple& size) { return {size[0], size[1], size[2]}; }

// An operand's storage on the device, between canaries.
class Mirror {
 public:
  explicit Mirror(const reference::Operand& operand);
  cairn::View5 view() const;
  // Takes what the storage holds now into `actual`, and compares it; empty when all is well.
  std::string compare(const reference::Operand& expected, reference::Operand& actual) const;

 private:
  static constexpr std::ptrdiff_t kCanary = 512;
  static constexpr unsigned char kPattern = 0x5c;

  unsigned char* storage() const { return memory_.data() + kCanary; }
  // What the storage holds now; a complaint when a canary died.
  std::string fetch(std::vector<unsigned char>& bytes) const;

  const reference::Operand& operand_;
  DeviceMemory memory_;
};

// Waits for the stream. Empty when it has met this fault, or none.
std::string compare_fault(Stream& stream, const std::optional<reference::Fault>& expected);

// The windows that networks use, over planes of any size, mostly in whole packs.
reference::PoolGeometry network_geometry(reference::Random& random, bool flat, bool large);
// With this kernel, stride and padding.
reference::PoolGeometry network_geometry(reference::Random& random, const reference::Triple& shape, bool flat,
                                         bool large);

// A random case of a forward operator, beside the oracle; empty when both agree.
std::string check_forward(Stream& stream, reference::Random& random, bool large);

}  // namespace cuda_test
