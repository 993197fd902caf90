/* SPDX-License-Identifier: MIT */
/* GPUs by the names that people and compilers use; nothing is guessed. */
#include <stdio.h>
#include <string.h>

#include "smp_model.h"
#include "suite.h"

typedef struct name_row {
    const char *name;
    int major, minor; /* 0.0: unknown, or of several */
} name_row;

/* clang-format off */
static const name_row names[] = {
    {"RTX 4090", 8, 9}, {"rtx4090", 8, 9}, {"rtx-4090", 8, 9}, {"RTX_4090", 8, 9}, {"4090", 8, 9},
    {"GeForce RTX 4090", 8, 9}, {"NVIDIA GeForce RTX 4090", 8, 9}, {"RTX 4090 D", 8, 9},
    {"RTX 4090 Laptop GPU", 8, 9}, {"4080 super", 8, 9}, {"A100", 8, 0}, {"nvidia a100", 8, 0},
    {"A100-SXM4-80GB", 8, 0}, {"A100-PCIE-40GB", 8, 0}, {"A100 80GB PCIe", 8, 0}, {"A10", 8, 6},
    {"A10G", 8, 6}, {"GTX 1080 Ti", 6, 1}, {"gtx1080ti", 6, 1}, {"1080 Ti", 6, 1}, {"1080", 6, 1},
    {"3090", 8, 6}, {"RTX A6000", 8, 6}, {"a6000", 8, 6}, {"RTX 6000 Ada", 8, 9},
    {"Quadro RTX 6000", 7, 5}, {"RTX PRO 6000", 12, 0}, {"5090", 12, 0}, {"Tesla V100", 7, 0},
    {"Tesla V100-SXM2-16GB", 7, 0}, {"Tesla T4", 7, 5}, {"K80", 3, 7}, {"H100 NVL", 9, 0},
    {"NVIDIA H100 80GB HBM3", 9, 0}, {"NVIDIA H200", 9, 0}, {"GTX 1060 6GB", 6, 1},
    {"Jetson Orin", 8, 7}, {"jetson orin nano", 8, 7}, {"Orin NX", 8, 7}, {"Jetson Nano", 5, 3},
    {"Jetson AGX Xavier", 7, 2}, {"Jetson Thor", 11, 0}, {"DGX Spark", 12, 1}, {"L40S", 8, 9},
    {"MX150", 6, 1}, {"GTX TITAN X", 5, 2}, {"GTX 960M", 5, 0}, {"GTX 960", 5, 2}, {"2050", 8, 6},
    {"sm_90a", 9, 0}, {"sm_100a", 10, 0}, {"sm_100f", 10, 0}, {"sm_120a", 12, 0}, {"SM90", 9, 0},
    {"compute_80", 8, 0}, {"compute_90a", 9, 0}, {"90a", 9, 0}, {"sm_103a", 10, 3},
    {"sm_80a", 0, 0}, {"sm_90f", 0, 0}, {"sm_90b", 0, 0}, {"sm_90aa", 0, 0}, {"compute_", 0, 0},
    {"compute_8", 0, 0}, {"sm", 0, 0}, {"sm_9 0", 0, 0}, {"RTX 6000", 0, 0}, {"RTX 4091", 0, 0},
    {"RTX", 0, 0}, {"GeForce", 0, 0}, {"NVIDIA", 0, 0}, {"RTX 409", 0, 0}, {"RTX 40900", 0, 0},
    {"RTX 4090 Ti", 0, 0}, {"A100 TI", 0, 0}, {"A1000GB", 0, 0}, {"A100 GB", 0, 0}, {"4090,", 0, 0},
    {"RTX 4090, RTX 4080", 0, 0}, {"GTX 4090", 0, 0}, {"TITAN X", 0, 0}, {"GT 730", 0, 0},
    {"GTX 860M", 0, 0}, {"Ti", 0, 0}, {"Quadro", 0, 0}, {"Jetson", 0, 0}, {"A100SXM4", 0, 0},
};
static const char *const shared_names[] = {"GT 730", "GTX 860M", "TITAN X"};
/* clang-format on */

START_TEST(gpu_is_found_by_name) {
    const name_row *row = &names[_i];
    const smp_arch *found = smp_arch_find(row->name);
    const smp_arch *wanted = row->major ? smp_arch_of_cc(row->major, row->minor) : NULL;
    ck_assert_msg(found == wanted, "'%s' finds %s", row->name, found ? found->name : "nothing");
}
END_TEST

static bool is_shared(const char *name) {
    for (size_t i = 0; i < sizeof shared_names / sizeof shared_names[0]; i++) {
        if (strcmp(name, shared_names[i]) == 0)
            return true;
    }
    return false;
}

static void expect_only(const smp_arch *row, const char *name, const char *said) {
    const smp_arch *rows[4] = {NULL};
    size_t count = smp_arch_find_all(said, rows, 4);
    if (is_shared(name))
        ck_assert_msg(count == 2 && rows[0] != rows[1], "'%s' is of two", said);
    else
        ck_assert_msg(count == 1 && rows[0] == row, "'%s': %zu rows, %s", said, count,
                      count ? rows[0]->name : "none");
}

/* Also without blanks, and in front of a form factor. */
static void expect_product(const smp_arch *row, const char *name) {
    char dense[64], formed[96];
    size_t length = 0;
    for (const char *at = name; *at != '\0' && length + 1 < sizeof dense; at++) {
        if (*at != ' ')
            dense[length++] = *at;
    }
    dense[length] = '\0';
    snprintf(formed, sizeof formed, "NVIDIA %s 16GB", name);
    expect_only(row, name, name);
    expect_only(row, name, dense);
    expect_only(row, name, formed);
}

START_TEST(every_product_is_of_its_row) {
    size_t count = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++) {
        char text[1024];
        const bool is_named = strcmp(rows[i].name, "sm_88") != 0; /* of which NVIDIA names none */
        ck_assert_msg(rows[i].products && !*rows[i].products == !is_named, "%s: products",
                      rows[i].name);
        ck_assert_uint_lt(strlen(rows[i].products), sizeof text);
        snprintf(text, sizeof text, "%s", rows[i].products);
        for (char *name = strtok(text, ","); name; name = strtok(NULL, ","))
            expect_product(&rows[i], *name == ' ' ? name + 1 : name);
    }
}
END_TEST

START_TEST(names_of_several_are_counted) {
    const smp_arch *rows[2] = {NULL};
    ck_assert_uint_eq(smp_arch_find_all("GT 730", rows, 2), 2);
    ck_assert_str_eq(rows[0]->name, "sm_21");
    ck_assert_str_eq(rows[1]->name, "sm_35");
    ck_assert_uint_eq(smp_arch_find_all("GT 730", rows, 1), 1);
    ck_assert_uint_eq(smp_arch_find_all("GT 730", rows, 0), 0);
    ck_assert_uint_eq(smp_arch_find_all("sm_90", rows, 0), 0);
    ck_assert_uint_eq(smp_arch_find_all("nothing", rows, 2), 0);
}
END_TEST

int main(void) {
    return SUITE("model_names", TEST_EACH(gpu_is_found_by_name, COUNT_OF(names)),
                 TEST(every_product_is_of_its_row), TEST(names_of_several_are_counted));
}
