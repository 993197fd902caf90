# SPDX-License-Identifier: MIT
# The libraries that the program is linked with: PkgConfig::JANSSON and PkgConfig::ZSTD, shared, or
# with SMP_STATIC their archives.
function(smp_find_library prefix module archive)
  pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  if(SMP_STATIC)
    find_library(${prefix}_ARCHIVE NAMES ${archive} HINTS ${${prefix}_LIBRARY_DIRS} REQUIRED)
    set_target_properties(PkgConfig::${prefix} PROPERTIES
      INTERFACE_LINK_LIBRARIES ${${prefix}_ARCHIVE})
  endif()
endfunction()

smp_find_library(JANSSON jansson>=2.13 libjansson.a)
smp_find_library(ZSTD libzstd>=1.4 libzstd.a)
