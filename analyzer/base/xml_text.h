/* SPDX-License-Identifier: MIT */
/*
 * xml_text.h: text inside XML, between tags or in a quoted attribute. Internal to analyzer/.
 */
#ifndef SMP_XML_TEXT_H
#define SMP_XML_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Characters that XML cannot hold (section 2.2) are written as their number, such as "\x1b". */
void xml_put(FILE *out, const char *text, size_t length);

#endif
