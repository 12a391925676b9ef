#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "cairn/cairn.h"
#include "table.h"
#include "tree.h"
#include "verbs.h"

namespace cairn::tool {
namespace {

std::string gibibytes(std::size_t bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f GiB", static_cast<double>(bytes) / (1 << 30));
  return text.data();
}

int explain() {
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "cairn: no device can be used\n%s", message != nullptr ? message : "");
  return 1;
}

bool has_cuda_backend() {
  return std::filesystem::exists(Tree::of_this_program().prefix / "lib64" / "libcairn_cuda.so");
}

// "80-real,90-virtual" in words: what CMake was told to compile for.
std::string covered_gpus() {
  std::istringstream names(CAIRN_CUDA_ARCHITECTURES);
  std::string exact;
  std::string later;
  for (std::string name; std::getline(names, name, ',');) {
    const std::string digits = name.substr(0, name.find('-'));
    if (digits.size() < 2) return CAIRN_CUDA_ARCHITECTURES;  // "native", "all"
    const std::string version = digits.substr(0, digits.size() - 1) + "." + digits.back();
    if (!name.ends_with("-virtual")) exact += (exact.empty() ? "" : ", ") + version;
    if (!name.ends_with("-real")) later = version;
  }
  return "compute capability " + exact +
         (later.empty() ? "" : (exact.empty() ? "" : ", and ") + later + " and later through PTX");
}

// Asks for CUDA alone, which says why it cannot be had.
std::string why_no_gpu() {
  const char* asked = std::getenv("CAIRN_DEVICE");
  if (asked != nullptr && std::string(asked) == "cpu") return "CAIRN_DEVICE is cpu";
  setenv("CAIRN_DEVICE", "cuda", 1);
  if (aclInit(nullptr) == ACL_SUCCESS) return "a GPU can be used only now";
  const char* message = aclGetRecentErrMsg();
  std::string reason = message != nullptr ? message : "for no known reason";
  constexpr std::string_view kBefore = "no GPU can be used: ";
  if (const auto at = reason.find(kBefore); at != std::string::npos) reason.erase(0, at + kBefore.size());
  while (!reason.empty() && reason.back() == '\n') reason.pop_back();
  return reason;
}

void say_about_cuda(bool in_use) {
  if (!has_cuda_backend()) {
    std::puts(
        "This Cairn was built without the CUDA backend. ./cairn builds it where there is a GPU and nvcc, or "
        "with CAIRN_CUDA=ON.");
    return;
  }
  std::printf("The CUDA backend is built for %s.\n", covered_gpus().c_str());
  if (!in_use) std::printf("It is not in use: %s.\n", why_no_gpu().c_str());
}

}  // namespace

int show_devices() {
  std::uint32_t count = 0;
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtGetDeviceCount(&count) != ACL_SUCCESS) return explain();
  const bool cuda = std::string(cairnGetBackendName()) == "cuda";
  std::vector<std::vector<std::string>> rows = {{"id", "kind", "description", "memory", "free"}};
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(count); ++id) {
    std::array<char, 512> description{};
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    if (cairnGetDeviceDescription(id, description.data(), description.size()) != ACL_SUCCESS ||
        aclrtSetDevice(id) != ACL_SUCCESS ||
        aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes) != ACL_SUCCESS) {
      return explain();
    }
    rows.push_back({std::to_string(id), cuda ? "GPU" : "CPU", description.data(), gibibytes(total_bytes),
                    gibibytes(free_bytes)});
    aclrtResetDevice(id);
  }
  print_table(rows);
  std::printf("\naclrtGetSocName returns %s.\n", aclrtGetSocName());
  aclFinalize();
  say_about_cuda(cuda);
  return 0;
}

}  // namespace cairn::tool
