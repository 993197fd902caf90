# SPDX-License-Identifier: MIT
# Writes OUTPUT: the texts of FILES (separated by |) as C byte arrays and one table of them.
string(REPLACE "|" ";" files "${FILES}")
set(arrays "")
set(rows "")
set(count 0)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  file(SIZE ${file} size)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char text_${count}[] = {\n${bytes}0x00};\n")
  string(APPEND rows "    {\"${name}\", (const char *)text_${count}, ${size}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND rows "    {0, 0, 0},\n")
file(WRITE ${OUTPUT}.new "/* Generated from: ${FILES} */
#include \"${HEADER}\"

${arrays}
const struct smp_embedded ${PREFIX}_files[] = {
${rows}};
const size_t ${PREFIX}_file_count = ${count};
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
