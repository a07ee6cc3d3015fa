/* The lane arithmetic of isa.def: every row against a reference (lane_refs.h), and every host
 * vector variant against the generic one, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lane_refs.h"
#include "lane_rows.h"
#include "unit/random_bits.h"

/* Rows without a reference here: bit patterns of two halves, and approximations (test_approx.c). */
static const char *const elsewhere[] = {
    "ABS_F16",     "ABS_F16X2",     "NEG_F16",     "NEG_F16X2",     "RCP_APPROX_FTZ_F64",
    "ABS_F16_FTZ", "ABS_F16X2_FTZ", "NEG_F16_FTZ", "NEG_F16X2_FTZ", "RSQRT_FTZ_F64",
    "SIN_F32",     "SIN_FTZ_F32",   "COS_F32",     "COS_FTZ_F32",   "LG2_F32",
    "LG2_FTZ_F32", "EX2_F32",       "EX2_FTZ_F32", "TANH_F32",
};

/* ---- operands ---- */

enum taste { TASTE_INT, TASTE_FLOAT };

static uint64_t random_lane(uint64_t *state, unsigned bytes, enum taste taste)
{
    uint64_t r = random_u64(state);
    if (taste == TASTE_FLOAT && bytes == 8)
        return random_float(state, 52, 11);
    if (taste == TASTE_FLOAT && bytes == 4)
        return random_float(state, 23, 8);
    if (r % 4 == 0) /* shift amounts, counts, small divisors */
        return r >> 8 & 0x7f;
    return random_int(state, 8 * bytes);
}

static void set_lane(union lanes *lanes, int i, unsigned bytes, uint64_t v)
{
    memcpy((char *)lanes + (size_t)i * bytes, &v, bytes);
}

static uint64_t get_lane(const union lanes *lanes, int i, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)lanes + (size_t)i * bytes, bytes);
    return v;
}

static void fill_operands(struct row_operands *in, const struct lane_row *row, uint64_t *state,
                          enum taste taste)
{
    memset(in, 0, sizeof *in);
    for (int i = 0; i < N_LANES; i++) {
        uint64_t a = random_lane(state, row->a_bytes, taste);
        uint64_t b = row->b_bytes ? random_lane(state, row->b_bytes, taste) : 0;
        uint64_t c = row->c_bytes ? random_lane(state, row->c_bytes, taste) : 0;
        uint64_t r = random_u64(state);
        if (r % 8 == 0) /* equal, or nearly so, or opposite */
            b = r & 8 ? a : r & 16 ? a + (r >> 8) % 5 - 2 : a ^ 1ull << (8 * row->a_bytes - 1);
        set_lane(&in->a, i, row->a_bytes, a);
        set_lane(&in->b, i, row->b_bytes, b);
        set_lane(&in->c, i, row->c_bytes, c);
        in->carry_in[i] = r >> 32 & 1;
    }
}

/* ---- rows against references ---- */

