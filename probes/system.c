/* SPDX-License-Identifier: MIT */
/* Reads /proc/driver/nvidia and /sys/module/nvidia. */
#include "system.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static void full_path(const char *path, char *out, size_t size) {
    const char *root = getenv("SMP_SYSTEM_ROOT");
    (void)snprintf(out, size, "%s%s", root ? root : "", path);
}

/* The text after `key` at the start of a line of the file `full`; the first line if key is "". */
static bool find_line(const char *full, const char *key, char *text, size_t size) {
    char line[256];
    bool found = false;
    FILE *file = fopen(full, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, key, strlen(key)) == 0;
    if (file)
        fclose(file);
    if (!found)
        return false;
    const char *value = line + strlen(key);
    value += strspn(value, " \t");
    (void)snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
    return true;
}

bool smp_system_line(const char *path, char *text, size_t size) {
    char full[4096];
    full_path(path, full, sizeof full);
    return find_line(full, "", text, size);
}

int smp_system_admin_only(void) {
    char full[4096], value[16];
    full_path("/proc/driver/nvidia/params", full, sizeof full);
    if (!find_line(full, "RmProfilingAdminOnly:", value, sizeof value))
        return -1;
    return value[0] != '0';
}

/* Display controllers and 3D accelerators (class 03) of vendor 10de. */
static unsigned count_pci_devices(void) {
    char pattern[4096], path[4352], value[16];
    unsigned count = 0;
    glob_t found;
    full_path("/sys/bus/pci/devices/*", pattern, sizeof pattern);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        (void)snprintf(path, sizeof path, "%s/vendor", found.gl_pathv[i]);
        bool is_ours = find_line(path, "0x10de", value, sizeof value);
        (void)snprintf(path, sizeof path, "%s/class", found.gl_pathv[i]);
        count += is_ours && find_line(path, "0x03", value, sizeof value);
    }
    globfree(&found);
    return count;
}

void smp_system_survey(smp_survey *out) {
    char pattern[4096];
    glob_t found;
    out->pci_count = count_pci_devices();
    if (!smp_system_line("/sys/module/nvidia/version", out->module, sizeof out->module))
        out->module[0] = '\0';
    full_path("/proc/driver/nvidia/gpus/*/information", pattern, sizeof pattern);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc && out->card_count < SMP_SURVEY_MAX; i++)
        if (find_line(found.gl_pathv[i], "Model:", out->cards[out->card_count],
                      sizeof out->cards[0]))
            out->card_count++;
    globfree(&found);
}
