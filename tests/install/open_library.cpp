// open_library LIBRARY SYMBOL…: opens the library the way the PyTorch adapter does and looks each symbol up
// in it.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_LAZY) : nullptr;
  if (library == nullptr) {
    std::printf("%s\n", argc > 1 ? dlerror() : "which library?");
    return 1;
  }
  for (int i = 2; i < argc; ++i) {
    if (dlsym(library, argv[i]) != nullptr) continue;
    std::printf("%s\n", dlerror());
    return 1;
  }
}
