# SPDX-License-Identifier: MIT
# smp_target(NAME): warnings, sanitizers and coverage for the C files of one of our targets.
function(smp_target name)
  set(c "$<COMPILE_LANGUAGE:C>")
  target_compile_options(${name} PRIVATE "$<${c}:-Wall;-Wextra;-Wconversion;-Wshadow;-Wstrict-prototypes>")
  if(SMP_WERROR)
    target_compile_options(${name} PRIVATE "$<${c}:-Werror>")
  endif()
  if(SMP_SANITIZE)
    target_compile_options(${name} PRIVATE
      "$<${c}:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
    target_link_options(${name} PUBLIC -fsanitize=address,undefined)
  endif()
  if(SMP_COVERAGE)
    target_compile_options(${name} PRIVATE "$<${c}:--coverage>")
    target_link_options(${name} PUBLIC --coverage)
  endif()
endfunction()
