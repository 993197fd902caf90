/* SPDX-License-Identifier: MIT */
/*
 * advised_patches FILE ARRAY-BYTES ROW PAD MASK UNIT, a line of standard input each: the patch of
 * the layout for the array `tile` of kernel `k` in that file, and a line with a form feed.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "repair.h"
#include "text_file.h"

int main(void) {
    char file[256];
    smp_seen_fix fix = {.kind = SMP_SEEN_NONE};
    smp_shared_array array = {.name = (char[]){"tile"}};
    const smp_kernel_profile kernel = {.name = (char[]){"k"}, .arrays = &array, .array_count = 1};
    while (scanf("%255s %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32, file,
                 &array.size_bytes, &fix.row_bytes, &fix.pad_bytes, &fix.xor_mask,
                 &fix.unit_bytes) == 6) {
        char *text = NULL, *patch = NULL;
        advised_source source = {.name = "k.cu"};
        FILE *in = fopen(file, "r");
        if (in && smp_text_read_stream(in, &text, &source.length, NULL) == SMP_OK) {
            source.text = text;
            fix.kind = fix.pad_bytes > 0 ? SMP_SEEN_PAD : SMP_SEEN_XOR;
            patch = advised_patch(&source, &kernel, &array, &fix);
        }
        printf("%s\f\n", patch ? patch : "");
        free(patch);
        free(text);
        if (in)
            (void)fclose(in);
    }
    return 0;
}
