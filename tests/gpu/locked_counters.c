/* SPDX-License-Identifier: MIT */
/*
 * Loaded before a program (LD_PRELOAD), makes the driver answer it as one whose counters are for
 * administrators only: objects for profiling are not permitted. By what the driver's source says of
 * RmProfilingAdminOnly: "restricts profiling capabilities (creation of profiling objects and access
 * to profiling-related registers) to admin only". Each object that was asked for is a line in the
 * file SMP_LOCKED_LOG.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    TYPE = 'F',
    CONTROL = 0x2a,         /* NV_ESC_RM_CONTROL */
    ALLOC = 0x2b,           /* NV_ESC_RM_ALLOC */
    REGISTERS = 0x20800122, /* NV2080_CTRL_CMD_GPU_EXEC_REG_OPS */
    NOT_PERMITTED = 0x1b,   /* NV_ERR_INSUFFICIENT_PERMISSIONS */
    LONG_BYTES = 48,        /* NVOS64_PARAMETERS */
};

/* The beginning of what ALLOC is told, in all its versions. Its status is the last word; behind
 * that of the longest there are four bytes of nothing. */
typedef struct allocation {
    uint32_t root, parent, object, class_number;
} allocation;

static void tell(const char *what, uint32_t number) {
    const char *path = getenv("SMP_LOCKED_LOG");
    char line[128];
    const int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    const int length = snprintf(line, sizeof line, "%s %#x\n", what, number);
    if (file >= 0 && write(file, line, (size_t)length) != length)
        abort();
    if (file >= 0)
        close(file);
}

/* MAXWELL_PROFILER, of a context, of a device. */
static int is_profiler(uint32_t class_number) {
    return class_number == 0xb0cc || class_number == 0xb1cc || class_number == 0xb2cc;
}

int ioctl(int file, unsigned long request, ...) {
    static int (*real)(int, unsigned long, ...);
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, "ioctl");
        memcpy(&real, &symbol, sizeof real);
    }
    const unsigned size = _IOC_SIZE(request);
    if (_IOC_TYPE(request) == TYPE && _IOC_NR(request) == ALLOC && argument) {
        allocation asked;
        memcpy(&asked, argument, sizeof asked);
        if (is_profiler(asked.class_number)) {
            const uint32_t status = NOT_PERMITTED;
            tell("refused", asked.class_number);
            memcpy((char *)argument + size - (size == LONG_BYTES ? 8 : 4), &status, sizeof status);
            return 0;
        }
    }
    if (_IOC_TYPE(request) == TYPE && _IOC_NR(request) == CONTROL && argument) {
        uint32_t words[3];
        memcpy(words, argument, sizeof words);
        if (words[2] == REGISTERS || (words[2] >> 16 & 0xfff0) == 0xb0c0)
            tell("control", words[2]);
    }
    return real(file, request, argument);
}
