/* SPDX-License-Identifier: MIT */
/*
 * merge.c: profiles of many runs become one, which is judged and written as a page.
 *
 *   cc -std=c11 merge.c $(pkg-config --cflags --libs smemprobe_machine) -o merge
 *   ./merge page.html rank0.smprof rank1.smprof      # exit status 1: a line is worse than 2-way
 */
#include <smp_profile.h>
#include <stdio.h>

/* A file that cannot be read is named and left out. */
static int load(smp_profile *into, const char *path) {
    smp_error error;
    smp_profile_damage damage;
    FILE *in = fopen(path, "rb");
    if (!in || smp_profile_load(into, in, &damage, &error) != SMP_OK)
        fprintf(stderr, "%s: %s\n", path, in ? error.message : "cannot be opened");
    else if (damage.blocks > 0 || damage.is_cut)
        fprintf(stderr, "%s: %u damaged blocks are left out\n", path, damage.blocks);
    else
        return fclose(in);
    if (in)
        fclose(in);
    return 1;
}

static void say(void *user, const char *line) {
    fprintf(user, "%s\n", line);
}

int main(int argc, char **argv) {
    const smp_profile_bounds bounds = {.max_ways = 2, .max_excess = -1};
    smp_profile_verdict verdict = {.is_unseen = true};
    smp_error error;
    int failed = argc < 3;
    smp_profile *all = smp_profile_new();
    if (!all)
        return 5;
    for (int i = 2; i < argc; i++)
        failed |= load(all, argv[i]);
    FILE *page = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!page || smp_profile_document(all, "html", &bounds, page, &error) != SMP_OK ||
        smp_profile_judge(all, &bounds, say, stdout, &verdict, &error) != SMP_OK)
        failed = 1;
    if (page && fclose(page) != 0)
        failed = 1;
    smp_profile_free(all);
    return failed || verdict.is_unseen ? 3 : verdict.above + verdict.faults > 0 ? 1 : 0;
}
