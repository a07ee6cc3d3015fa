/* Runs what test/ptx holds: tables of instructions and small programs, each with its expectations
 * in its own comments, under every host vector variant. Then asks whether every way to execute an
 * instruction (EXEC row of isa.def) was part of some program that ran.
 *
 * `test_ptx --expand FILE.table` prints the kernel a table stands for. */
#include "ptx_case.h"

#include <glob.h>

#include "ptx/exec_match.h"
#include "ptx_program.h"
#include "ptx_table.h"

/* --- tables --- */

static void check_table_lane(const struct table *t, const uint64_t *slots, bool on, uint32_t thread)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct table_result *r = &t->results[i];
        uint64_t got = value_mask(r->type, slots[i]);
        if (on && !table_result_holds(r, got))
            complain(r->line, "thread %u: %s is 0x%llx (%.9g), not 0x%llx (%.9g)", thread, r->reg,
                     (unsigned long long)got, value_to_double(r->type, got),
                     (unsigned long long)r->expected, value_to_double(r->type, r->expected));
        uint64_t untouched = r->is_predicate ? 0 : value_mask(r->type, TABLE_UNTOUCHED);
        if (!on && got != untouched)
            complain(r->line, "thread %u is not active, but its %s became 0x%llx", thread, r->reg,
                     (unsigned long long)got);
    }
}

static void run_table(const struct table *t, uint32_t block, uint32_t lanes)
{
    struct strbuf printed = {0};
    struct heddle_sim *sim = create_sim(false, 0, &printed);
    struct heddle_module *module;
    const char *text = strbuf_text(&t->ptx);
    uint64_t out, bytes = (uint64_t)t->n * TABLE_SLOT_BYTES * block;
    uint64_t *slots = xcalloc(t->n * (size_t)block, TABLE_SLOT_BYTES);
    if (heddle_load(sim, HEDDLE_PTX, now.file, text, strlen(text), NULL, &module) != HEDDLE_OK) {
        complain(0, "cannot be loaded:\n%s", heddle_error(sim));
    } else {
        note_coverage(module);
        assert_int_equal(heddle_alloc(sim, bytes, "out", &out), HEDDLE_OK);
        struct heddle_arg args[] = {{.data = &out, .bytes = 8}, {.data = &lanes, .bytes = 4}};
        struct heddle_launch launch = {.block = {block}, .args = args, .n_args = 2};
        if (heddle_launch(sim, module, "table", &launch) != HEDDLE_OK)
            complain(0, "block of %u, lanes 0x%x: %s", block, lanes, heddle_error(sim));
        assert_int_equal(heddle_read(sim, out, slots, bytes), HEDDLE_OK);
        for (uint32_t i = 0; i < block && !now.failures; i++)
            check_table_lane(t, slots + (size_t)i * t->n, lanes >> i % WARP_LANES & 1, i);
    }
    free(slots);
    heddle_destroy(sim);
    strbuf_destroy(&printed);
}

/* Full warps take the forms of operations that write every lane, others those under a mask. */
static void run_table_file(const char *text)
{
    struct table t = {0};
    table_expand(&t, text);
    if (t.bad)
        complain(0, "the table has lines that cannot be understood");
    else
        for (uint32_t isa = 0; isa < host_isa_count(); isa++) {
            now.isa = host_isa_name(isa);
            run_table(&t, 32, ~0u);
            run_table(&t, 32, 0x5a0ff001);
            run_table(&t, 20, ~0u);
            run_table(&t, 52, 0x80070f0a);
        }
    table_destroy(&t);
}

/* --- all of it --- */

static void test_file(void **state)
{
    const char *path = *state;
    struct strbuf text = {0};
    const char *slash = strrchr(path, '/');
    now.file = slash ? slash + 1 : path;
    now.isa = "-";
    now.failures = 0;
    assert_int_equal(strbuf_read_file(&text, path), 0);
    if (strcmp(strrchr(path, '.'), ".table") == 0)
        run_table_file(strbuf_text(&text));
    else
        run_program_file(strbuf_text(&text));
    strbuf_destroy(&text);
    if (now.failures)
        fail_msg("%s: %u expectations do not hold", now.file, now.failures);
}

/* Rows that lowering never selects: each mov and cvta gets a more precise one. */
static bool is_never_selected(uint32_t row)
{
    return row == EXEC_MOV_ANY || row == EXEC_CVTA_ANY;
}

static void every_row_is_executed(void **state)
{
    uint32_t missing = 0;
    (void)state;
    for (uint32_t i = 0; i < N_EXEC; i++) {
        if (covered[i] == is_never_selected(i)) {
            fprintf(stderr, "%s: %s\n", exec_rows[i].name,
                    covered[i] ? "listed as never selected, but it is" : "not in any program");
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static int expand(const char *path)
{
    struct strbuf text = {0};
    struct table t = {0};
    if (strbuf_read_file(&text, path) != 0)
        return 1;
    table_expand(&t, strbuf_text(&text));
    fputs(strbuf_text(&t.ptx), stdout);
    bool bad = t.bad;
    table_destroy(&t);
    strbuf_destroy(&text);
    return bad;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--expand") == 0)
        return expand(argv[2]);
    static const char *const patterns[] = {"*.table", "*.ptx", "*.cl", "*.cu"};
    glob_t files = {0};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        char pattern[512];
        snprintf(pattern, sizeof pattern, "%s/test/ptx/%s", HEDDLE_SOURCE_DIR, patterns[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, &files);
    }
    struct CMUnitTest *tests = xcalloc(files.gl_pathc + 1, sizeof *tests);
    size_t n = 0;
    for (size_t i = 0; i < files.gl_pathc; i++)
        if (argc < 2 || strstr(files.gl_pathv[i], argv[1]))
            tests[n++] = (struct CMUnitTest){strrchr(files.gl_pathv[i], '/') + 1, test_file, NULL,
                                             NULL, files.gl_pathv[i]};
    if (argc < 2)
        tests[n++] =
            (struct CMUnitTest){"every_row_is_executed", every_row_is_executed, NULL, NULL, NULL};
    int failed = _cmocka_run_group_tests("test_ptx", tests, n, NULL, NULL);
    free(tests);
    globfree(&files);
    return failed;
}
