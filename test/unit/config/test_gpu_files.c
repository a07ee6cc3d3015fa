/* Configurations that are based on others: whose values count, where they come from, and every way
 * in which a base can be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu/machine_config.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/heddle-base-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    char inner[sizeof folder + 8];
    snprintf(inner, sizeof inner, "%s/inner", folder);
    return mkdir(inner, 0700);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* A path in the folder; good until the call after the next. */
static const char *path_of(const char *name)
{
    static char paths[2][128];
    static int turn;
    turn = !turn;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static struct machine_config *load(const char *name, const char *word)
{
    struct diag_list diags = {0};
    struct strbuf text = {0};
    struct machine_config *c = machine_config_load(path_of(name), &word, word != NULL, &diags);
    diag_format(&diags, &text);
    if (!c || diags.n)
        fail_msg("%s: %s", name, strbuf_text(&text));
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
    return c;
}

static void assert_refused(const char *name, const char *want)
{
    struct diag_list diags = {0};
    struct strbuf text = {0}, expected = {0};
    assert_null(machine_config_load(path_of(name), NULL, 0, &diags));
    diag_format(&diags, &text);
    strbuf_addf(&expected, "%s/%s", folder, want);
    if (!strstr(strbuf_text(&text), strbuf_text(&expected)))
        fail_msg("expected '%s' in: %s", strbuf_text(&expected), strbuf_text(&text));
    strbuf_destroy(&text);
    strbuf_destroy(&expected);
    diag_list_destroy(&diags);
}

static void assert_place(const struct machine_config *c, const char *name, const char *want)
{
    struct strbuf place = {0};
    const struct bound_param *b = param_set_find(&c->gpu->params, name);
    assert_non_null(b);
    bound_param_print_place(b, &place);
    assert_string_equal(strbuf_text(&place), want);
    strbuf_destroy(&place);
}

/* Every value but those of the file is the base's, with its source. */
static void a_file_starts_from_the_gpu_it_names(void **state)
{
    (void)state;
    write_file("one.yaml", "base: v100\nl2:\n  n_ways: 12\n");
    struct diag_list diags = {0};
    struct machine_config *v100 = machine_config_load("v100", NULL, 0, &diags);
    struct machine_config *c = load("one.yaml", "n_sms=4");
    assert_int_equal(c->l2.n_ways, 12);
    assert_int_equal(c->gpu->n_sms, 4);
    assert_string_equal(c->gpu->name, "one");
    assert_string_equal(c->gpu->description, "based on v100");
    uint32_t n_alike = 0;
    for (uint32_t i = 0; i < v100->gpu->params.n; i++) {
        const struct bound_param *b = &v100->gpu->params.items[i];
        const struct bound_param *mine = &c->gpu->params.items[i];
        struct strbuf theirs = {0}, own = {0};
        param_print(b->param, b->values, &theirs);
        param_print(mine->param, mine->values, &own);
        assert_string_equal(b->name, mine->name);
        n_alike += strcmp(strbuf_text(&theirs), strbuf_text(&own)) == 0 &&
                   strcmp(b->source, mine->source) == 0;
        strbuf_destroy(&theirs);
        strbuf_destroy(&own);
    }
    assert_int_equal(n_alike, v100->gpu->params.n - 4); /* name, description, n_sms, l2.n_ways */
    char want[128];
    snprintf(want, sizeof want, "%s:3", path_of("one.yaml"));
    assert_place(c, "l2.n_ways", want);
    assert_place(c, "n_sms", "--set n_sms=4");
    assert_place(c, "l2.n_sets", "configs/v100.yaml:147");
    machine_config_destroy(c);
    machine_config_destroy(v100);
    diag_list_destroy(&diags);
}

static void bases_are_beside_the_file_that_names_them_and_may_have_bases(void **state)
{
    (void)state;
    write_file("top.yaml", "base: inner/middle.yaml\nn_sms: 3\nname: mine\n");
    write_file("inner/middle.yaml", "base: low.yaml\nn_sms: 5\nctas_per_sm: 5\nname: theirs\n");
    write_file("inner/low.yaml", "base: m2090\nn_sms: 7\nctas_per_sm: 7\nl2.n_ways: 7\n");
    struct machine_config *c = load("top.yaml", NULL);
    assert_string_equal(c->gpu->name, "mine");
    assert_int_equal(c->gpu->n_sms, 3);
    assert_int_equal(c->gpu->ctas_per_sm, 5);
    assert_int_equal(c->l2.n_ways, 7);
    assert_int_equal(c->dram.n_banks, 6); /* m2090's alone */
    char want[128];
    snprintf(want, sizeof want, "%s:3", path_of("inner/middle.yaml"));
    assert_place(c, "ctas_per_sm", want);
    machine_config_destroy(c);
}

static void bases_that_go_round_in_circles_are_refused(void **state)
{
    (void)state;
    write_file("self.yaml", "n_sms: 2\nbase: ./self.yaml\n");
    assert_refused("self.yaml", "self.yaml:2:7: error: base: './self.yaml' is this file itself\n");
    write_file("a.yaml", "base: b.yaml\n");
    write_file("b.yaml", "base: c.yaml\n");
    write_file("c.yaml", "base: inner/../a.yaml\n");
    assert_refused("a.yaml",
                   "c.yaml:1:7: error: base: 'inner/../a.yaml' is based on this file in turn\n");
    /* A link is the file it leads to. */
    write_file("linked.yaml", "base: link.yaml\n");
    assert_int_equal(symlink("linked.yaml", path_of("link.yaml")), 0);
    assert_refused("linked.yaml",
                   "linked.yaml:1:7: error: base: 'link.yaml' is this file itself\n");
    /* Two that have the same base are no circle. */
    write_file("d.yaml", "base: e.yaml\n");
    write_file("e.yaml", "base: gtx480\n");
    machine_config_destroy(load("d.yaml", NULL));
}

static void bases_that_are_not_there_are_named_where_they_are_asked_for(void **state)
{
    (void)state;
    write_file("wrong.yaml", "base: gtx408\n");
    assert_refused("wrong.yaml", "wrong.yaml:1:7: error: base: there is no GPU 'gtx408'\n"
                                 "    base: gtx408\n"
                                 "          ^\n"
                                 "  hint: did you mean 'gtx480'?\n");
    write_file("gone.yaml", "base: nowhere.yaml\n");
    assert_refused("gone.yaml", "gone.yaml:1:7: error: base: cannot read ");
    assert_refused("gone.yaml", "nowhere.yaml: No such file or directory\n");
    /* A file that cannot be read does not cause complaints about missing parameters. */
    struct diag_list diags = {0};
    assert_null(machine_config_load(path_of("nowhere.yaml"), NULL, 0, &diags));
    assert_int_equal(diags.n, 1);
    diag_list_destroy(&diags);
}

static void mistakes_in_a_base_are_told_of_that_file(void **state)
{
    (void)state;
    write_file("good.yaml", "base: bad.yaml\nn_sms: 2\n");
    write_file("bad.yaml", "base: gtx480\nn_sms: none\nl1d: {line_bytes: 96}\n");
    assert_refused("good.yaml", "bad.yaml:2:8: error: n_sms: 'none' is not a whole number\n");
    write_file("bad.yaml", "base: gtx480\nl1d: {line_bytes: 96}\n");
    assert_refused("good.yaml",
                   "bad.yaml:2:19: error: l1d.line_bytes (96) must be a power of two\n");
}

static const char *warning_of(const char *name, struct strbuf *text)
{
    struct diag_list diags = {0};
    struct machine_config *c = machine_config_load(path_of(name), NULL, 0, &diags);
    assert_non_null(c);
    strbuf_clear(text);
    diag_format(&diags, text);
    machine_config_destroy(c);
    diag_list_destroy(&diags);
    return strbuf_text(text);
}

static void who_leaves_much_to_defaults_is_told_so(void **state)
{
    (void)state;
    struct strbuf text = {0};
    write_file("bare.yaml", "n_sms: 2\n");
    assert_non_null(strstr(warning_of("bare.yaml", &text), "parameters are not set"));
    assert_non_null(strstr(strbuf_text(&text), "hint: `base: gtx480` starts from that GPU\n"));
    write_file("based.yaml", "n_sms: 2\nbase: gtx480\n");
    assert_string_equal(warning_of("based.yaml", &text), "");
    write_file("bare_base.yaml", "base: bare.yaml\n");
    assert_non_null(strstr(warning_of("bare_base.yaml", &text), "bare.yaml: warning: "));
    strbuf_destroy(&text);
}

static void a_base_is_no_parameter(void **state)
{
    (void)state;
    struct diag_list diags = {0};
    struct strbuf text = {0};
    const char *word = "base=gtx480";
    assert_null(machine_config_load("m2090", &word, 1, &diags));
    diag_format(&diags, &text);
    assert_string_equal(strbuf_text(&text),
                        "--set base=gtx480: error: there is no parameter 'base'\n"
                        "  hint: a base is set in a file: --gpu FILE\n");
    strbuf_destroy(&text);
    diag_list_destroy(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_starts_from_the_gpu_it_names),
        cmocka_unit_test(bases_are_beside_the_file_that_names_them_and_may_have_bases),
        cmocka_unit_test(bases_that_go_round_in_circles_are_refused),
        cmocka_unit_test(bases_that_are_not_there_are_named_where_they_are_asked_for),
        cmocka_unit_test(mistakes_in_a_base_are_told_of_that_file),
        cmocka_unit_test(who_leaves_much_to_defaults_is_told_so),
        cmocka_unit_test(a_base_is_no_parameter),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
