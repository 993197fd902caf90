/* SPDX-License-Identifier: MIT */
/* Shared by both forms of a file. */
#include "file_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>

enum { WAIT_MILLISECONDS = 200 };

bool file_waits(const smp_file *from) {
    struct pollfd input = {.fd = from->input, .events = POLLIN};
    while (!from->goes_on || from->goes_on(from->user)) {
        const int ready = poll(&input, 1, WAIT_MILLISECONDS);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            return true;
    }
    return false;
}

smp_status file_goes_on(const smp_file *from, smp_error *error) {
    if (!from->goes_on || from->goes_on(from->user))
        return SMP_OK;
    return smp_error_set(error, SMP_E_INTERRUPTED, -1, "interrupted");
}

smp_status file_wrong(const file_reading *r, uint64_t index, int column, const char *what,
                      smp_error *error) {
    char place[32] = "";
    if (r->from->wrong) {
        r->from->wrong(r->from->user, index, column, what);
        return SMP_OK;
    }
    if (column > 0)
        (void)snprintf(place, sizeof place, "%" PRIu64 ":%d:", index, column);
    else if (index > 0)
        (void)snprintf(place, sizeof place, "%" PRIu64 ":", index);
    return smp_error_set(error, SMP_E_SYNTAX, -1, "%.60s:%s %.150s", r->from->name, place, what);
}

bool file_is_over(smp_status status) {
    return status == SMP_E_MEMORY || status == SMP_E_WRITE || status == SMP_E_INTERRUPTED;
}
