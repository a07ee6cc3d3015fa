# `cmake --install`: below the prefix the program, libraries with headers, and all that can be read. GPUs, kernels,
# figures and models are part of the program; their texts are installed for who wants to read or change them.
# The prefix is chosen when installing: nothing that is installed has it compiled in.
include(CMakePackageConfigHelpers)

set(HEDDLE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
target_include_directories(heddle_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
add_library(heddle_plugin INTERFACE)
target_include_directories(heddle_plugin INTERFACE
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/heddle-plugin>)
set_target_properties(heddle_shared PROPERTIES EXPORT_NAME heddle)
set_target_properties(heddle_plugin PROPERTIES EXPORT_NAME plugin)

install(TARGETS heddle RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS heddle_shared heddle_plugin EXPORT heddleTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS heddle_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS heddle_ocl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/heddle/heddle.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle)
install(DIRECTORY ${PLUGIN_INCLUDE} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# What records CPU programs; its links point into valgrind's own folder.
install(PROGRAMS ${CMAKE_BINARY_DIR}/libexec/heddle/heddle-native DESTINATION libexec/heddle)
if(RECORDER)
  install(PROGRAMS ${RECORDER} DESTINATION libexec/heddle)
  install(FILES ${CMAKE_BINARY_DIR}/libexec/heddle/vgpreload_core-amd64-linux.so
          ${CMAKE_BINARY_DIR}/libexec/heddle/default.supp DESTINATION libexec/heddle)
endif()

# pkg-config and CMake.
configure_file(cmake/heddle.pc.in heddle.pc @ONLY)
configure_file(cmake/heddle-plugin.pc.in heddle-plugin.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/heddle.pc ${CMAKE_BINARY_DIR}/heddle-plugin.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT heddleTargets NAMESPACE heddle:: DESTINATION ${HEDDLE_CMAKE_DIR})
configure_package_config_file(cmake/heddleConfig.cmake.in ${CMAKE_BINARY_DIR}/heddleConfig.cmake
                              INSTALL_DESTINATION ${HEDDLE_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/heddleConfig.cmake ${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake
        DESTINATION ${HEDDLE_CMAKE_DIR})

install(DIRECTORY configs figures models python DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle
        PATTERN build EXCLUDE PATTERN "*.egg-info" EXCLUDE PATTERN __pycache__ EXCLUDE)
foreach(text ${KERNEL_TEXTS})
  get_filename_component(folder ${text} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  install(FILES ${text} DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle/kernels/${folder})
endforeach()
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY doc examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE)

# What the program writes of itself, and the file by which OpenCL loaders find the device: they look in /etc,
# which belongs to the prefix /usr; below other prefixes OCL_ICD_VENDORS has to name the folder.
install(CODE "
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  set(man \"\${root}/${CMAKE_INSTALL_MANDIR}/man1\")
  set(completion \"\${root}/${CMAKE_INSTALL_DATADIR}/bash-completion/completions\")
  file(MAKE_DIRECTORY \"\${man}\" \"\${completion}\")
  execute_process(COMMAND \"$<TARGET_FILE:heddle>\" help --man \"\${man}\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"$<TARGET_FILE:heddle>\" help --completion bash
                  OUTPUT_FILE \"\${completion}/heddle\" COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS \"Installing: \${man}, \${completion}/heddle\")
  set(etc \"\${root}/etc\")
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(etc \"\$ENV{DESTDIR}/etc\")
  endif()
  file(WRITE \"\${etc}/OpenCL/vendors/heddle.icd\"
       \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libheddle_ocl.so\\n\")
  message(STATUS \"Installing: \${etc}/OpenCL/vendors/heddle.icd\")
")
