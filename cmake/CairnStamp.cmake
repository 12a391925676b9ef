# Our libraries hand each other C++ types and plans, so they must come from one build. The stamp is a hash of the headers
# that define what they share, made anew at build time: libraries with different stamps refuse each other.
set(cairn_generated ${PROJECT_BINARY_DIR}/generated)
file(GLOB cairn_plans RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*/plan.h)
# What they include is found by the script.
set(cairn_doors backend/cuda/open.h observe/observer.h runtime/bridge.h tensor/bridge.h ops/family.h ${cairn_plans})
list(JOIN cairn_doors "," cairn_doors_in_one_word)
add_custom_command(OUTPUT ${cairn_generated}/build_stamp.h
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D DOORS=${cairn_doors_in_one_word} -D VERSION=${PROJECT_VERSION}
          -D HEADER=${cairn_generated}/build_stamp.h -P ${PROJECT_SOURCE_DIR}/cmake/write_stamp.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/cmake/write_stamp.cmake
  DEPFILE ${cairn_generated}/build_stamp.h.d
  COMMENT "Stamping what the libraries share" VERBATIM)
add_custom_target(cairn_stamp DEPENDS ${cairn_generated}/build_stamp.h)