static const struct lane_row *find_row(const char *name)
{
    for (const struct lane_row *row = lane_rows_generic; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static wide_int extended(uint64_t v, unsigned bytes, bool is_signed)
{
    bool negative = is_signed && bytes > 0 && v >> (8 * bytes - 1) & 1;
    return negative ? (wide_int)v - ((wide_int)1 << 8 * bytes) : (wide_int)v;
}

static struct lane_args args_of(const struct lane_ref *ref, const struct lane_row *row,
                                const struct row_operands *in, int i)
{
    struct lane_args x = {
        .a_bits = get_lane(&in->a, i, row->a_bytes),
        .b_bits = get_lane(&in->b, i, row->b_bytes),
        .c_bits = get_lane(&in->c, i, row->c_bytes),
        .bits = 8 * row->a_bytes,
        .is_signed = ref->is_signed,
        .carry_in = in->carry_in[i],
        .mode = {.round = FP_RN, .ftz = ref->ftz},
    };
    x.a = extended(x.a_bits, row->a_bytes, ref->is_signed);
    x.b = extended(x.b_bits, row->b_bytes, ref->is_signed);
    x.c = extended(x.c_bits, row->c_bytes, ref->is_signed);
    return x;
}

static void check_lane(const struct lane_ref *ref, const struct lane_row *row,
                       const struct row_operands *in, const struct row_results *out, int i)
{
    struct lane_args x = args_of(ref, row, in, i);
    bool carry = out->carry[i]; /* for rows that have none */
    uint64_t mask = row->d_bytes == 8 ? ~0ull : (1ull << 8 * row->d_bytes) - 1;
    uint64_t want = (uint64_t)ref->compute(&x, &carry) & mask;
    uint64_t got = get_lane(&out->d, i, row->d_bytes);
    if (got != want || carry != out->carry[i])
        fail_msg("%s of %#llx, %#llx, %#llx, carry %d: %#llx, carry %d; not %#llx, carry %d",
                 row->name, (unsigned long long)x.a_bits, (unsigned long long)x.b_bits,
                 (unsigned long long)x.c_bits, x.carry_in, (unsigned long long)got, out->carry[i],
                 (unsigned long long)want, carry);
}

static void check_refs(const struct lane_ref *refs, enum taste taste)
{
    uint64_t state = 1;
    for (const struct lane_ref *ref = refs; ref->row; ref++) {
        const struct lane_row *row = find_row(ref->row);
        if (!row)
            fail_msg("isa.def has no row %s", ref->row);
        for (int round = 0; round < 200; round++) {
            struct row_operands in;
            struct row_results out = {0};
            fill_operands(&in, row, &state, taste);
            row->run(&in, &out);
            for (int i = 0; i < N_LANES; i++)
                check_lane(ref, row, &in, &out, i);
        }
    }
}

static void integer_rows_equal_their_references(void **unused)
{
    (void)unused;
    check_refs(lane_refs_int, TASTE_INT);
}

static void float_rows_equal_their_references(void **unused)
{
    (void)unused;
    check_refs(lane_refs_float, TASTE_FLOAT);
    check_refs(lane_refs_float, TASTE_INT);
}

static bool is_referenced(const char *name)
{
    for (const struct lane_ref *ref = lane_refs_int; ref->row; ref++)
        if (strcmp(ref->row, name) == 0)
            return true;
    for (const struct lane_ref *ref = lane_refs_float; ref->row; ref++)
        if (strcmp(ref->row, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (strcmp(elsewhere[i], name) == 0)
            return true;
    return false;
}

static void every_row_has_a_reference(void **unused)
{
    (void)unused;
    for (const struct lane_row *row = lane_rows_generic; row->name; row++)
        if (!is_referenced(row->name))
            fail_msg("no reference for row %s: add one to lane_refs_*.c", row->name);
}

/* ---- variants ---- */

static void check_variant(const struct lane_row *rows)
{
    uint64_t state = 2;
    for (size_t k = 0; lane_rows_generic[k].name; k++) {
        const struct lane_row *row = &lane_rows_generic[k];
        assert_string_equal(row->name, rows[k].name);
        for (int round = 0; round < 60; round++) {
            struct row_operands in;
            struct row_results want = {0}, got = {0};
            fill_operands(&in, row, &state, round % 2 ? TASTE_INT : TASTE_FLOAT);
            row->run(&in, &want);
            rows[k].run(&in, &got);
            if (memcmp(&want, &got, sizeof want) != 0)
                fail_msg("%s differs from the generic variant", row->name);
        }
    }
}

static void avx2_gives_the_same_bits(void **unused)
{
    (void)unused;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        check_variant(lane_rows_avx2);
    else
        skip();
#else
    skip();
#endif
}

static void avx512_gives_the_same_bits(void **unused)
{
    (void)unused;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        check_variant(lane_rows_avx512);
    else
        skip();
#else
    skip();
#endif
}

/* ---- by hand ---- */

static void rows_give_what_was_worked_out_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        const char *row;
        uint64_t a, b, c, d;
    } cases[] = {
        {"DIV_S32", 0x80000000, 0xffffffff, 0, 0x80000000}, /* the quotient does not fit */
        {"REM_S32", 0x80000000, 0xffffffff, 0, 0},
        {"DIV_S64", 0x8000000000000000, ~0ull, 0, 0x8000000000000000},
        {"REM_S64", 0x8000000000000000, ~0ull, 0, 0},
        {"DIV_U32", 7, 0, 0, 0xffffffff},
        {"REM_U32", 7, 0, 0, 7},
        {"DIV_S32", (uint32_t)-7, 2, 0, (uint32_t)-3},
        {"REM_S32", (uint32_t)-7, 2, 0, (uint32_t)-1},
        {"CLZ_B32", 0, 0, 0, 32},
        {"CLZ_B64", 0, 0, 0, 64},
        {"BFIND_S32", 0xfffffff0, 0, 0, 3}, /* ...11110000: bit 3 is the first zero */
        {"BFE_S32", 0x000000f0, 4, 4, 0xffffffff},
        {"BFE_U32", 0x12345678, 8, 12, 0x456},
        {"PRMT_B32", 0x33221100, 0x77665544, 0x7531, 0x77553311},
        {"PRMT_B32", 0x00008001, 0, 0x0918, 0x01ff8000},
        {"SHF_L_CLAMP", 0x11111111, 0x22222222, 40, 0x11111111},
        {"SHF_R_CLAMP", 0x11111111, 0x22222222, 40, 0x22222222},
        {"FNS_B32", 0x0000a0a0, 0, 2, 7},                        /* bits 5, 7, 13, 15 */
        {"FNS_B32", 0x0000a0a0, 31, 0xfffffffe, 13},             /* the second from the top */
        {"DP4A_SS", 0x80ff0102, 0x02030405, 10, (uint32_t)-235}, /* 10 + 10+4-3-256 */
        {"ADD_F32", 0x7f800000, 0xff800000, 0, 0x7fffffff},
        {"MUL_F32", 0xffc12345, 0x3f800000, 0, 0x7fffffff},
        {"ADD_F64", 0x7ff0000000000001, 0, 0, 0x7ff8000000000000},
        {"MIN_F32", 0x00000000, 0x80000000, 0, 0x80000000},
        {"MAX_F32", 0x80000000, 0x00000000, 0, 0x00000000},
        {"MIN_F32", 0x7fc00000, 0x40000000, 0, 0x40000000},
        {"MAX_F32", 0x7f800001, 0xffc00000, 0, 0x7fffffff},
        {"CVT_RZI_S32_F32", 0x7f800000, 0, 0, 0x7fffffff},
        {"CVT_RZI_S32_F32", 0xff800000, 0, 0, 0x80000000},
        {"CVT_RZI_S32_F32", 0x7fc00000, 0, 0, 0},
        {"CVT_RZI_S32_F32", 0xc0700000, 0, 0, (uint32_t)-3},         /* -3.75 */
        {"MUL_F32_FTZ", 0x00800000, 0x3f000000, 0, 0},               /* 2^-127 is subnormal */
        {"FMA_F32", 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000}, /* (1+u)^2-1-2u = u^2 */
        {"ABS_F16", 0xc000, 0, 0, 0x4000},
        {"NEG_F16X2", 0x3c00bc00, 0, 0, 0xbc003c00},
        {"ABS_F16_FTZ", 0x83ff, 0, 0, 0}, /* the largest subnormal */
        {"NEG_F16X2_FTZ", 0x040083ff, 0, 0, 0x84000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct lane_row *row = find_row(cases[i].row);
        assert_non_null(row);
        struct row_operands in = {0};
        struct row_results out = {0};
        set_lane(&in.a, 0, row->a_bytes, cases[i].a);
        set_lane(&in.b, 0, row->b_bytes, cases[i].b);
        set_lane(&in.c, 0, row->c_bytes, cases[i].c);
        row->run(&in, &out);
        uint64_t got = get_lane(&out.d, 0, row->d_bytes);
        if (got != cases[i].d)
            fail_msg("case %zu, %s: %#llx, not %#llx", i, cases[i].row, (unsigned long long)got,
                     (unsigned long long)cases[i].d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_rows_equal_their_references),
        cmocka_unit_test(float_rows_equal_their_references),
        cmocka_unit_test(every_row_has_a_reference),
        cmocka_unit_test(avx2_gives_the_same_bits),
        cmocka_unit_test(avx512_gives_the_same_bits),
        cmocka_unit_test(rows_give_what_was_worked_out_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
