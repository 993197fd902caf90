/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target on the files named as arguments, each as it is and cut at every length up to
 * 200, and on standard input if none is named.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { INPUT_MAX = 1 << 20, CUTS = 200 };

/* A copy of exact size, so that a sanitizer sees the first byte that is read behind it. */
static void run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (!copy)
        return;
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int replay(FILE *in, const char *name) {
    static uint8_t data[INPUT_MAX];
    if (!in) {
        fprintf(stderr, "%s: cannot be opened\n", name);
        return 1;
    }
    size_t size = fread(data, 1, sizeof data, in);
    run(data, size);
    for (size_t cut = 0; cut < size && cut < CUTS; cut++)
        run(data, cut);
    return ferror(in) != 0;
}

int main(int argc, char **argv) {
    int failed = 0;
    if (argc < 2)
        return replay(stdin, "standard input");
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        failed |= replay(in, argv[i]);
        if (in)
            (void)fclose(in);
    }
    if (!failed)
        printf("%d inputs\n", argc - 1);
    return failed;
}
