# SPDX-License-Identifier: MIT
# smp_target(NAME): warnings, sanitizers and coverage for the C files of one of our targets.
# smp_library(NAME SOURCE...): a static library that shows its own folder to those who link it.
function(smp_target name)
  set(c "$<COMPILE_LANGUAGE:C>")
  target_compile_options(${name} PRIVATE
    "$<${c}:-Wall;-Wextra;-Wconversion;-Wshadow;-Wstrict-prototypes>")
  if(SMP_WERROR)
    target_compile_options(${name} PRIVATE "$<${c}:-Werror>")
  endif()
  if(SMP_SANITIZE)
    target_compile_options(${name} PRIVATE
      "$<${c}:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
    target_link_options(${name} PUBLIC -fsanitize=address,undefined)
  endif()
  if(SMP_FUZZ)
    target_compile_options(${name} PRIVATE "$<${c}:-fsanitize=fuzzer-no-link>")
  endif()
  if(SMP_COVERAGE)
    target_compile_options(${name} PRIVATE "$<${c}:--coverage;-fprofile-update=atomic>")
    target_link_options(${name} PUBLIC --coverage)
  endif()
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
