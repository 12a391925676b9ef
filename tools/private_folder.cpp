#include "private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

namespace cairn::tool {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

// What is made in its life is this user's alone.
class PrivateMask {
 public:
  PrivateMask() : before_(umask(S_IRWXG | S_IRWXO)) {}
  ~PrivateMask() { umask(before_); }
  PrivateMask(const PrivateMask&) = delete;
  PrivateMask& operator=(const PrivateMask&) = delete;

 private:
  mode_t before_;
};

// A relative path would mean another folder wherever one stands; XDG's rule is to pass over it.
std::optional<fs::path> absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value != '/') return std::nullopt;
  return value;
}

void refuse(const fs::path& folder, const char* why) {
  std::fprintf(stderr, "cairn: no compiled program is kept in %s, which %s\n", folder.c_str(), why);
}

// Whoever owns the root folder can do everything anyway; in a container that may be someone without a number.
bool is_trusted_owner(uid_t owner) {
  struct stat root {};
  return owner == geteuid() || owner == 0 || (stat("/", &root) == 0 && owner == root.st_uid);
}

// Whether no other user can exchange this folder, or one that it lies in, for another. No symlinks in the
// path.
bool is_safe_place(const fs::path& folder) {
  fs::path part;
  for (const fs::path& name : folder) {
    part /= name;
    struct stat found {};
    if (lstat(part.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
    if (!is_trusted_owner(found.st_uid)) {
      refuse(folder, "lies in a folder of another user");
      return false;
    }
    if ((found.st_mode & kOthersWrite) != 0 && (found.st_mode & S_ISVTX) == 0) {
      refuse(folder, "lies in a folder that others can write to");
      return false;
    }
  }
  return true;
}

// Makes a folder of ours, or checks that the one that is there is ours alone.
bool is_own_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return false;
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0) return false;
  if (!S_ISDIR(found.st_mode)) {
    refuse(folder, "is no folder");
  } else if (found.st_uid != geteuid()) {
    refuse(folder, "belongs to another user");
  } else if ((found.st_mode & kOthersWrite) != 0) {
    refuse(folder, "others can write to");
  } else {
    return (found.st_mode & 0777U) == S_IRWXU || chmod(folder.c_str(), S_IRWXU) == 0;
  }
  return false;
}

// `names`, one in the other in `base`, each of them ours; nothing where that cannot be.
std::optional<fs::path> own_folder_in(const fs::path& base, const std::vector<const char*>& names) {
  std::error_code absent;
  fs::path folder = fs::canonical(base, absent);
  if (absent || !is_safe_place(folder)) return std::nullopt;
  for (const char* name : names) {
    folder /= name;
    if (!is_own_folder(folder)) return std::nullopt;
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) return std::nullopt;
  return folder;
}

std::optional<fs::path> user_cache() {
  std::error_code ignored;
  const PrivateMask mask;
  std::optional<fs::path> cache = absolute_path_in("XDG_CACHE_HOME");
  if (cache) {
    fs::create_directories(*cache, ignored);
  } else if ((cache = absolute_path_in("HOME"))) {
    *cache /= ".cache";
    fs::create_directory(*cache, ignored);
  } else {
    return std::nullopt;
  }
  return own_folder_in(*cache, {"cairn", "run"});
}

fs::path folder_for_temporary_files() {
  const std::optional<fs::path> wanted = absolute_path_in("TMPDIR");
  return wanted && access(wanted->c_str(), W_OK | X_OK) == 0 ? *wanted : fs::path("/tmp");
}

}  // namespace

TemporaryFolder::TemporaryFolder(const fs::path& parent, const std::string& name) {
  std::string path = (parent / (name + "XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    const int error = errno;
    throw std::system_error(error, std::generic_category(),
                            "a folder for the compiled program cannot be made in " + parent.string());
  }
  path_ = path;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept { path_.swap(other.path_); }

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

ProgramFolder program_folder(const Tree& tree) {
  // A build tree keeps its programs to itself, so that deleting it leaves nothing behind.
  std::optional<fs::path> kept;
  if (tree.source) kept = own_folder_in(tree.prefix, {"run"});
  if (!kept) kept = user_cache();
  if (kept) return {*kept, std::nullopt};
  TemporaryFolder temporary(folder_for_temporary_files(), "cairn-");
  fs::path path = temporary.path();
  return {std::move(path), std::move(temporary)};
}

bool is_own_program(const fs::path& program) {
  struct stat found {};
  return lstat(program.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & kOthersWrite) == 0;
}

}  // namespace cairn::tool
