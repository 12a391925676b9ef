#include "backend/load_cuda.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include "backend/cuda/open.h"
#include "build_stamp.h"

namespace cairn {
namespace {

std::string path_beside_this_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&load_cuda), &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string self = info.dli_fname;
  const std::size_t slash = self.rfind('/');
  return slash == std::string::npos ? "libcairn_cuda.so" : self.substr(0, slash) + "/libcairn_cuda.so";
}

LoadedCuda open_library(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) {
    return {nullptr, false, "this build of Cairn has no CUDA backend (there is no " + path + ")"};
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return {nullptr, false, dlerror()};  // NOLINT(concurrency-mt-unsafe)
  const auto open = reinterpret_cast<decltype(&cairn_cuda_open)>(dlsym(library, "cairn_cuda_open"));
  if (open == nullptr) return {nullptr, false, path + " is no library of Cairn"};
  const auto* stamp = static_cast<const char*>(dlsym(library, "cairn_cuda_stamp"));
  if (stamp == nullptr || std::string_view(stamp) != CAIRN_STAMP) {
    return {nullptr, false,
            path + " is of another build than libacl_rt.so beside it (its stamp is " +
                (stamp == nullptr ? "missing" : stamp) +
                ", expected " CAIRN_STAMP
                "): build all of Cairn again and install it as a whole, or remove the file"};
  }
  CudaChoice choice = open();
  return {std::move(choice.backend), false, std::move(choice.message)};
}

// Never destroyed: streams may outlive every destructor. A child of fork() keeps its parent's in reach.
struct Opened {
  pid_t process;
  LoadedCuda loaded;
  const Opened* of_parent;
};
constinit std::atomic<Opened*> g_opened{nullptr};

}  // namespace

LoadedCuda load_cuda() {
  Opened* opened = g_opened.load(std::memory_order_acquire);
  if (opened != nullptr && opened->process == getpid()) return opened->loaded;
  if (opened != nullptr && opened->loaded.backend != nullptr) {
    return {
        nullptr, true,
        "this process is a child of fork() whose parent uses CUDA, which does not survive a fork: use the "
        "GPU after exec, fork before the first call, or set CAIRN_DEVICE=cpu"};
  }
  auto fresh = std::make_unique<Opened>(Opened{getpid(), open_library(path_beside_this_library()), opened});
  if (!g_opened.compare_exchange_strong(opened, fresh.get(), std::memory_order_acq_rel))
    return opened->loaded;
  return fresh.release()->loaded;
}

}  // namespace cairn
