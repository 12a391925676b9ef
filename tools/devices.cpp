#include <sys/utsname.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "table.h"
#include "verbs.h"

namespace cairn::tool {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";
}

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

}  // namespace

int show_devices() {
  std::uint32_t count = 0;
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtGetDeviceCount(&count) != ACL_SUCCESS) return explain();
  std::vector<std::vector<std::string>> rows = {{"id", "kind", "name", "threads", "memory", "free"}};
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(count); ++id) {
    std::int64_t threads = 0;
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    if (aclrtGetDeviceInfo(static_cast<std::uint32_t>(id), ACL_DEV_ATTR_VECTOR_CORE_NUM, &threads) !=
            ACL_SUCCESS ||
        aclrtSetDevice(id) != ACL_SUCCESS ||
        aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes) != ACL_SUCCESS) {
      return explain();
    }
    rows.push_back({std::to_string(id), "CPU", processor_name(), std::to_string(threads),
                    gibibytes(total_bytes), gibibytes(free_bytes)});
    aclrtResetDevice(id);
  }
  print_table(rows);
  std::printf("\naclrtGetSocName answers %s.\n", aclrtGetSocName());
  aclFinalize();
  return 0;
}

}  // namespace cairn::tool
