#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
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
  std::printf("\naclrtGetSocName answers %s.\n", aclrtGetSocName());
  if (!has_cuda_backend()) {
    std::puts("This Cairn was built without the CUDA backend.");
  } else if (!cuda) {
    std::puts("The CUDA backend is there, but not in use.");
  }
  aclFinalize();
  return 0;
}

}  // namespace cairn::tool
