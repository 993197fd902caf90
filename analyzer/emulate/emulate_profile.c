/* SPDX-License-Identifier: MIT */
/*
 * What a launch adds to a profile: the kernel, and the sites that were reached, with their text and
 * lines.
 */
#include <string.h>

#include "engine.h"
#include "form.h"
#include "profile_join.h"

enum { SHARED_UNIT = 128 /* allocation unit of a block's shared memory */ };
static bool name_kernel(const smp_function *f, const smp_arch *arch, smp_kernel_profile *kernel) {
    kernel->arch = arch;
    kernel->name = strdup(f->name);
    return kernel->name && smp_kernel_take_code(kernel, f);
}

bool smp_emulate_kernel(const smp_function *f, const smp_launch *launch,
                        smp_kernel_profile *kernel) {
    kernel->launches = 1;
    memcpy(kernel->grid, launch->grid, sizeof(kernel->grid));
    memcpy(kernel->block, launch->block, sizeof(kernel->block));
    kernel->shared_bytes = (f->shared_bytes + launch->dynamic_shared_bytes + SHARED_UNIT - 1) /
                           SHARED_UNIT * SHARED_UNIT;
    return name_kernel(f, launch->arch, kernel);
}

bool emu_profile_sites(const emu_program *program, const emu_judge *judge,
                       smp_profile_site *results, smp_kernel_profile *kernel) {
    for (uint32_t i = 0; i < judge->site_count; i++) {
        if (results[i].requests == 0)
            continue;
        smp_profile_site *site = smp_kernel_add_site(kernel);
        if (!site)
            return false;
        *site = results[i];
        memset(&results[i], 0, sizeof(results[i]));
        /* Without figures, no request is known to be the worst. */
        if (site->not_modelled && !smp_site_has_sectors(site))
            memset(&site->worst, 0, sizeof(site->worst));
        if (!smp_site_take_instruction(site,
                                       &program->function->linked[judge->sites[i].instruction]))
            return false;
        if (judge->sites[i].is_other && !site->not_modelled)
            smp_site_set_fixed(site, judge->arch);
    }
    return true;
}

bool emu_profile_forms(const emu_program *program, const uint8_t *reached,
                       smp_kernel_profile *kernel) {
    char form[EMU_FORM_BYTES];
    for (uint32_t i = 0, straight = 0; i < program->count; i++) {
        const uint32_t from_here = reached[i] & REACHED_STRAIGHT ? program->uops[i].straight : 0;
        straight = straight > from_here ? straight : from_here;
        const bool is_reached = straight > 0 || reached[i] & REACHED_ONE;
        straight -= straight > 0;
        if (is_reached && program->uops[i].kind != UOP_UNKNOWN &&
            !emu_form_is_recorded(emu_form_text(&program->function->linked[i], form)) &&
            smp_kernel_add_described(kernel, form) != SMP_OK)
            return false;
    }
    return true;
}

/* ---- Functions that are called ---- */

static uint32_t part_of(const smp_function *function, const smp_profile_site *site) {
    return smp_function_part(function, site->offset_bytes / INSTRUCTION_BYTES);
}

/* Moves all sites of one part, which are contiguous, into a kernel of its own. */
static smp_status move_part(const smp_code_part *part, smp_profile *profile, uint32_t index,
                            uint32_t first, uint32_t count, smp_error *error) {
    smp_kernel_profile *called = smp_profile_add_kernel(profile);
    smp_kernel_profile *kernel = &profile->kernels[index]; /* the list may have moved */
    if (!called || !name_kernel(part->function, kernel->arch, called))
        return smp_error_memory(error);
    for (uint32_t i = first; i < first + count; i++) {
        smp_profile_site *site = smp_kernel_add_site(called);
        if (!site)
            return smp_error_memory(error);
        *site = kernel->sites[i];
        memset(&kernel->sites[i], 0, sizeof(kernel->sites[i]));
        site->offset_bytes -= part->first * INSTRUCTION_BYTES;
        if (smp_space_has_banks(site->space) && !kernel->calls &&
            !(kernel->calls = strdup(smp_kernel_full_name(called))))
            return smp_error_memory(error);
    }
    return SMP_OK;
}

smp_status smp_emulate_called(const smp_function *function, smp_profile *profile, uint32_t index,
                              smp_error *error) {
    const uint32_t count = profile->kernels[index].site_count;
    uint32_t own = 0;
    if (function->part_count < 2)
        return SMP_OK;
    while (own < count && part_of(function, &profile->kernels[index].sites[own]) == 0)
        own++;
    for (uint32_t first = own, end; first < count; first = end) {
        const uint32_t part = part_of(function, &profile->kernels[index].sites[first]);
        for (end = first; end < count; end++)
            if (part_of(function, &profile->kernels[index].sites[end]) != part)
                break;
        const smp_status status =
            move_part(&function->parts[part], profile, index, first, end - first, error);
        if (status != SMP_OK)
            return status;
    }
    profile->kernels[index].site_count = own;
    return SMP_OK;
}
