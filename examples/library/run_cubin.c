/* SPDX-License-Identifier: MIT */
/*
 * run_cubin.c: a kernel's machine code, run from bytes in memory with arrays of this program,
 * without a GPU: what it computed, and what its accesses cost.
 *
 *   cc -std=c11 run_cubin.c $(pkg-config --cflags --libs smemprobe_machine) -o run_cubin
 *   nvcc -cubin -arch=sm_90 -lineinfo transpose.cu
 *   ./run_cubin transpose.cubin transpose_naive      # any kernel of (float *, const float *, int,
 * int)
 */
#include <smp_machine.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64 };

static void *read_file(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    char *bytes = malloc(1 << 24);
    *size = in && bytes ? fread(bytes, 1, 1 << 24, in) : 0;
    if (in)
        fclose(in);
    return bytes;
}

/* An editor or a server would look here whether anybody still waits. */
static bool goes_on(void *user, size_t done, size_t total) {
    (void)user;
    return done <= total;
}

static smp_status run(smp_code *code, const char *kernel, smp_profile *profile,
                      smp_machine_end *end, smp_error *error) {
    static float from[SIDE * SIDE], to[SIDE * SIDE];
    int side = SIDE;
    const smp_machine_value values[] = {{.array = to, .array_bytes = sizeof to},
                                        {.array = from, .array_bytes = sizeof from},
                                        {.bytes = &side, .size = sizeof side},
                                        {.bytes = &side, .size = sizeof side}};
    const smp_machine_launch launch = {.kernel = kernel,
                                       .grid = {SIDE / 32, SIDE / 32, 1},
                                       .block = {32, 8, 1},
                                       .values = values,
                                       .value_count = 4};
    const smp_machine_options options = {
        .instructions = 10000000, .seconds = 10, .memory_bytes = 1 << 28, .progress = goes_on};
    for (int i = 0; i < SIDE * SIDE; i++)
        from[i] = (float)i;
    const smp_status status = smp_machine_run(code, &launch, &options, profile, end, error);
    for (int i = 0; status == SMP_OK && i < SIDE * SIDE; i++)
        if (to[i] != (float)(i % SIDE * SIDE + i / SIDE))
            return smp_error_set(error, SMP_E_RESULT, -1, "element %d is wrong", i);
    return status;
}

static void show(const smp_profile *profile, const smp_machine_end *end) {
    smp_profile_row row;
    smp_fault fault;
    printf("%llu of %llu blocks, %llu warp instructions\n", (unsigned long long)end->blocks_begun,
           (unsigned long long)end->blocks, (unsigned long long)end->warp_instructions);
    for (size_t i = 0; smp_profile_row_at(profile, i, &row); i++)
        printf("%-10s %-10s %5llu requests, %5llu wavefronts, ideal %llu, %u-way\n", row.space,
               row.opcode, (unsigned long long)row.requests, (unsigned long long)row.wavefronts,
               (unsigned long long)row.ideal, row.ways);
    for (size_t i = 0; smp_profile_fault_at(profile, i, &fault); i++)
        printf("%s: %s\n", fault.kind, fault.message);
}

int main(int argc, char **argv) {
    smp_error error = {.status = SMP_OK};
    smp_code *code = NULL;
    smp_machine_end end;
    size_t size;
    if (argc < 3)
        return 2;
    void *bytes = read_file(argv[1], &size);
    smp_profile *profile = smp_profile_new();
    if (smp_machine_open(bytes, size, NULL, &code, &error) == SMP_OK &&
        run(code, argv[2], profile, &end, &error) == SMP_OK)
        show(profile, &end);
    else
        fprintf(stderr, "%s\n", error.message);
    if (argc > 3 && error.status == SMP_OK) { /* for smemprobe report */
        FILE *out = fopen(argv[3], "wb");
        if (out && smp_profile_save(profile, out, &error) != SMP_OK)
            fprintf(stderr, "%s\n", error.message);
        if (out)
            fclose(out);
    }
    smp_machine_close(code); /* before the bytes that it stands on */
    smp_profile_free(profile);
    free(bytes);
    return smp_status_exit(error.status);
}
