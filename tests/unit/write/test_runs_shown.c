/* SPDX-License-Identifier: MIT */
/* Which runs the head of a profile's text lists. */
#include <stdio.h>
#include <string.h>

#include "profile_rank.h"
#include "profile_write.h"
#include "suite.h"

/* A program that only starts others is not listed beside them, unless all is asked for. */
START_TEST(bystanders_are_not_listed) {
    char first[] = "worker", second[] = "train", device[] = "a GPU", text[2000] = "";
    smp_run runs[] = {{.command = first}, {.command = second, .device = device}};
    smp_profile profile = {.runs = runs, .run_count = 2};
    smp_ranking ranking;
    smp_profile_view view = {.profile = &profile, .ranking = &ranking, .all_lines = _i > 0};
    FILE *out = fmemopen(text, sizeof text, "w");
    ck_assert_int_eq(smp_ranking_make(&profile, &ranking, &(smp_error){0}), SMP_OK);
    smp_profile_text(out, &view, (smp_style){0});
    ck_assert_int_eq(fclose(out), 0);
    ck_assert(strstr(text, "train") && !strstr(text, "worker") == !view.all_lines);
    smp_ranking_clear(&ranking);
}
END_TEST

int main(void) {
    return SUITE("runs_shown", TEST_EACH(bystanders_are_not_listed, 2));
}
