// mstx as a header of inline functions has it: they open the library that MSTX_INJECTION_PATH names, and let
// it fill tables of functions.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

namespace injected {

typedef void (*Function)();
typedef Function** Table;

struct Functions {
  Function core[5] = {};  // from 1 on
  Function domain[6] = {};
  Function memory[5] = {};
  Function* core_places[5];
  Function* domain_places[6];
  Function* memory_places[5];
  bool filled = false;

  Functions() {
    for (int i = 0; i < 5; ++i) core_places[i] = &core[i];
    for (int i = 0; i < 6; ++i) domain_places[i] = &domain[i];
    for (int i = 0; i < 5; ++i) memory_places[i] = &memory[i];
  }
};

inline Functions& functions() {
  static Functions all;
  return all;
}

inline int get_table(int module, Table* table, unsigned int* size) {
  Functions& all = functions();
  *table = module == 1   ? all.core_places
           : module == 2 ? all.domain_places
           : module == 3 ? all.memory_places
                         : nullptr;
  *size = module == 2 ? 6 : 5;
  return 0;
}

inline bool open() {
  const char* const path = std::getenv("MSTX_INJECTION_PATH");
  void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_LAZY);
  if (library == nullptr) return false;
  typedef int (*Initialise)(int (*)(int, Table*, unsigned int*));
  Initialise initialise = reinterpret_cast<Initialise>(dlsym(library, "InitInjectionMstx"));
  return initialise != nullptr && initialise(get_table) == 0;
}

template <typename Pointer>
Pointer as(Function function) {
  return reinterpret_cast<Pointer>(function);
}

}  // namespace injected
