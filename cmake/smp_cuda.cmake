# SPDX-License-Identifier: MIT
# Finds the CUDA toolkit: on PATH, where CUDA_HOME or CUDA_PATH say, in the usual folder, or in the
# project's own .cuda (script/bootstrap --cuda). Sets SMP_HAVE_CUDA; without a toolkit one line says so.
set(SMP_HAVE_CUDA OFF)

function(smp_find_nvcc out)
  find_program(SMP_NVCC nvcc
    HINTS ${CMAKE_CURRENT_SOURCE_DIR}/.cuda/bin ENV CUDA_HOME ENV CUDA_PATH
    PATH_SUFFIXES bin PATHS /usr/local/cuda /opt/cuda)
  set(${out} ${SMP_NVCC} PARENT_SCOPE)
endfunction()

# The folder with include/ and lib/ or lib64/ that a given nvcc belongs to.
function(smp_toolkit_root nvcc out)
  get_filename_component(real ${nvcc} REALPATH)
  get_filename_component(bin ${real} DIRECTORY)
  get_filename_component(root ${bin} DIRECTORY)
  set(${out} ${root} PARENT_SCOPE)
endfunction()

macro(smp_without_cuda why)
  if(SMP_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SMP_CUDA=ON, but ${why}")
  endif()
  message(STATUS "CUDA kernels are not built: ${why} (script/bootstrap --cuda fetches the toolkit)")
endmacro()

if(SMP_CUDA STREQUAL "OFF")
  message(STATUS "CUDA kernels are not built: SMP_CUDA=OFF")
else()
  smp_find_nvcc(nvcc)
  if(NOT nvcc)
    smp_without_cuda("no nvcc found")
  else()
    smp_toolkit_root(${nvcc} SMP_CUDA_ROOT)
    find_path(SMP_CUPTI_INCLUDE cupti_range_profiler.h
      HINTS ${SMP_CUDA_ROOT}/include ${SMP_CUDA_ROOT}/extras/CUPTI/include NO_CACHE)
    find_library(SMP_CUDART cudart_static
      HINTS ${SMP_CUDA_ROOT}/lib64 ${SMP_CUDA_ROOT}/lib ${SMP_CUDA_ROOT}/targets/x86_64-linux/lib
            ${SMP_CUDA_ROOT}/targets/sbsa-linux/lib NO_CACHE)
    find_program(SMP_CXX NAMES ${CMAKE_CXX_COMPILER} g++ c++)
    if(NOT SMP_CUPTI_INCLUDE)
      smp_without_cuda("the toolkit at ${SMP_CUDA_ROOT} has no CUPTI with the Range Profiler (CUDA 12.6 or later)")
    elseif(NOT SMP_CUDART)
      smp_without_cuda("the toolkit at ${SMP_CUDA_ROOT} has no static runtime library")
    elseif(NOT SMP_CXX)
      smp_without_cuda("nvcc needs g++")
    else()
      set(SMP_HAVE_CUDA ON)
    endif()
  endif()
endif()

if(SMP_HAVE_CUDA)
  if(SMP_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${SMP_CUDA_ARCHITECTURES})
  else()
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
  endif()
  set(CMAKE_CUDA_COMPILER ${nvcc})
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  get_filename_component(smp_cudart_folder ${SMP_CUDART} DIRECTORY)
  # A toolkit made of wheels keeps its libraries in lib/, where nvcc does not look by itself.
  set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -L${smp_cudart_folder}")
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)
  message(STATUS "CUDA kernels are built by ${nvcc} (${CMAKE_CUDA_COMPILER_VERSION})")
endif()
