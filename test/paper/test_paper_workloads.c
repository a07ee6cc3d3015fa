/* The papers' tables of benchmarks, typed from the papers: every program is there, classed as its
 * table has it and with the input that its table gives, and no other claims to be.
 * S2: X. Zhu, R. Wernsman, J. Zambreno, ICPP 2018, Table 2.
 * S3: S.-Y. Lee, thesis, Arizona State University 2017, Tables 3.2, 4.2 and 5.3.
 * S4: T. G. Rogers, M. O'Connor, T. M. Aamodt, MICRO 2012, Table 2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "workloads/workload.h"

/* A row of a table, or several of one class; names are ours. */
struct table_rows {
    const char *category;
    const char *names[20];
};

static uint32_t check_rows(const struct table_rows *rows, size_t category_at)
{
    uint32_t n = 0;
    for (; rows->category; rows++)
        for (uint32_t i = 0; rows->names[i]; i++, n++) {
            const struct workload *w = workload_find(rows->names[i]);
            if (!w)
                fail_msg("there is no workload '%s'", rows->names[i]);
            const char *category =
                *(const char *const *)((const char *)&w->categories + category_at);
            if (!category || strcmp(category, rows->category) != 0)
                fail_msg("%s is classed '%s', not '%s'", w->name, category ? category : "nothing",
                         rows->category);
        }
    return n;
}

/* As many have a category as the table has programs. */
static void check_table(const struct table_rows *rows, size_t category_at)
{
    uint32_t n = 0, in_table = check_rows(rows, category_at);
    for (uint32_t i = 0; i < workload_count; i++)
        n += *(const char *const *)((const char *)&workload_list[i]->categories + category_at) !=
             NULL;
    assert_int_equal(n, in_table);
}

static void s2_table_2(void **state)
{
    static const struct table_rows rows[] = {
        {"cache-sufficient", {"hg", "hot", "sten", "sconv", "bp", "sr1", "nw", "gemm", "bt"}},
        {"cache-insufficient", {"cfd", "pvr", "ss", "bfs", "mm", "srk", "sr2k", "kmn", "str"}},
        {NULL, {NULL}},
    };
    (void)state;
    check_table(rows, offsetof(struct workload_categories, s2));
}

static void s3_table_3_2(void **state)
{
    static const struct table_rows rows[] = {
        {"memory-intensive", {"bt", "bp", "bfs", "kmn", "nw", "sr2", "sc_small", "sc_mid", "tpf"}},
        {"computation-intensive",
         {"gau", "htw", "hot", "lmd", "leu", "lud", "myc", "pf", "pth", "sr1"}},
        {NULL, {NULL}},
    };
    (void)state;
    check_table(rows, offsetof(struct workload_categories, s3_ch3));
}

static void s3_table_4_2(void **state)
{
    static const struct table_rows rows[] = {
        {"sensitive", {"bfs", "bt", "htw", "kmn", "nw", "sr1", "sc_small"}},
        {"non-sensitive", {"bp", "pf", "pth", "sc_mid", "tpf"}},
        {NULL, {NULL}},
    };
    (void)state;
    check_table(rows, offsetof(struct workload_categories, s3_ch4));
}

/* The table has its rows in two groups. That the second one begins with PVR is our reading: it is
 * the first of whose long reuse distances the text speaks. */
static void s3_table_5_3(void **state)
{
    static const struct table_rows rows[] = {
        {"not cache-sensitive",
         {"bo", "pth", "hot", "bp", "fwt", "htw", "sr1", "nw", "sr2", "sc_small", "bt", "dct", "wc",
          "mis", "clr", "pf"}},
        {"cache-sensitive",
         {"pvr", "bc", "csr", "fld", "ss", "bfs", "str", "ell", "prk", "mm", "kmn"}},
        {NULL, {NULL}},
    };
    (void)state;
    check_table(rows, offsetof(struct workload_categories, s3_ch5));
}

/* S4's Streamcluster is one program, of which S3's two inputs are workloads here. */
static void s4_table_2(void **state)
{
    static const struct table_rows rows[] = {
        {"highly sensitive", {"bfs", "kmn", "memc", "gc"}},
        {"moderately sensitive", {"wp", "sc_small", "sc_mid", "sssp", "cfd"}},
        {"insensitive", {"nw", "bp", "sr1", "lud"}},
        {NULL, {NULL}},
    };
    (void)state;
    check_table(rows, offsetof(struct workload_categories, s4));
}

