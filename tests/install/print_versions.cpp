// print_versions PACKAGE…: what the library says about each.
#include <cstdio>

#include "acl/acl.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    char version[ACL_PKG_VERSION_MAX_SIZE] = {};
    const aclError status = aclsysGetVersionStr(argv[i], version);
    if (status == ACL_SUCCESS) {
      std::printf("%s: %s\n", argv[i], version);
    } else {
      std::printf("%s: status %d\n", argv[i], status);
    }
  }
}
