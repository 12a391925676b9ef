#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <tuple>
#include <typeinfo>

namespace cuda_emulator {

struct Launch {
  const void* kernel;
  std::string name;
  unsigned blocks, threads;
  std::size_t shared_bytes;
  void (*body)(const void* call);  // what each thread runs
  const void* call;
};

// A kernel's plan says which one it is.
template <typename... Plan>
std::string name_of_kernel_with() {
  int status = 0;
  std::string name;
  for (const char* mangled : {typeid(Plan).name()...}) {
    char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
    name += (name.empty() ? "" : ", ") + std::string(text != nullptr ? text : mangled);
    std::free(text);
  }
  return name;
}

template <typename... Plan>
struct Call {
  void (*kernel)(Plan...);
  std::tuple<Plan...> plan;

  static void run(const void* call) {
    const auto& it = *static_cast<const Call*>(call);
    std::apply(it.kernel, it.plan);
  }
};

}  // namespace cuda_emulator
