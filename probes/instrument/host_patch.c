/* SPDX-License-Identifier: MIT */
/*
 * host_patch.c: which patches a module gets.
 */
#include "host_part.h"

#include <string.h>

static bool is_switched_on(const char *word) {
    const char *spaces = attach.settings.spaces;
    size_t length = strlen(word);
    for (const char *at = strstr(spaces, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == spaces || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

int host_patch_module(void *module) {
    static const struct {
        int instruction;
        const char *function, *word;
    } patches[] = {
#define PATCH_ROW(instruction, function, word, theirs) {instruction, function, word},
        SAN_PATCH_LIST(PATCH_ROW)
#undef PATCH_ROW
    };
    int result = SAN_SUCCESS;
    for (size_t i = 0; result == SAN_SUCCESS && i < sizeof patches / sizeof patches[0]; i++) {
        if (is_switched_on(patches[i].word))
            result =
                attach.san.PatchInstructions(patches[i].instruction, module, patches[i].function);
    }
    return result == SAN_SUCCESS ? attach.san.PatchModule(module) : result;
}
