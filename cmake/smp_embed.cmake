# SPDX-License-Identifier: MIT
# smp_embed(TARGET PREFIX HEADER FILE...): compiles the texts of files into TARGET, as the arrays
# PREFIX_files and PREFIX_file_count that HEADER declares.
set(SMP_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_run.cmake)

function(smp_embed target prefix header)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_files.c)
  list(JOIN ARGN "|" files)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DPREFIX=${prefix} -DHEADER=${header} "-DFILES=${files}"
            -P ${SMP_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${SMP_EMBED_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
