#include "observe/load.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "observe/observer.h"

constinit std::atomic<cairn::Observer*> cairn_observer{nullptr};

namespace cairn {
namespace {

void complain(const char* why) {
  const std::string line = std::string("cairn: CAIRN_CHECK is set, but nothing is checked: ") + why + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::string path_beside_this_library() {
  Dl_info info{};
  if (dladdr(static_cast<const void*>(&cairn_observer), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string self = info.dli_fname;
  const std::size_t slash = self.rfind('/');
  return slash == std::string::npos ? "libcairn_tools.so" : self.substr(0, slash) + "/libcairn_tools.so";
}

// As the library is loaded, so that no call comes before it. Here because a program may make tensors before
// its first call of the runtime.
__attribute__((constructor)) void open_tools() {
  const char* wanted = std::getenv("CAIRN_CHECK");  // NOLINT(concurrency-mt-unsafe): before main
  if (wanted == nullptr || *wanted == '\0' || (wanted[0] == '0' && wanted[1] == '\0')) return;
  void* library = dlopen(path_beside_this_library().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return complain(dlerror());  // NOLINT(concurrency-mt-unsafe)
  const auto open = reinterpret_cast<OpenTools>(dlsym(library, "cairn_tools_open"));
  const auto* stamp = static_cast<const char*>(dlsym(library, "cairn_tools_stamp"));
  if (open == nullptr || stamp == nullptr || std::string_view(stamp) != CAIRN_STAMP)
    return complain("libcairn_tools.so is of another build than libacl_rt.so beside it");
  cairn_observer.store(open(wanted), std::memory_order_release);
}

}  // namespace
}  // namespace cairn
