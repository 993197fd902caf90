# SPDX-License-Identifier: MIT
# smp_find_toolkit(PREFIX ROOT...): finds the CUDA toolkit and sets in the caller PREFIX_NVCC,
# PREFIX_ROOT, PREFIX_CUDART (the static runtime) and PREFIX_CUPTI_INCLUDE, or PREFIX_WHY_NOT.
# The first of these that has an nvcc counts: what CUDACXX or CMAKE_CUDA_COMPILER name, the folders
# ROOT, CUDA_HOME, CUDA_PATH, PATH, the usual folders. Libraries may be in lib64/, in lib/ (as in a
# toolkit made of Python wheels) or in targets/.
function(smp_find_nvcc out)
  find_program(SMP_NVCC NAMES "${CMAKE_CUDA_COMPILER}" "$ENV{CUDACXX}" nvcc NAMES_PER_DIR
    HINTS ${ARGN} ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin
    PATHS /usr/local/cuda /opt/cuda NO_CACHE)
  if(SMP_NVCC)
    file(REAL_PATH ${SMP_NVCC} SMP_NVCC)
  endif()
  set(${out} ${SMP_NVCC} PARENT_SCOPE)
endfunction()

function(smp_find_toolkit prefix)
  smp_find_nvcc(nvcc ${ARGN})
  if(NOT nvcc)
    set(${prefix}_WHY_NOT "no nvcc found" PARENT_SCOPE)
    return()
  endif()
  cmake_path(GET nvcc PARENT_PATH bin)
  cmake_path(GET bin PARENT_PATH root)
  set(folders lib64 lib targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib targets/sbsa-linux/lib)
  find_library(cudart cudart_static HINTS ${root} PATH_SUFFIXES ${folders} NO_CACHE)
  find_path(cupti cupti_range_profiler.h HINTS ${root} NO_CACHE
    PATH_SUFFIXES include extras/CUPTI/include targets/${CMAKE_SYSTEM_PROCESSOR}-linux/include)
  set(why_not "")
  if(NOT cudart)
    set(why_not "the CUDA toolkit of ${nvcc} has no static runtime library")
  elseif(NOT cupti)
    set(why_not "the CUDA toolkit of ${nvcc} has no CUPTI with the Range Profiler (12.6 or later)")
  endif()
  set(${prefix}_NVCC ${nvcc} PARENT_SCOPE)
  set(${prefix}_ROOT ${root} PARENT_SCOPE)
  set(${prefix}_CUDART ${cudart} PARENT_SCOPE)
  set(${prefix}_CUPTI_INCLUDE ${cupti} PARENT_SCOPE)
  set(${prefix}_WHY_NOT ${why_not} PARENT_SCOPE)
endfunction()
