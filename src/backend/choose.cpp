#include "backend/choose.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>

#include "acl/acl_base.h"
#include "backend/cpu/backend.h"
#include "backend/load_cuda.h"

namespace cairn {
namespace {

constexpr int kMostThreads = 1024;

std::string_view environment(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the program's environment is its own care
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::optional<int> thread_count(std::string_view text) {
  if (text.empty()) return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1 || count > kMostThreads)
    return {};
  return count;
}

std::optional<PoolKind> pool_kind(std::string_view name) {
  if (name.empty() || name == "auto") return PoolKind::kAuto;
  if (name == "own") return PoolKind::kOwn;
  if (name == "openmp") return PoolKind::kOpenMp;
  return {};
}

BackendChoice refuse(Status status, std::string message) { return {nullptr, status, std::move(message)}; }

bool sees_nvidia_driver() { return access("/dev/nvidiactl", F_OK) == 0; }

}  // namespace

BackendChoice choose_cpu() {
  const std::string_view threads = environment("CAIRN_THREADS");
  const std::optional<int> count = thread_count(threads);
  if (!count) {
    return refuse(ACL_ERROR_INVALID_PARAM, "CAIRN_THREADS is \"" + std::string(threads) +
                                               "\", expected a number of threads from 1 to " +
                                               std::to_string(kMostThreads));
  }
  const std::string pool = lower(environment("CAIRN_POOL"));
  const std::optional<PoolKind> kind = pool_kind(pool);
  if (!kind) {
    return refuse(ACL_ERROR_INVALID_PARAM, "CAIRN_POOL is \"" + pool + "\", expected auto, own or openmp");
  }
  if (kind == PoolKind::kOpenMp && !CpuBackend::has_openmp()) {
    return refuse(ACL_ERROR_INVALID_PARAM,
                  "CAIRN_POOL is \"openmp\", but no OpenMP runtime is loaded, and neither libgomp.so.1 nor "
                  "libomp.so nor libiomp5.so can be");
  }
  return {std::make_shared<CpuBackend>(*count, *kind), 0, {}};
}

BackendChoice choose_backend() {
  BackendChoice cpu = choose_cpu();
  if (cpu.backend == nullptr) return cpu;
  const std::string device = lower(environment("CAIRN_DEVICE"));
  if (!device.empty() && device != "auto" && device != "cpu" && device != "cuda") {
    return refuse(ACL_ERROR_INVALID_PARAM, "CAIRN_DEVICE is \"" + device + "\", expected auto, cpu or cuda");
  }
  if (device == "cpu") return cpu;
  LoadedCuda cuda = load_cuda();
  if (cuda.backend != nullptr) return {std::move(cuda.backend), 0, {}};
  if (device == "cuda" || cuda.after_fork) {
    return refuse(ACL_ERROR_RT_NO_DEVICE,
                  "CAIRN_DEVICE is \"" + device + "\", but no GPU can be used: " + cuda.message);
  }
  if (sees_nvidia_driver()) cpu.message = "using the CPU, although there is an NVIDIA GPU: " + cuda.message;
  return cpu;
}

}  // namespace cairn
