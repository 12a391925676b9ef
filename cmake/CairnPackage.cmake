# What `./cairn package` makes: a tarball that may be unpacked anywhere, and a .deb that installs into /opt/cairn.
if(CAIRN_SELF_CONTAINED)
  # Found through $ORIGIN, under the name that the linker recorded.
  pkg_get_variable(cairn_hwy_folder libhwy libdir)
  file(GLOB cairn_hwy ${cairn_hwy_folder}/libhwy.so.[0-9])
  if(NOT cairn_hwy)
    message(FATAL_ERROR "CAIRN_SELF_CONTAINED needs Highway as a shared library; there is none in ${cairn_hwy_folder}")
  endif()
  get_filename_component(cairn_hwy_name ${cairn_hwy} NAME)
  get_filename_component(cairn_hwy_file ${cairn_hwy} REALPATH)
  install(FILES ${cairn_hwy_file} DESTINATION lib64 RENAME ${cairn_hwy_name})
endif()

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME cairn)
set(CPACK_PACKAGE_VENDOR "the Cairn authors")
set(CPACK_PACKAGE_CONTACT "the Cairn authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Runs programs written for Ascend's aclnn operators without an NPU")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_FILE_NAME cairn-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
if(CAIRN_CUDA)
  string(APPEND CPACK_PACKAGE_FILE_NAME -cuda)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/cpack_each.cmake)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libgcc-s1, libstdc++6")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # CPack would ask the machine it runs on
endif()
include(CPack)

# The target behind `./cairn package`. What would not run on the systems that the packages are for does not leave here.
if(CAIRN_SELF_CONTAINED)
  set(cairn_unpacked ${CPACK_PACKAGE_DIRECTORY}/_tree)
  find_program(CAIRN_PYTHON python3)
  if(CAIRN_PYTHON)
    set(cairn_wheel ${CAIRN_PYTHON} ${PROJECT_SOURCE_DIR}/python/pack.py ${cairn_unpacked} ${CPACK_PACKAGE_DIRECTORY})
  else()
    set(cairn_wheel ${CMAKE_COMMAND} -E echo "No wheel was made: that takes python3")
  endif()
  add_custom_target(packages
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${cairn_unpacked}
    COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --strip --prefix ${cairn_unpacked}
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/needs_glibc.sh 2.34 ${cairn_unpacked}
    COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake
    COMMAND ${cairn_wheel}
    DEPENDS acl_rt nnopbase opapi cairn_tools ms_tools_ext cairn_tool $<TARGET_NAME_IF_EXISTS:cairn_cuda>
    USES_TERMINAL VERBATIM)
endif()
