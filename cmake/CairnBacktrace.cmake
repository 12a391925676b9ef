# Files and lines of stacks come from libbacktrace, which GCC brings along for its own use: a static library and a header,
# nothing to have at run time. Without it reports name functions only. Sets the target cairn_backtrace.
add_library(cairn_backtrace INTERFACE)
find_program(CAIRN_GXX NAMES g++ HINTS ${CMAKE_CXX_COMPILER})
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(CAIRN_GXX ${CMAKE_CXX_COMPILER})
endif()
set(cairn_backtrace_found OFF)
if(CAIRN_GXX)
  execute_process(COMMAND ${CAIRN_GXX} -print-file-name=libbacktrace.a OUTPUT_VARIABLE cairn_backtrace_library
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${CAIRN_GXX} -print-file-name=include OUTPUT_VARIABLE cairn_gxx_include
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(IS_ABSOLUTE "${cairn_backtrace_library}" AND EXISTS ${cairn_gxx_include}/backtrace.h)
    set(cairn_backtrace_found ON)
  endif()
endif()
if(cairn_backtrace_found)
  # The header alone: its folder holds GCC's own stddef.h, which another compiler must not see.
  foreach(header backtrace.h backtrace-supported.h)
    configure_file(${cairn_gxx_include}/${header} ${PROJECT_BINARY_DIR}/generated/backtrace/${header} COPYONLY)
  endforeach()
  target_include_directories(cairn_backtrace SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/generated/backtrace)
  target_link_libraries(cairn_backtrace INTERFACE ${cairn_backtrace_library})
  target_compile_definitions(cairn_backtrace INTERFACE CAIRN_HAS_BACKTRACE)
else()
  message(STATUS "libbacktrace: not found; cairn check names functions, not lines")
endif()
