# An install tree has the shape of CANN's, so that build recipes written for CANN work against it. The build tree gets
# the same shape, so that programs can run from either.
include(CMakePackageConfigHelpers)

set(CAIRN_CANN_VERSION 9.1.0)  # the CANN whose API this is

# cairn_link(TARGET NAME): a symbolic link, in the build tree and in installs.
function(cairn_link target name)
  get_filename_component(folder ${name} DIRECTORY)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  file(CREATE_LINK ${target} ${PROJECT_BINARY_DIR}/${name} SYMBOLIC)
  # install(FILES) would refuse a link to a folder.
  install(CODE "set(place \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    file(MAKE_DIRECTORY \"\${place}/${folder}\")
    file(CREATE_LINK ${target} \"\${place}/${name}\" SYMBOLIC)")
endfunction()

# cairn_file(TEMPLATE NAME): a configured file, in the build tree and in installs.
function(cairn_file template name)
  get_filename_component(folder ${name} DIRECTORY)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${template} ${PROJECT_BINARY_DIR}/${name} @ONLY)
  if(NOT folder)
    set(folder .)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/${name} DESTINATION ${folder})
endfunction()

install(DIRECTORY include/ DESTINATION include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include SYMBOLIC)
foreach(library acl_rt nnopbase opapi)
  foreach(folder include include/aclnn include/aclnnop)
    target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${folder}>
                                                    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${folder}>)
  endforeach()
endforeach()
install(TARGETS acl_rt nnopbase opapi EXPORT cairn LIBRARY DESTINATION lib64)
install(TARGETS cairn_tool RUNTIME DESTINATION bin)
install(TARGETS cairn_tools LIBRARY DESTINATION lib64)
install(TARGETS ms_tools_ext LIBRARY DESTINATION tools/mstx/lib64)
install(DIRECTORY src/mstx/include/ DESTINATION tools/mstx/include)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tools/mstx)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/mstx/include ${PROJECT_BINARY_DIR}/tools/mstx/include SYMBOLIC)
if(CAIRN_CUDA)
  install(TARGETS cairn_cuda LIBRARY DESTINATION lib64 OPTIONAL)  # nobody links it; `./cairn run` may leave it out
endif()

# Every name under which CANN programs know a library or a folder.
cairn_link(libacl_rt.so lib64/libascendcl.so)
foreach(name opapi_nn opapi_cv opapi_math)
  cairn_link(libopapi.so lib64/lib${name}.so)
endforeach()
foreach(folder include lib64 bin)
  cairn_link(../${folder} ${CMAKE_SYSTEM_PROCESSOR}-linux/${folder})
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/opp/vendors)
install(DIRECTORY DESTINATION opp/vendors)

install(DIRECTORY python/cairn DESTINATION python/site-packages FILES_MATCHING PATTERN "*.py" PATTERN py.typed
        PATTERN __pycache__ EXCLUDE)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/site-packages)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/cairn ${PROJECT_BINARY_DIR}/python/site-packages/cairn SYMBOLIC)

cairn_file(set_env.sh.in set_env.sh)
cairn_link(../set_env.sh bin/setenv.bash)
foreach(package runtime opbase ops_nn ops_cv ops_math ops_legacy)
  cairn_file(version.info.in share/info/${package}/version.info)
endforeach()

set(package_folder lib64/cmake/cairn)
cairn_file(cairnConfig.cmake.in ${package_folder}/cairnConfig.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package_folder}/cairnConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/${package_folder}/cairnConfigVersion.cmake DESTINATION ${package_folder})
export(EXPORT cairn NAMESPACE cairn:: FILE ${PROJECT_BINARY_DIR}/${package_folder}/cairnTargets.cmake)
install(EXPORT cairn NAMESPACE cairn:: DESTINATION ${package_folder} FILE cairnTargets.cmake)
# Debian's find_package looks into a prefix's lib and share, but not into lib64.
cairn_link(../../${package_folder} share/cmake/cairn)
cairn_file(cairn.pc.in lib64/pkgconfig/cairn.pc)
install(FILES LICENSE README.md DESTINATION share/doc/cairn)
