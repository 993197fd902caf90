/* SPDX-License-Identifier: MIT */
/* Opens a library and calls a function of it: host_opens LIBRARY FUNCTION. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*function)(void) = library ? (int (*)(void))dlsym(library, argv[2]) : NULL;
    if (!function)
        fprintf(stderr, "host_opens: %s\n", library ? argv[2] : "no library");
    return function ? function() : 9;
}
