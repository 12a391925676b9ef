#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "acl/acl_rt.h"
#include "observe/watch.h"
#include "runtime/errors.h"

namespace cairn {
namespace {

constexpr std::string_view kKey = "Version=";

struct Prerelease {
  std::string_view name;
  std::int32_t below;  // how far it lies below the release
};
constexpr std::array<Prerelease, 3> kPrereleases = {{{"alpha", 300}, {"beta", 200}, {"rc", 100}}};

std::optional<std::string> version_in(const std::string& directory) {
  std::ifstream file(directory + "/version.info");
  std::string line;
  while (std::getline(file, line)) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
    if (line.starts_with(kKey) && line.size() > kKey.size()) return line.substr(kKey.size());
  }
  return std::nullopt;
}

Status find_version(const Call& call, const std::string& package, std::string& version) {
  const char* home =
      std::getenv("ASCEND_HOME_PATH");  // NOLINT(concurrency-mt-unsafe): the program's own care
  if (home == nullptr || *home == '\0') {
    return call.fail(ACL_ERROR_INVALID_FILE, "ASCEND_HOME_PATH is not set; source set_env.sh first");
  }
  // Packages are spelled with '-' or '_', as their makers liked.
  std::string dashed = package;
  std::ranges::replace(dashed, '_', '-');
  std::string underscored = package;
  std::ranges::replace(underscored, '-', '_');
  for (const std::string& spelling : {package, dashed, underscored}) {
    if (package.empty() || package.find('/') != std::string::npos) break;
    if (const auto found = version_in(std::string(home) + "/share/info/" + spelling)) {
      version = found->substr(0, ACL_PKG_VERSION_MAX_SIZE - 1);
      return ACL_SUCCESS;
    }
  }
  return call.fail(ACL_ERROR_INVALID_FILE, "package \"%s\" has no version.info with a Version= line under %s",
                   package.c_str(), home);
}

// Digits from `text`, taken off its front; at most four, so that no number overflows.
std::optional<std::int32_t> take_number(std::string_view& text) {
  std::int32_t number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digits < 4 && std::isdigit(static_cast<unsigned char>(text[digits])) != 0;
       ++digits) {
    number = number * 10 + (text[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

// 9.1.0 -> 90100000; 9.1.0-beta.2 lies 198 below that.
std::int32_t version_number(std::string_view version) {
  std::int32_t result = 0;
  for (const std::int32_t weight : {10000000, 100000, 1000}) {
    const auto part = take_number(version);
    if (!part) break;
    result += std::min(*part, weight == 10000000 ? 200 : 99) * weight;
    if (version.empty() || version.front() != '.') break;
    version.remove_prefix(1);
  }
  std::string rest(version);
  std::ranges::transform(rest, rest.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Prerelease& prerelease : kPrereleases) {
    const std::size_t at = rest.find(prerelease.name);
    if (at == std::string::npos) continue;
    std::string_view number = std::string_view(rest).substr(at + prerelease.name.size());
    while (!number.empty() && std::isdigit(static_cast<unsigned char>(number.front())) == 0)
      number.remove_prefix(1);
    return result - prerelease.below + take_number(number).value_or(0);
  }
  return result;
}

const char* package_of(aclCANNPackageName name) {
  switch (name) {
    case ACL_PKG_NAME_CANN:
    case ACL_PKG_NAME_RUNTIME:
      return "runtime";
    case ACL_PKG_NAME_COMPILER:
      return "bisheng-compiler";
    case ACL_PKG_NAME_HCCL:
      return "hccl";
    case ACL_PKG_NAME_TOOLKIT:
      return "oam-tools";
    case ACL_PKG_NAME_OPP:
    case ACL_PKG_NAME_OPP_KERNEL:
      return "ops-legacy";
    case ACL_PKG_NAME_DRIVER:
      return "driver";
  }
  return nullptr;
}

void fill_version(aclCANNPackageVersion& out, const std::string& version) {
  out = {};
  version.copy(out.version, sizeof(out.version) - 1);
  std::string_view rest = version;
  for (char* part : {out.majorVersion, out.minorVersion, out.releaseVersion, out.patchVersion}) {
    const std::size_t dot = rest.find('.');
    rest.substr(0, dot).copy(part, ACL_PKG_VERSION_PARTS_MAX_SIZE - 1);
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace
}  // namespace cairn

using cairn::Call;
using cairn::entry;
using cairn::Status;

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  CAIRN_WATCH(majorVersion, minorVersion, patchVersion);
  return entry(__func__, [&](const Call& call) {
    if (majorVersion == nullptr) return call.null("majorVersion");
    if (minorVersion == nullptr) return call.null("minorVersion");
    if (patchVersion == nullptr) return call.null("patchVersion");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
  });
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  CAIRN_WATCH(pkgName, versionStr);
  return entry(__func__, [&](const Call& call) -> Status {
    if (pkgName == nullptr) return call.null("pkgName");
    if (versionStr == nullptr) return call.null("versionStr");
    std::string version;
    if (const Status refused = cairn::find_version(call, pkgName, version)) return refused;
    std::memcpy(versionStr, version.c_str(), version.size() + 1);
    return ACL_SUCCESS;
  });
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  CAIRN_WATCH(pkgName, versionNum);
  return entry(__func__, [&](const Call& call) -> Status {
    if (pkgName == nullptr) return call.null("pkgName");
    if (versionNum == nullptr) return call.null("versionNum");
    std::string version;
    if (const Status refused = cairn::find_version(call, pkgName, version)) return refused;
    *versionNum = cairn::version_number(version);
    return ACL_SUCCESS;
  });
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
  CAIRN_WATCH(name, version);
  return entry(__func__, [&](const Call& call) -> Status {
    if (version == nullptr) return call.null("version");
    const char* package = cairn::package_of(name);
    if (package == nullptr) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "name is %d, expected 0 to %d", static_cast<int>(name),
                       static_cast<int>(ACL_PKG_NAME_DRIVER));
    }
    std::string found;
    if (const Status refused = cairn::find_version(call, package, found)) return refused;
    cairn::fill_version(*version, found);
    return ACL_SUCCESS;
  });
}
