/* Timelines that are thinned, against a count of every cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/random_bits.h"
#include "report/thin.h"

static char path[64];

static FILE *begin(void)
{
    snprintf(path, sizeof path, "/tmp/heddle-thin-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    return fdopen(fd, "w");
}

static void add(FILE *f, unsigned slot, unsigned from, unsigned cycles, const char *name,
                const char *kernel)
{
    fprintf(f,
            "{\"ph\":\"X\",\"pid\":3,\"tid\":%u,\"ts\":%u,\"dur\":%u,\"cat\":\"stall\","
            "\"name\":\"%s\",\"args\":{\"kernel\":\"%s\",\"pc\":1}},\n",
            slot, from, cycles, name, kernel);
}

static void finish(FILE *f, struct strbuf *out)
{
    struct strbuf error = {0};
    fclose(f);
    assert_int_equal(thin_timeline(path, out, &error), HEDDLE_OK);
    assert_int_equal(error.len, 0);
    unlink(path);
}

static void a_short_run_is_kept_cycle_by_cycle(void **state)
{
    (void)state;
    struct strbuf out = {0};
    FILE *f = begin();
    fprintf(f, "{\"ph\":\"M\",\"pid\":3,\"tid\":0,\"name\":\"thread_name\"},\n");
    add(f, 0, 5, 3, "Fetch", "one");
    add(f, 0, 8, 1, "Exec", "one");
    add(f, 2, 12, 4, "Exec", "say \\\"two\\\"");
    add(f, 1000, 0, 99, "Exec", "a CTA slot");
    finish(f, &out);
    assert_non_null(strstr(out.text, "\"sm\":\"SM 3\",\"step\":1,\"cycles\":16,"));
    assert_non_null(strstr(out.text, "{\"name\":\"warp slot 0\",\"runs\":[5,3,2,0,1,8]}"));
    assert_non_null(strstr(out.text, "{\"name\":\"warp slot 2\",\"runs\":[12,4,8]}"));
    assert_non_null(strstr(out.text, "\"kernels\":[{\"name\":\"one\",\"from\":5,\"to\":9},"
                                     "{\"name\":\"say \\\"two\\\"\",\"from\":12,\"to\":16}]"));
    assert_null(strstr(out.text, "warp slot 1\""));
    strbuf_destroy(&out);
}

enum { CYCLES = 30000, STEP = 4, N_CATEGORIES = 9 };

/* The category of every step that most of its cycles have, the first of several; -1 = none. */
static void count_plainly(const int8_t *of_cycle, int8_t *of_step)
{
    for (uint32_t i = 0; i * STEP < CYCLES; i++) {
        uint32_t counts[N_CATEGORIES] = {0};
        for (uint32_t c = i * STEP; c < (i + 1) * STEP && c < CYCLES; c++)
            if (of_cycle[c] >= 0)
                counts[of_cycle[c]]++;
        of_step[i] = -1;
        for (int8_t k = 0; k < N_CATEGORIES; k++)
            if (counts[k] && (of_step[i] < 0 || counts[k] > counts[of_step[i]]))
                of_step[i] = k;
    }
}

static void of_each_step_the_main_category_is_kept(void **state)
{
    (void)state;
    static const char *const names[N_CATEGORIES] = {
        "Scheduling",       "Sync", "Fetch", "CtrlHazard", "DataHazard", "DataCacheMiss", "MSHR",
        "StructuralHazard", "Exec"};
    static int8_t of_cycle[CYCLES], want[CYCLES], got[CYCLES];
    uint64_t random = 7;
    struct strbuf out = {0};
    memset(of_cycle, -1, sizeof of_cycle);
    FILE *f = begin();
    for (uint32_t at = 3; at + 40 < CYCLES;) {
        uint32_t cycles = 1 + (uint32_t)(random_u64(&random) % 9);
        uint32_t kind = (uint32_t)(random_u64(&random) % (N_CATEGORIES + 1));
        if (kind < N_CATEGORIES) {
            add(f, 1, at, cycles, names[kind], "k");
            memset(of_cycle + at, (int)kind, cycles);
        }
        at += cycles;
    }
    finish(f, &out);
    count_plainly(of_cycle, want);
    assert_non_null(strstr(out.text, "\"step\":4,"));
    memset(got, -1, sizeof got);
    const char *at = strstr(out.text, "\"runs\":[") + strlen("\"runs\":[");
    for (uint32_t step = 0; *at != ']';) {
        unsigned gap, length, category;
        int n = 0;
        assert_int_equal(sscanf(at, "%u,%u,%u%n", &gap, &length, &category, &n), 3);
        memset(got + step + gap, (int)category, length);
        step += gap + length;
        at += n + (at[n] == ',');
    }
    assert_memory_equal(got, want, CYCLES / STEP);
    strbuf_destroy(&out);
}

/* At most 8,192 steps are drawn. */
static void steps_double_when_a_run_is_too_long_for_them(void **state)
{
    (void)state;
    for (unsigned is_too_long = 0; is_too_long < 2; is_too_long++) {
        struct strbuf out = {0};
        FILE *f = begin();
        add(f, 0, 8191 + is_too_long, 1, "Exec", "k");
        finish(f, &out);
        assert_non_null(strstr(out.text, is_too_long ? "\"step\":2," : "\"step\":1,"));
        strbuf_destroy(&out);
    }
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct strbuf out = {0}, error = {0};
    assert_int_equal(thin_timeline("/tmp/no/such", &out, &error), HEDDLE_ENVIRONMENT);
    assert_non_null(strstr(strbuf_text(&error), "/tmp/no/such"));
    strbuf_destroy(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_run_is_kept_cycle_by_cycle),
        cmocka_unit_test(of_each_step_the_main_category_is_kept),
        cmocka_unit_test(steps_double_when_a_run_is_too_long_for_them),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
