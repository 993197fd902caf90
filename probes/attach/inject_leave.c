/* SPDX-License-Identifier: MIT */
/*
 * inject_leave.c: with SMP_ATTACH_LAUNCHES, code that was looked at often enough loses its patches,
 * since a patched instruction costs nearly all of what it does even where its launch has no table.
 * It gets them back when a kernel of its module is launched for the first time.
 *
 * Patches are taken away only where nothing of the module can be running: by the thread that made
 * all launches, after it waited for the context, or for the one stream that these were in.
 */
#include "inject.h"

enum { LEAVES_MAX = 16 /* of one module: each costs time */ };

static bool is_done(const inject_module *module) {
    if (module->handle == NULL || !module->is_patched || module->function_count == 0 ||
        module->leaves >= LEAVES_MAX)
        return false;
    for (size_t i = 0; i < module->function_count; i++) {
        const inject_function *function = &module->functions[i];
        if (function->is_wanted && function->state.launches < attach.settings.launches_max)
            return false;
    }
    return true;
}

void inject_leave_note_launch(inject_context *context, const void *stream) {
    const pthread_t self = pthread_self();
    context->has_streams |= context->has_launches && context->stream != stream;
    context->has_launchers |= context->has_launches && !pthread_equal(context->launcher, self);
    context->has_launches = true;
    context->stream = stream;
    context->launcher = self;
}

/* True if what this thread waited for is all that was launched. */
static bool is_idle(const inject_context *context, const void *stream, bool is_context) {
    if (!context->has_launches)
        return true;
    return !context->has_launchers && pthread_equal(context->launcher, pthread_self()) &&
           (is_context || (!context->has_streams && context->stream == stream));
}

void inject_leave_modules(inject_context *context, const void *stream, bool is_context) {
    if (!is_idle(context, stream, is_context))
        return;
    context->has_launches = context->has_streams = false;
    for (size_t i = 0; attach.settings.launches_max != UINT64_MAX && i < context->module_count;
         i++) {
        if (attach.is_patching || !is_done(&context->modules[i]))
            continue;
        void *handle = context->modules[i].handle;
        context->modules[i].is_patched = false;
        context->modules[i].leaves++;
        attach.is_patching = true;
        inject_outside();
        int result = attach.san.UnpatchModule(handle);
        inject_inside();
        attach.is_patching = false;
        if (result != SAN_SUCCESS)
            inject_note("a module that was looked at could not be left alone: %s",
                        inject_result(result));
    }
}

bool inject_leave_return(void *handle) {
    if (attach.is_patching)
        return false;
    attach.is_patching = true;
    inject_outside();
    int result = inject_patch_module(handle);
    inject_inside();
    attach.is_patching = false;
    return result == SAN_SUCCESS;
}
