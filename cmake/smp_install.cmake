# SPDX-License-Identifier: MIT
# Installs, by components: the program; the library, shared; machine, the library of machine code; its texts (man page, completions, examples with the hook and workflow); devel,
# that is the static library, headers and the CMake package `smemprobe`.
include(CMakePackageConfigHelpers)

set(smp_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/smemprobe)
install(TARGETS smp_shared EXPORT smemprobe
  LIBRARY COMPONENT library NAMELINK_COMPONENT devel)
install(TARGETS smp_machine_shared EXPORT smemprobe
  LIBRARY COMPONENT machine NAMELINK_COMPONENT devel)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/analyzer/library/libsmemprobe.a
  DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT devel)
install(TARGETS smemprobe COMPONENT program)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS COMPONENT texts
  PATTERN __pycache__ EXCLUDE)
install(DIRECTORY schema DESTINATION ${CMAKE_INSTALL_DATADIR}/smemprobe COMPONENT texts)
install(FILES LICENSE NOTICES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(FILES analyzer/library/smemprobe.h model/smp_model.h model/smp_status.h model/smp_arch.h model/smp_op.h
  analyzer/accesses/smp_accesses.h
  analyzer/cuda_text/smp_layout.h analyzer/fix/smp_fix.h
  analyzer/library/smp_machine.h analyzer/library/smp_profile.h analyzer/accesses/smp_trace.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/smemprobe COMPONENT devel)
install(EXPORT smemprobe NAMESPACE smemprobe:: FILE smemprobeTargets.cmake
  DESTINATION ${smp_package_folder} COMPONENT devel)
set(smp_static_options "")
if(SMP_SANITIZE)
  set(smp_static_options -fsanitize=address,undefined)
elseif(SMP_COVERAGE)
  set(smp_static_options --coverage)
endif()
configure_package_config_file(cmake/smemprobeConfig.cmake.in smemprobeConfig.cmake
  INSTALL_DESTINATION ${smp_package_folder}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(smemprobeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/smemprobeConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/smemprobeConfigVersion.cmake
  DESTINATION ${smp_package_folder} COMPONENT devel)

# For projects without CMake: pkg-config --cflags --libs smemprobe
set(smp_pc_extra "")
if(SMP_SANITIZE)
  string(APPEND smp_pc_extra " -fsanitize=address,undefined")
endif()
if(SMP_COVERAGE)
  string(APPEND smp_pc_extra " --coverage")
endif()
# From where it lies (two folders below the prefix, or three: lib/x86_64-linux-gnu/pkgconfig) to the prefix.
file(RELATIVE_PATH smp_pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" smp_pc_to_prefix "${smp_pc_to_prefix}")
configure_file(cmake/smemprobe.pc.in smemprobe.pc @ONLY)
configure_file(cmake/smemprobe_machine.pc.in smemprobe_machine.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/smemprobe.pc ${CMAKE_CURRENT_BINARY_DIR}/smemprobe_machine.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT devel)
