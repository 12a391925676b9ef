#pragma once

#include "conformance/trial.h"
#include "cuda/device.h"

namespace cuda_test {

// A trial's operands in device memory, canaries on either side of each storage.
class Mirror {
 public:
  explicit Mirror(conformance::Trial& trial);

  // The plan with the addresses of the device.
  conformance::PlanBytes plan() const;
  // Outputs as they were at first.
  void reset();
  // Waits for the stream. Empty when the outputs and the fault are the oracle's, and nothing else was
  // written.
  std::string judge(Stream& stream);

 private:
  static constexpr std::size_t kCanary = 512;
  static constexpr unsigned char kPattern = 0x5c;

  void upload(std::size_t i);
  std::vector<unsigned char> download(std::size_t i, std::string& wrong) const;

  conformance::Trial& trial_;
  std::vector<std::optional<DeviceMemory>> memory_;  // by argument
  std::vector<std::vector<unsigned char>> before_;   // by argument
};

}  // namespace cuda_test
