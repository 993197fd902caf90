/* SPDX-License-Identifier: MIT */
/*
 * Text inside of XML.
 */
#include "xml_text.h"

#include "visible_text.h"

static const char *const references[256] = {
    ['&'] = "&amp;", ['<'] = "&lt;",   ['>'] = "&gt;",  ['"'] = "&quot;",
    ['\t'] = "&#9;", ['\n'] = "&#10;", ['\r'] = "&#13;"};

void xml_put(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        const size_t bytes = smp_visible_bytes(text + i, length - i);
        const char *reference = references[(unsigned char)text[i]];
        if (reference)
            fputs(reference, out);
        else
            smp_visible_put(out, text + i, bytes > 0 ? bytes : 1);
        i += bytes > 0 ? bytes : 1;
    }
}
