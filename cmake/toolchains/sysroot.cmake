# SPDX-License-Identifier: MIT
# Builds against the headers and libraries of another Debian: SMP_SYSROOT is a folder that
# script/sysroot made, SMP_SYSROOT_ARCH its architecture (x86_64, aarch64).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SMP_SYSROOT SMP_SYSROOT_ARCH)
set(CMAKE_SYSTEM_PROCESSOR ${SMP_SYSROOT_ARCH})
set(CMAKE_SYSROOT ${SMP_SYSROOT})
set(triplet ${SMP_SYSROOT_ARCH}-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_C_COMPILER ${triplet}-gcc)
# Debian's gcc looks into its own system first, sysroot or not.
set(libraries ${SMP_SYSROOT}/usr/lib/${triplet})
set(CMAKE_C_FLAGS_INIT "-B${libraries} -isystem ${SMP_SYSROOT}/usr/include/${triplet} -isystem ${SMP_SYSROOT}/usr/include")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-L${libraries} -L${SMP_SYSROOT}/lib/${triplet}")
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SMP_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${SMP_SYSROOT}/usr/lib/${triplet}/pkgconfig:${SMP_SYSROOT}/usr/share/pkgconfig)
# The program writes its own man page and completions while it is built.
cmake_host_system_information(RESULT host QUERY OS_PLATFORM)
if(host STREQUAL SMP_SYSROOT_ARCH)
  set(CMAKE_CROSSCOMPILING_EMULATOR env)
else()
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${SMP_SYSROOT_ARCH}-static;-L;${SMP_SYSROOT})
endif()
