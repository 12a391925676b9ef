#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace cuda_test {

// ctest shows a program that says this as skipped.
inline constexpr const char* kNoGpu = "there is no GPU, or CAIRN_DEVICE is cpu";

// Of random cases, those that choose one and the same candidate: all of them.
inline constexpr std::uint64_t kCasesOfCandidate = UINT64_MAX;

// There is a GPU and nobody asked for less: then one that cannot be used is a failure.
inline bool gpu_expected() {
  const char* device = std::getenv("CAIRN_DEVICE");
  return access("/dev/nvidiactl", F_OK) == 0 && (device == nullptr || std::string_view(device) != "cpu");
}

}  // namespace cuda_test