/* What the tables say of inputs where it is one of our parameters. */
static void inputs_are_those_of_the_tables(void **state)
{
    static const struct {
        const char *name, *size, *param;
        int64_t value;
    } inputs[] = {
        {"hg", "paper-s2", "bytes", 67108864},
        {"hot", "paper-s2", "cols", 512},
        {"hot", "paper-s2", "rows", 512},
        {"sten", "paper-s2", "nx", 512},
        {"sten", "paper-s2", "ny", 512},
        {"sten", "paper-s2", "nz", 64},
        {"sconv", "paper-s2", "width", 2048},
        {"sconv", "paper-s2", "height", 512},
        {"bp", "paper-s2", "inputs", 65536},
        {"sr1", "paper-s2", "rows", 512},
        {"sr1", "paper-s2", "cols", 512},
        {"nw", "paper-s2", "n", 1024},
        {"gemm", "paper-s2", "ni", 512},
        {"gemm", "paper-s2", "nj", 512},
        {"gemm", "paper-s2", "nk", 512},
        {"bt", "paper-s2", "range_queries", 6000},
        {"bt", "paper-s2", "range_width", 3000},
        {"cfd", "paper-s2", "elements", 97046},
        {"pvr", "paper-s2", "entries", 250000},
        {"ss", "paper-s2", "documents", 512},
        {"ss", "paper-s2", "features", 128},
        {"bfs", "paper-s2", "edges", 65536 * 6},
        {"mm", "paper-s2", "n", 256},
        {"srk", "paper-s2", "n", 256},
        {"srk", "paper-s2", "m", 256},
        {"sr2k", "paper-s2", "n", 256},
        {"sr2k", "paper-s2", "m", 256},
        {"kmn", "paper-s2", "points", 204800},
        {"str", "paper-s2", "words", 354984},
        {"bt", "paper-s3", "records", 1000000},
        {"bp", "paper-s3", "inputs", 65536},
        {"bfs", "paper-s3", "edges", 65536 * 6},
        {"gau", "paper-s3", "n", 1024},
        {"htw", "paper-s3", "rows", 656},
        {"htw", "paper-s3", "cols", 744},
        {"hot", "paper-s3", "cols", 512},
        {"kmn", "paper-s3", "points", 494020},
        {"lmd", "paper-s3", "boxes", 10},
        {"leu", "paper-s3", "width", 640},
        {"leu", "paper-s3", "height", 480},
        {"lud", "paper-s3", "n", 2048},
        {"myc", "paper-s3", "cells", 100},
        {"nw", "paper-s3", "n", 1024},
        {"pf", "paper-s3", "cols", 128},
        {"pf", "paper-s3", "rows", 128},
        {"pf", "paper-s3", "frames", 10},
        {"pth", "paper-s3", "cols", 100000},
        {"sr1", "paper-s3", "rows", 502},
        {"sr1", "paper-s3", "cols", 458},
        {"sr2", "paper-s3", "rows", 2048},
        {"sr2", "paper-s3", "cols", 2048},
        {"sc_small", "paper-s3", "dims", 32},
        {"sc_small", "paper-s3", "points", 4096},
        {"sc_mid", "paper-s3", "dims", 64},
        {"sc_mid", "paper-s3", "points", 8192},
        {"tpf", "paper-s3", "points", 487},
        {"tpf", "paper-s3", "random_sets", 100},
        {"bo", "paper-s3", "options", 512},
        {"fwt", "paper-s3", "log2_samples", 15},
        {"wc", "paper-s3", "text_bytes", 86 * 1024},
        {"mis", "paper-s3", "cols", 1000}, /* "ecology" is a grid of 1000 x 1000 */
        {"mis", "paper-s3", "rows", 1000},
        {"clr", "paper-s3", "cols", 1000},
        {"clr", "paper-s3", "rows", 1000},
        {"bc", "paper-s3", "vertices", 1024},
        {"bc", "paper-s3", "edges", 128 * 1024},
        {"csr", "paper-s3", "edges", 733846}, /* New York's roads, 9th DIMACS challenge */
        {"ell", "paper-s3", "edges", 733846},
        {"pvr", "paper-s3", "entries", 1000000},
        {"fld", "paper-s3", "vertices", 256},
        {"fld", "paper-s3", "edges", 16384},
        {"ss", "paper-s3", "documents", 1024},
        {"ss", "paper-s3", "features", 256},
        {"str", "paper-s3", "words", 165000},
        {"mm", "paper-s3", "n", 1024},
        {"bfs", "paper-s4", "edges", 500000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        const struct workload *w = workload_find(inputs[i].name);
        const struct workload_size *size = w ? workload_find_size(w, inputs[i].size) : NULL;
        uint32_t param = w ? workload_find_param(w, inputs[i].param) : WORKLOAD_PARAMS;
        if (!size || param == WORKLOAD_PARAMS)
            fail_msg("there is no %s of %s (%s)", inputs[i].param, inputs[i].name, inputs[i].size);
        else if (size->p[param] != inputs[i].value)
            fail_msg("%s of %s (%s) is %lld, not %lld", inputs[i].param, w->name, size->name,
                     (long long)size->p[param], (long long)inputs[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s2_table_2),   cmocka_unit_test(s3_table_3_2),
        cmocka_unit_test(s3_table_4_2), cmocka_unit_test(s3_table_5_3),
        cmocka_unit_test(s4_table_2),   cmocka_unit_test(inputs_are_those_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
