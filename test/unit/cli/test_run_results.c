/* Statistics that are not those of a run that went well are marked, for people and for programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/run.h"
#include "gpu/sim.h"

static void expect(const struct heddle_sim *sim, enum heddle_status status, enum run_extent extent,
                   const char *line, const char *json)
{
    struct strbuf text = {0};
    struct json_writer w = {.out = &text};
    assert_int_equal(run_extent(sim, status), extent);
    run_print_extent(extent, status, &text);
    if (!line)
        assert_int_equal(text.len, 0);
    else if (!strstr(strbuf_text(&text), line))
        fail_msg("no '%s' in '%s'", line, strbuf_text(&text));
    strbuf_clear(&text);
    json_begin_object(&w, NULL);
    run_json_outcome(sim, status, status == HEDDLE_OK ? NULL : "it \"failed\"", &w);
    json_end_object(&w);
    if (!strstr(strbuf_text(&text), json))
        fail_msg("no '%s' in '%s'", json, strbuf_text(&text));
    strbuf_destroy(&text);
}

static void what_statistics_tell_is_said(void **state)
{
    (void)state;
    struct heddle_sim sim = {0};
    expect(&sim, HEDDLE_OK, RUN_WHOLE, NULL,
           "\"status\": 0,\n  \"error\": null,\n  \"partial\": false");
    expect(&sim, HEDDLE_WRONG_RESULT, RUN_WHOLE, "a run with a WRONG result",
           "\"status\": 1,\n  \"error\": \"it \\\"failed\\\"\",\n  \"partial\": false");
    sim.emu.fault.kind = FAULT_ACCESS;
    expect(&sim, HEDDLE_KERNEL_FAULT, RUN_UNKNOWN, NULL, "\"partial\": false");
    sim.emu.fault.kind = FAULT_DEADLOCK;
    expect(&sim, HEDDLE_KERNEL_FAULT, RUN_UNKNOWN, NULL, "\"partial\": false");
    sim.emu.fault.kind = FAULT_LIMIT;
    expect(&sim, HEDDLE_KERNEL_FAULT, RUN_PARTIAL, "PARTIAL statistics, up to",
           "\"partial\": true");
    expect(NULL, HEDDLE_ENVIRONMENT, RUN_UNKNOWN, NULL, "\"status\": 4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_statistics_tell_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
