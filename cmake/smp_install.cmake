# SPDX-License-Identifier: MIT
# Installs the program, the libraries, the public headers and the CMake package `smemprobe`.
include(CMakePackageConfigHelpers)

set(smp_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/smemprobe)
install(TARGETS smp_model smp_kernels smp_probes smp_attach smp_plots smp_rooms
  ${SMP_ROOM_LIBRARIES} EXPORT smemprobe)
install(TARGETS smemprobe)
install(FILES model/smp_model.h kernels/smp_kernels.h probes/smp_probes.h
  analyzer/source/smp_source.h analyzer/layout/smp_layout.h analyzer/report/smp_report.h
  analyzer/measure/smp_verify.h analyzer/fix/smp_fix.h analyzer/compare/smp_forecast.h
  analyzer/smp_analyzer.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/smemprobe)
install(EXPORT smemprobe NAMESPACE smemprobe:: FILE smemprobeTargets.cmake
  DESTINATION ${smp_package_folder})
configure_package_config_file(cmake/smemprobeConfig.cmake.in smemprobeConfig.cmake
  INSTALL_DESTINATION ${smp_package_folder})
write_basic_package_version_file(smemprobeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/smemprobeConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/smemprobeConfigVersion.cmake cmake/smp_toolkit.cmake
  DESTINATION ${smp_package_folder})

# For projects without CMake: pkg-config --cflags --libs smemprobe
list(TRANSFORM SMP_ROOM_LIBRARIES PREPEND -l OUTPUT_VARIABLE smp_pc_rooms)
list(JOIN smp_pc_rooms " " smp_pc_rooms)
set(smp_pc_extra "")
if(SMP_HAVE_CUDA)
  string(APPEND smp_pc_extra " -l:libcudart_static.a -lstdc++ -lrt -lpthread -ldl")
endif()
if(SMP_SANITIZE)
  string(APPEND smp_pc_extra " -fsanitize=address,undefined")
endif()
if(SMP_COVERAGE)
  string(APPEND smp_pc_extra " --coverage")
endif()
configure_file(cmake/smemprobe.pc.in smemprobe.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/smemprobe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
