/* SPDX-License-Identifier: MIT */
/*
 * record_writer.c: writes recorded measurements in the format that recorded.c reads.
 */
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "smp_probes.h"

static smp_status check(FILE *out) {
    return ferror(out) ? SMP_E_WRITE : SMP_OK;
}

smp_status smp_record_write_header(FILE *out, const smp_device *device, const char *command) {
    char date[16] = "unknown";
    time_t now = time(NULL);
    const struct tm *utc = gmtime(&now);
    if (utc)
        strftime(date, sizeof date, "%Y-%m-%d", utc);
    fprintf(out, "# gpu: %s\n# cc: %d.%d\n# driver: %s\n# cuda: %s\n", device->name,
            device->cc_major, device->cc_minor, device->driver, device->cuda);
    fprintf(out, "# date: %s\n# tool: smemprobe %s\n# command: %s\n", date, SMP_VERSION, command);
    return check(out);
}

smp_status smp_record_write_counter(FILE *out, const char *counter) {
    fprintf(out, "# counter: %s\n", counter);
    return check(out);
}

smp_status smp_record_write_row(FILE *out, const char *key, const smp_record_field *fields,
                                size_t count) {
    fputs(key, out);
    for (size_t i = 0; i < count; i++) {
        double value = fields[i].value;
        bool is_whole = value == floor(value) && fabs(value) < 1e15;
        fprintf(out, is_whole ? "\t%s=%.0f" : "\t%s=%.3f", fields[i].name, value);
    }
    fputc('\n', out);
    return check(out);
}
