# SPDX-License-Identifier: MIT
# smp_target(NAME): the edition of POSIX, warnings, sanitizers and coverage for the C files of one of our targets. The
# model is C11 alone; a file that wants more than POSIX says so (_GNU_SOURCE). A release is built with -O1, which takes
# gcc half the time of -O3, except for the files of smp_hot, and for rooms in which programs spend little: -Og takes two
# thirds of the time of -O1.
# smp_library(NAME SOURCE...): a static library that shows its own folder to those who link it.
# smp_hot(SOURCE...): files in which programs spend their time: -O3 in a release.
# smp_whole(OUT LIBRARY): what links every object of a static library, needed or not. ($<LINK_LIBRARY> is of CMake 3.24;
# Ubuntu 22.04 has 3.22.)
if(SMP_SANITIZE)
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=gold SMP_GOLD) # links a suite in a third of the time
endif()
function(smp_target name)
  set(c "$<COMPILE_LANGUAGE:C>")
  if(NOT name MATCHES "^smp_model")
    target_compile_definitions(${name} PRIVATE "$<${c}:_POSIX_C_SOURCE=200809L>")
  endif()
  target_compile_options(${name} PRIVATE
    "$<${c}:-Wall;-Wextra;-Wconversion;-Wshadow;-Wstrict-prototypes>")
  if(SMP_WERROR)
    target_compile_options(${name} PRIVATE "$<${c}:-Werror>")
  endif()
  set(release_level -O1)
  set(sanitized_level -O1)
  if(name MATCHES "^smp_(charts|cli|declarations|doctor|edits|gate|judge|launch|proof|repair|target|write)$|^smemprobe$")
    set(release_level -Og)
    set(sanitized_level -O0)
  elseif(name MATCHES "^smp_(instrument|runtime)$") # run inside other programs, but do little in tests
    set(sanitized_level -O0)
  endif()
  target_compile_options(${name} PRIVATE "$<$<AND:${c},$<CONFIG:Release>>:${release_level}>")
  if(SMP_SANITIZE)
    # -O0 takes gcc half the time of -O1, for rooms in which tests spend little; -O2 takes 1.8 times as long, and makes
    # the tests a seventh faster. Calls need lines, no variables.
    target_compile_options(${name} PRIVATE
      "$<${c}:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer;${sanitized_level};-g1>")
    # Texts of what is undefined are six megabytes of data, which each run of a program searches for leaks: a trap instead,
    # of which the address sanitizer shows the line (handle_sigill=1). A fuzzer's finding is read by people.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SMP_FUZZ)
      target_compile_options(${name} PRIVATE "$<${c}:-fsanitize-undefined-trap-on-error>")
    endif()
    target_link_options(${name} PUBLIC -fsanitize=address,undefined $<$<BOOL:${SMP_GOLD}>:-fuse-ld=gold>
      $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
  if(SMP_FUZZ)
    target_compile_options(${name} PRIVATE "$<${c}:-fsanitize=fuzzer-no-link>")
  endif()
  # Most files of smp_accesses need zstd, or others that do; libsmemprobe takes some of them and must not need it.
  if(SMP_BATCHES AND NOT name STREQUAL "smp_accesses")
    smp_batches(${name})
    target_compile_options(${name} PRIVATE "$<${c}:-Wno-shadow>") # of names of other files in the batch
  endif()
  if(SMP_COVERAGE)
    target_compile_options(${name} PRIVATE "$<${c}:--coverage;-fprofile-update=atomic>")
    target_link_options(${name} PUBLIC --coverage)
  endif()
endfunction()

function(smp_whole out library)
  set(${out} "-Wl,--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive" ${library} PARENT_SCOPE)
endfunction()

function(smp_library name)
  add_library(${name} STATIC ${ARGN})
  string(REPLACE "smp_" "" export_name ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${export_name} LINKER_LANGUAGE C
                                           POSITION_INDEPENDENT_CODE ON
                                           C_VISIBILITY_PRESET hidden)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/smemprobe>)
  smp_target(${name})
endfunction()

function(smp_hot)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
endfunction()
