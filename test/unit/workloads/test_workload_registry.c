/* Every descriptor in the registry keeps the promises the other folders rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "workloads/workload.h"

static void for_each(void (*fact)(const struct workload *w))
{
    assert_true(workload_count > 0);
    for (uint32_t i = 0; i < workload_count; i++) {
        print_message("  %s\n", workload_list[i]->name);
        fact(workload_list[i]);
    }
}

static bool is_one_of(const char *word, const char *const *allowed)
{
    for (; *allowed; allowed++)
        if (strcmp(word, *allowed) == 0)
            return true;
    return false;
}

static void names_are_unique_and_found(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < workload_count; i++) {
        assert_ptr_equal(workload_find(workload_list[i]->name), workload_list[i]);
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(workload_list[i]->name, workload_list[j]->name);
    }
    assert_null(workload_find("no such workload"));
}

static void check_texts(const struct workload *w)
{
    assert_int_equal(strspn(w->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(w->name));
    assert_true(w->paper_name && w->paper_name[0]);
    assert_true(w->title && w->title[0]);
    assert_true(w->origin && w->origin[0]);
    assert_non_null(strstr(w->source, "__kernel"));
    assert_true(strlen(w->summary) >= 40 && strlen(w->summary) <= 240);
    assert_int_equal(w->summary[strlen(w->summary) - 1], '.');
}

static void texts_are_present(void **state)
{
    (void)state;
    for_each(check_texts);
}

static void check_functions(const struct workload *w)
{
    assert_true(w->setup && w->run && w->reference && w->check && w->teardown);
    assert_true(w->state_bytes > 0);
}

static void functions_are_present(void **state)
{
    (void)state;
    for_each(check_functions);
}

/* A parameter has a name if and only if some size gives it a value, or users may. */
static void check_params(const struct workload *w)
{
    for (int i = 0; i < WORKLOAD_PARAMS; i++) {
        bool used = w->param_names[i] && workload_find_input(w, w->param_names[i]);
        for (const struct workload_size *s = w->sizes; s->name; s++)
            used = used || s->p[i] != 0;
        assert_int_equal(used, w->param_names[i] != NULL);
    }
}

static void check_sizes(const struct workload *w)
{
    assert_non_null(workload_find_size(w, "tiny"));
    assert_non_null(workload_find_size(w, "small"));
    assert_null(workload_find_size(w, "no such size"));
    for (const struct workload_size *s = w->sizes; s->name; s++)
        assert_ptr_equal(workload_find_size(w, s->name), s); /* names are unique */
    check_params(w);
}

static void sizes_are_named(void **state)
{
    (void)state;
    for_each(check_sizes);
}

/* Every input is a parameter, says what it means, and allows what the sizes have. */
static void check_inputs(const struct workload *w)
{
    for (const struct workload_input *input = w->inputs; input && input->name; input++) {
        uint32_t param = workload_find_param(w, input->name), n_choices = 0;
        assert_true(param < WORKLOAD_PARAMS);
        assert_ptr_equal(workload_find_input(w, input->name), input); /* names are unique */
        assert_true(input->meaning && input->meaning[0]);
        while (input->choices && input->choices[n_choices])
            n_choices++;
        int64_t min = input->choices ? 0 : input->min;
        int64_t max = input->choices ? (int64_t)n_choices - 1 : input->max;
        assert_true(min < max);
        for (const struct workload_size *s = w->sizes; s->name; s++)
            assert_true(s->p[param] >= min && s->p[param] <= max);
    }
}

static void inputs_are_parameters(void **state)
{
    (void)state;
    for_each(check_inputs);
}

static void check_categories(const struct workload *w)
{
    static const char *const s2[] = {"cache-sufficient", "cache-insufficient", NULL};
    static const char *const s3_ch3[] = {"memory-intensive", "computation-intensive", NULL};
    static const char *const s3_ch4[] = {"sensitive", "non-sensitive", NULL};
    static const char *const s3_ch5[] = {"cache-sensitive", "not cache-sensitive", NULL};
    static const char *const s4[] = {"highly sensitive", "moderately sensitive", "insensitive",
                                     NULL};
    const struct workload_categories *c = &w->categories;
    assert_true(!c->s2 || is_one_of(c->s2, s2));
    assert_true(!c->s3_ch3 || is_one_of(c->s3_ch3, s3_ch3));
    assert_true(!c->s3_ch4 || is_one_of(c->s3_ch4, s3_ch4));
    assert_true(!c->s3_ch5 || is_one_of(c->s3_ch5, s3_ch5));
    assert_true(!c->s3_ch6 || is_one_of(c->s3_ch6, s3_ch3));
    assert_true(!c->s4 || is_one_of(c->s4, s4));
}

static void categories_are_spelled_as_in_the_papers(void **state)
{
    (void)state;
    for_each(check_categories);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_found),
        cmocka_unit_test(texts_are_present),
        cmocka_unit_test(functions_are_present),
        cmocka_unit_test(sizes_are_named),
        cmocka_unit_test(inputs_are_parameters),
        cmocka_unit_test(categories_are_spelled_as_in_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
