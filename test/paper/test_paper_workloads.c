/* The papers' tables of benchmarks, typed from the papers: every program is there, classed as its
 * table has it and with the input that its table gives, and no other claims to be.
 * S2: X. Zhu, R. Wernsman, J. Zambreno, ICPP 2018, Table 2.
 * S3: S.-Y. Lee, thesis, Arizona State University 2017, Tables 3.2, 4.2, 5.3 and 6.3.
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
        {"cache-insufficient", {"cfd", "pvr", "ss", "bfs", "mm", "srk", "sr2k", "km", "str"}},
        {NULL, {NULL}},
    };
    (void)state;
    check_table(rows, offsetof(struct workload_categories, s2));
}

static void s3_table_3_2(void **state)
{
    static const struct table_rows rows[] = {
        {"memory-intensive", {"bt", "bp", "bfs", "km", "nw", "sr2", "sc_small", "sc_mid", "tpf"}},
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
        {"sensitive", {"bfs", "bt", "htw", "km", "nw", "sr1", "sc_small"}},
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
         {"pvr", "bc", "csr", "fld", "ss", "bfs", "str", "ell", "prk", "mm", "km"}},
        {NULL, {NULL}},
    };
    (void)state;
    check_table(rows, offsetof(struct workload_categories, s3_ch5));
}

/* 25 names for 26 rows: KMN has two, and its second input is another size of the same program. Of
 * Streamcluster's two inputs the larger one; HIS is hg, PR prk, CSE csr. */
static void s3_table_6_3(void **state)
{
    static const struct table_rows rows[] = {
        {"memory-intensive",
         {"ac", "bin", "hg", "km", "bit", "gemm", "bc", "csr", "ell", "cfd", "gau", "sc_mid",
          "xsb"}},
        {"computation-intensive",
         {"bs", "lud", "mca", "aes", "fir", "prk", "mf", "mc", "htw", "leu", "pth", "s3d"}},
        {NULL, {NULL}},
    };
    (void)state;
    check_table(rows, offsetof(struct workload_categories, s3_ch6));
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

/* What a paper's tables say about a program's input where it is one of our parameters. */
struct input {
    const char *name;
    struct {
        const char *name;
        int64_t value;
    } params[4];
};

/* S2 Table 2. */
static const struct input s2_inputs[] = {
    {"hg", {{"bytes", 67108864}}},
    {"hot", {{"cols", 512}, {"rows", 512}}},
    {"sten", {{"nx", 512}, {"ny", 512}, {"nz", 64}}},
    {"sconv", {{"width", 2048}, {"height", 512}}},
    {"bp", {{"inputs", 65536}}},
    {"sr1", {{"rows", 512}, {"cols", 512}}},
    {"nw", {{"n", 1024}}},
    {"gemm", {{"ni", 512}, {"nj", 512}, {"nk", 512}}},
    {"bt", {{"range_queries", 6000}, {"range_width", 3000}}},
    {"cfd", {{"elements", 97046}}},
    {"pvr", {{"entries", 250000}}},
    {"ss", {{"documents", 512}, {"features", 128}}},
    {"bfs", {{"edges", 65536 * 6}}},
    {"mm", {{"n", 256}}},
    {"srk", {{"n", 256}, {"m", 256}}},
    {"sr2k", {{"n", 256}, {"m", 256}}},
    {"km", {{"points", 204800}}},
    {"str", {{"words", 354984}}},
};

/* S3 Tables 3.2, 4.2 and 5.3. */
static const struct input s3_inputs[] = {
    {"bt", {{"records", 1000000}}},
    {"bp", {{"inputs", 65536}}},
    {"bfs", {{"edges", 65536 * 6}}},
    {"gau", {{"n", 1024}}},
    {"htw", {{"rows", 656}, {"cols", 744}}},
    {"hot", {{"cols", 512}}},
    {"km", {{"points", 494020}}},
    {"lmd", {{"boxes", 10}}},
    {"leu", {{"width", 640}, {"height", 480}}},
    {"lud", {{"n", 2048}}},
    {"myc", {{"cells", 100}}},
    {"nw", {{"n", 1024}}},
    {"pf", {{"cols", 128}, {"rows", 128}, {"frames", 10}}},
    {"pth", {{"cols", 100000}}},
    {"sr1", {{"rows", 502}, {"cols", 458}}},
    {"sr2", {{"rows", 2048}, {"cols", 2048}}},
    {"sc_small", {{"dims", 32}, {"points", 4096}}},
    {"sc_mid", {{"dims", 64}, {"points", 8192}}},
    {"tpf", {{"points", 487}, {"random_sets", 100}}},
    {"bo", {{"options", 512}}},
    {"fwt", {{"log2_samples", 15}}},
    {"wc", {{"text_bytes", 86 * 1024}}},
    {"mis", {{"cols", 1000}, {"rows", 1000}}}, /* "ecology" is a grid of 1000 x 1000 */
    {"clr", {{"cols", 1000}, {"rows", 1000}}},
    {"bc", {{"vertices", 1024}, {"edges", 128 * 1024}}},
    {"csr", {{"edges", 733846}}}, /* New York's roads, 9th DIMACS challenge */
    {"ell", {{"edges", 733846}}},
    {"pvr", {{"entries", 1000000}}},
    {"fld", {{"vertices", 256}, {"edges", 16384}}},
    {"ss", {{"documents", 1024}, {"features", 256}}},
    {"str", {{"words", 165000}}},
    {"mm", {{"n", 1024}}},
};

/* S4 Table 2. */
static const struct input s4_inputs[] = {
    {"bfs", {{"edges", 500000}}},
};

static void check_input(const struct input *in, const char *size_name)
{
    const struct workload *w = workload_find(in->name);
    const struct workload_size *size = w ? workload_find_size(w, size_name) : NULL;
    for (uint32_t i = 0; in->params[i].name; i++) {
        uint32_t param = w ? workload_find_param(w, in->params[i].name) : WORKLOAD_PARAMS;
        if (!size || param == WORKLOAD_PARAMS)
            fail_msg("there is no %s of %s (%s)", in->params[i].name, in->name, size_name);
        else if (size->p[param] != in->params[i].value)
            fail_msg("%s of %s (%s) is %lld, not %lld", in->params[i].name, w->name, size->name,
                     (long long)size->p[param], (long long)in->params[i].value);
    }
}

static void inputs_are_those_of_the_tables(void **state)
{
    (void)state;
#define CHECK_ALL(inputs, size)                                                                    \
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)                                  \
        check_input(&inputs[i], size);
    CHECK_ALL(s2_inputs, "paper-s2")
    CHECK_ALL(s3_inputs, "paper-s3")
    CHECK_ALL(s4_inputs, "paper-s4")
#undef CHECK_ALL
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(s2_table_2),
        cmocka_unit_test(s3_table_3_2),
        cmocka_unit_test(s3_table_4_2),
        cmocka_unit_test(s3_table_5_3),
        cmocka_unit_test(s3_table_6_3),
        cmocka_unit_test(s4_table_2),
        cmocka_unit_test(inputs_are_those_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
