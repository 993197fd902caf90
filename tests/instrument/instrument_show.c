/* SPDX-License-Identifier: MIT */
/* The file of instrument_dump.h as text, one line a site; for tests and for a look. */
#include <inttypes.h>
#include <stdio.h>

#include "instrument_dump.h"

static void show_site(const smp_instrument_dump *dump, const smp_instrument_site *site) {
    static const char *const kinds[] = {"shared", "global", "local", "cluster",
                                        "matrix", "copy",   "other"};
    bool is_known = site->function != SMP_INSTRUMENT_NONE;
    printf("site,%s,%x,%s,%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
           ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%08x,%u,%" PRIu64 ",%u\n",
           is_known ? dump->functions[site->function].name : "?",
           is_known ? site->offset_bytes : (unsigned)site->pc, kinds[site->kind], site->flags,
           site->width_bytes, site->matrices, site->requests, site->lanes, site->not_judged,
           site->wavefronts, site->ideal, site->wavefronts_lanes, site->ideal_lanes, site->sectors,
           site->ideal_sectors, site->ways, site->ways_lanes, site->worst.mask, site->request_count,
           site->requests_lost, site->other_id);
}

int main(int count, char **arguments) {
    smp_instrument_dump dump;
    smp_error error;
    if (count != 2 || smp_instrument_read(arguments[1], &dump, &error) != SMP_OK) {
        fprintf(stderr, "instrument_show: %s\n", count == 2 ? error.message : "name one file");
        return 3;
    }
    printf("process,%" PRIu64 ",%s,%s,%s\n", dump.process, dump.command ? dump.command : "?",
           dump.driver ? dump.driver : "?", dump.date ? dump.date : "?");
    printf("launches,%" PRIu64 ",covered,%" PRIu64 ",ended,%d,truncated,%d,last,%s\n",
           dump.launches, dump.launches_covered, dump.ended, dump.truncated,
           dump.last_kernel ? dump.last_kernel : "?");
    for (size_t i = 0; i < dump.note_count; i++)
        printf("note,%s\n", dump.notes[i]);
    for (size_t i = 0; i < dump.context_count; i++)
        printf("context,%s,%u.%u,%u,%u,lost,%" PRIu64 "\n", dump.contexts[i].device,
               dump.contexts[i].cc_major, dump.contexts[i].cc_minor,
               dump.contexts[i].multiprocessors, dump.contexts[i].reserved_bytes,
               dump.contexts[i].sites_lost);
    for (size_t i = 0; i < dump.module_count; i++)
        printf("module,%zu,%zu\n", i, dump.modules[i].cubin_bytes);
    for (size_t i = 0; i < dump.function_count; i++) {
        const smp_instrument_function *f = &dump.functions[i];
        printf("function,%s,%d,%d,%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
               ",grid,%u,%u,%u,block,%u,%u,%u,shared,%u,timed,%" PRIu64 ",%" PRIu64 "\n",
               f->name, f->module, f->is_kernel, f->pc, f->code_bytes, f->state.launches,
               f->state.launches_skipped, f->state.grid[0], f->state.grid[1], f->state.grid[2],
               f->state.block[0], f->state.block[1], f->state.block[2], f->state.shared_bytes,
               f->state.timed, f->state.nanoseconds);
    }
    for (size_t i = 0; i < dump.time_count; i++)
        printf("time,%s,%" PRIu64 ",%" PRIu64 "\n", dump.times[i].kernel, dump.times[i].launches,
               dump.times[i].nanoseconds);
    for (size_t i = 0; i < dump.site_count; i++)
        show_site(&dump, &dump.sites[i]);
    smp_instrument_clear(&dump);
    return 0;
}
