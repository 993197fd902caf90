/* SPDX-License-Identifier: MIT */
/* Opens the launch of a folder: its code, and its memory. */
#define _POSIX_C_SOURCE 200809L
#include "budget.h"
#include "kept_launch.h"

#include <stdlib.h>
#include <string.h>

void kept_open_clear(kept_open *r) {
    smp_code_close(r->code);
    smp_kept_unplace(&r->kept, &r->memory);
    free(r->module.address);
    smp_kept_clear(&r->kept);
}

smp_status kept_open_read(const char *folder, bool is_noise, kept_open *out, smp_error *error) {
    smp_status status = smp_kept_read(folder, &out->kept, error);
    if (status == SMP_OK)
        status = smp_code_open(out->kept.code, out->kept.code_bytes, &out->code, error);
    if (status != SMP_OK)
        return status;
    out->kept.is_noise = is_noise;
    out->function = smp_code_find(out->code, out->kept.kernel);
    if (!out->function)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "%.120s: no kernel %.100s in its code",
                             folder, out->kept.kernel);
    if (out->function->parameter_bytes != out->kept.parameter_bytes)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "%.120s: %u bytes of parameters, but the kernel takes %u", folder,
                             out->kept.parameter_bytes, out->function->parameter_bytes);
    if (!out->kept.demangled && out->function->demangled)
        out->kept.demangled = strdup(out->function->demangled);
    if (out->code_most > 0 && smp_code_reach_bytes(out->code, out->function) > out->code_most)
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.120s: the kernel may call more than %llu bytes", folder,
                             (unsigned long long)out->code_most);
    status = smp_code_disassemble(out->code, &out->function->name, 1, error);
    if (status == SMP_OK)
        status = smp_kept_place(&out->kept, out->code, &out->memory, &out->module, error);
    return status;
}

smp_status kept_open_arch(const kept_open *r, const smp_arch **arch, smp_error *error) {
    if (!*arch)
        *arch = smp_code_arch(r->code, error);
    return *arch ? SMP_OK : error->status;
}

smp_launch kept_open_launch(const kept_open *r, const smp_arch *arch) {
    smp_launch launch = {.is_cooperative = r->kept.is_cooperative,
                         .dynamic_shared_bytes = r->kept.dynamic_shared_bytes,
                         .parameters = r->kept.parameters,
                         .arch = arch,
                         .stop = emulate_budget_stop(),
                         .module = &r->module};
    memcpy(launch.grid, r->kept.grid, sizeof launch.grid);
    memcpy(launch.block, r->kept.block, sizeof launch.block);
    memcpy(launch.cluster, r->kept.cluster, sizeof launch.cluster);
    return launch;
}
