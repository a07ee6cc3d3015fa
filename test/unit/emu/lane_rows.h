/* Every row of isa.def that is an expression on lanes, as a function over 32 of them. The rows are
 * compiled once per host vector variant, so that test_lanes.c can compare the variants' bits. */
#ifndef HEDDLE_TEST_LANE_ROWS_H
#define HEDDLE_TEST_LANE_ROWS_H

#include <stdint.h>

enum { N_LANES = 32 };

/* 32 lanes, seen as any of the types of isa.def. */
union lanes {
    uint8_t u8[N_LANES], p[N_LANES];
    int8_t s8[N_LANES];
    uint16_t u16[N_LANES];
    int16_t s16[N_LANES];
    uint32_t u32[N_LANES];
    int32_t s32[N_LANES];
    uint64_t u64[N_LANES];
    int64_t s64[N_LANES];
    float f32[N_LANES];
    double f64[N_LANES];
};

struct row_operands {
    union lanes a, b, c;
    uint8_t carry_in[N_LANES]; /* 0 or 1 */
};

struct row_results {
    union lanes d;
    uint8_t carry[N_LANES];
};

struct lane_row {
    const char *name;
    void (*run)(const struct row_operands *in, struct row_results *out);
    uint8_t a_bytes, b_bytes, c_bytes, d_bytes; /* 0 = no such operand */
};

/* Ends with a NULL name; the same order in every variant. */
extern const struct lane_row lane_rows_generic[];
extern const struct lane_row lane_rows_avx2[];
extern const struct lane_row lane_rows_avx512[];

#endif
