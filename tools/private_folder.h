#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tree.h"

// Programs are run from folders that nobody but this user can put anything into.
namespace cairn::tool {

// A new folder, of this user alone; gone with this object.
class TemporaryFolder {
 public:
  // In `parent`, its name beginning with `name`.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Where the programs of one call of the tool lie: kept for later calls, or in a temporary folder.
struct ProgramFolder {
  std::filesystem::path path;
  std::optional<TemporaryFolder> temporary;
};
ProgramFolder program_folder(const Tree& tree);

// Whether this is a file that only this user can have put there.
bool is_own_program(const std::filesystem::path& program);

}  // namespace cairn::tool
