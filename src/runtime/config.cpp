#include "runtime/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>

namespace cairn {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;

class OpenFile {
 public:
  // O_NONBLOCK: to open a FIFO would wait for its writer.
  explicit OpenFile(const char* path)
      : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

}  // namespace

const char* read_small_file(const char* path, std::string& text) {
  const OpenFile file(path);
  struct stat status {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return "cannot be read";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t count = read(file.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return "cannot be read";
    if (count == 0) return nullptr;
    text.append(chunk.data(), static_cast<std::size_t>(count));
    // Some files of /proc are regular and have no size of their own.
    if (text.size() > kLargest) return "is larger than 1 MiB, expected a configuration file";
  }
}

// Checks what can go wrong by accident (an empty, cut or foreign file): strings end, brackets match.
std::optional<std::string> normalise_config(std::string_view text) {
  std::string result;
  std::string open;
  bool in_string = false;
  bool escaped = false;
  for (const char c : text) {
    if (!in_string && std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    if (!result.empty() && open.empty()) return std::nullopt;
    result += c;
    if (in_string) {
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c) return std::nullopt;
      open.pop_back();
    }
    if (result.front() != '{') return std::nullopt;
  }
  if (result.empty() || !open.empty()) return std::nullopt;
  return result;
}

bool wants_process_wide_text(std::string_view config) {
  return config.find(R"("err_msg_mode":"1")") != std::string_view::npos;
}

}  // namespace cairn
