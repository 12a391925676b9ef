# Cross-compiles for 64-bit Arm with Debian's g++-aarch64-linux-gnu, and runs the tests under qemu. The arm64 packages of
# Highway and GoogleTest are those of the system (`dpkg --add-architecture arm64`), or lie unpacked in CAIRN_SYSROOT.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CAIRN_SYSROOT "$ENV{CAIRN_SYSROOT}" CACHE PATH "Where arm64 packages were unpacked; empty: they are installed")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CAIRN_SYSROOT)

find_program(CAIRN_QEMU NAMES qemu-aarch64 qemu-aarch64-static DOC "What runs the tests")
if(CAIRN_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${CAIRN_QEMU} -L /usr/aarch64-linux-gnu)
endif()

set(CMAKE_FIND_ROOT_PATH ${CAIRN_SYSROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} ${CAIRN_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
if(CAIRN_SYSROOT)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CAIRN_SYSROOT})
endif()
