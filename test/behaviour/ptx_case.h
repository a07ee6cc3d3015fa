/* The case test_ptx is running: where complaints come from, and its simulation. */
#ifndef TEST_BEHAVIOUR_PTX_CASE_H
#define TEST_BEHAVIOUR_PTX_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "emu/bind.h"
#include "gpu/sim.h"

/* EXEC rows that were part of a program that was loaded to be run. */
static bool covered[N_EXEC];

/* The case being run, for messages. */
static struct {
    const char *file, *isa;
    uint32_t failures;
} now;

static void __attribute__((format(printf, 2, 3))) complain(uint32_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%u: [%s] ", now.file, line, now.isa);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    now.failures++;
}

static void collect_print(void *user, const char *text, size_t len)
{
    strbuf_add_n(user, text, len);
}

static struct heddle_sim *create_sim(bool strict, uint64_t max_insts, struct strbuf *printed)
{
    struct heddle_sim *sim;
    struct heddle_options options = {.struct_size = sizeof options,
                                     .host_isa = now.isa,
                                     .strict = strict,
                                     .max_insts = max_insts,
                                     .print = collect_print,
                                     .print_user = printed};
    assert_int_equal(heddle_create(&options, &sim), HEDDLE_OK);
    return sim;
}

static void note_coverage(const struct heddle_module *module)
{
    const struct program *p = module->program;
    for (uint32_t pc = 0; pc < p->n_ops; pc++)
        covered[p->info[pc].exec_id] = true;
}

#endif
