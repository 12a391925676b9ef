# Every target of ours links cairn_flags: warnings, sanitizers, the include roots.
add_library(cairn_flags INTERFACE)
target_include_directories(cairn_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# FUNC_VISIBILITY makes CANN's ACL_FUNC_VISIBILITY export what it marks; all else stays hidden.
target_compile_definitions(cairn_flags INTERFACE FUNC_VISIBILITY)
# -ffp-contract=off: results are defined to the bit, so no multiply may melt into an add.
target_compile_options(cairn_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # The libraries' doors to each other are extern "C" for a plain symbol name; only our own C++ calls them.
  target_compile_options(cairn_flags INTERFACE -Wno-return-type-c-linkage)
endif()
if(CAIRN_WERROR)
  target_compile_options(cairn_flags INTERFACE -Werror)
endif()
# Not libgcc: a thread that is cancelled is unwound by the system's, which must find its own data.
# What of it nobody calls would ask for the newest glibc.
set(CAIRN_SELF_CONTAINED_LINK -static-libstdc++ -Wl,--gc-sections)
if(CAIRN_SELF_CONTAINED)
  target_link_options(cairn_flags INTERFACE ${CAIRN_SELF_CONTAINED_LINK})
endif()
# Every instruction set is the business of the normal builds: with one alone the kernels compile in a quarter of the time.
set(cairn_processor "${CAIRN_KERNELS_FOR}")
if(cairn_processor STREQUAL "" AND (CAIRN_SANITIZE OR CAIRN_FUZZ))
  set(cairn_processor native)
endif()
if(cairn_processor)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(cairn_flags INTERFACE -march=${cairn_processor})
  elseif(NOT cairn_processor STREQUAL "native")
    target_compile_options(cairn_flags INTERFACE -mcpu=${cairn_processor})
  endif()
  # On Arm the kernels take Neon alone, which every processor has. -mcpu=native would add nothing but trouble: for a
  # processor with SVE2's SHA3 GCC 12 writes instructions that binutils 2.40 then refuses.
  target_compile_definitions(cairn_flags INTERFACE HWY_COMPILE_ONLY_STATIC)
endif()
if(CAIRN_SANITIZE)
  target_compile_options(cairn_flags INTERFACE -fsanitize=${CAIRN_SANITIZE} -fno-omit-frame-pointer -g
                                               -fno-sanitize-recover=all)
  target_link_options(cairn_flags INTERFACE -fsanitize=${CAIRN_SANITIZE})
  if(CAIRN_SANITIZE MATCHES undefined)
    # Programs pass any number for CANN's plain C enums; refusing it is our task, and loading it no fault of ours.
    target_compile_options(cairn_flags INTERFACE -fno-sanitize=enum)
  endif()
  if(CAIRN_SANITIZE MATCHES thread)
    # TSan does not know std::atomic_thread_fence; we use none, but gcc warns of those in the standard headers.
    target_compile_options(cairn_flags INTERFACE -Wno-tsan)
  endif()
endif()
if(CAIRN_COVERAGE)
  target_compile_options(cairn_flags INTERFACE --coverage -O0 -g -fno-inline)
  target_link_options(cairn_flags INTERFACE --coverage)
endif()

# One instruction set is also what lets kernels share a parsed Highway. Release builds have no part in this, so that
# they find an #include that is missing.
if(NOT cairn_processor)
  set(CAIRN_QUICK_COMPILE OFF)
endif()

# cairn_share_headers(TARGET HEADER…): parses these headers and much of the standard library once for all its files.
function(cairn_share_headers target)
  if(CAIRN_QUICK_COMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional>
      <limits> <memory> <mutex> <optional> <span> <string> <string_view> <type_traits> <utility> <vector> ${ARGN})
  endif()
endfunction()

# cairn_join_files(TARGET [EXCEPT FILE…]): compiles its files a dozen at a time.
function(cairn_join_files target)
  cmake_parse_arguments(ARG "" "" "EXCEPT" ${ARGN})
  if(CAIRN_QUICK_COMPILE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    set_source_files_properties(${ARG_EXCEPT} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# A shared library that exports CANN's names and one door of ours, nothing else.
function(cairn_shared_library target)
  target_link_libraries(${target} PRIVATE cairn_flags)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
  add_dependencies(${target} cairn_stamp)
  target_link_options(${target} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map -Wl,-z,defs)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map
                                             INSTALL_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
endfunction()
