# SPDX-License-Identifier: MIT
# smp_page(TARGET FOLDER NAME...): puts FOLDER/page.css and the programs FOLDER/NAME.js into FOLDER/page.html,
# names their hashes in the page's Content-Security-Policy, and compiles the page into TARGET.
set(SMP_PAGE_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/page_run.cmake)

function(smp_page target folder)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/page.html)
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE programs)
  list(TRANSFORM programs APPEND .js)
  list(JOIN programs "|" names)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFOLDER=${folder} "-DPROGRAMS=${names}"
            -P ${SMP_PAGE_SCRIPT}
    DEPENDS ${folder}/page.html ${folder}/page.css ${programs} ${SMP_PAGE_SCRIPT}
    VERBATIM)
  smp_embed(${target} smp_page ${PROJECT_SOURCE_DIR}/kernels/embedded.h ${output})
endfunction()
