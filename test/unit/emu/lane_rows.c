/* The table of lane_rows.h for the vector variant HEDDLE_VEC. */
#include "lane_rows.h"

#include <stddef.h>
#include <stdint.h>

#include "emu/lanes.h"

typedef uint8_t lane_p;
typedef int8_t lane_s8;
typedef uint8_t lane_u8;
typedef int16_t lane_s16;
typedef uint16_t lane_u16;
typedef int32_t lane_s32;
typedef uint32_t lane_u32;
typedef int64_t lane_s64;
typedef uint64_t lane_u64;
typedef float lane_f32;
typedef double lane_f64;

/* One loop per shape: which operands there are, and as which types they are read. */
#define LOOP(id, td, expr, ...)                                                                    \
    static void row_##id(const struct row_operands *restrict in, struct row_results *restrict out) \
    {                                                                                              \
        for (int i = 0; i < N_LANES; i++) {                                                        \
            __VA_ARGS__                                                                            \
            out->d.td[i] = (lane_##td)(expr);                                                      \
        }                                                                                          \
    }
#define OPERAND(x, t)                lane_##t x = in->x.t[i];
#define ROW_UN(id, td, ts, expr)     LOOP(id, td, expr, OPERAND(a, ts))
#define ROW_CVTB(id, td, ts, expr)   LOOP(id, td, expr, OPERAND(a, ts))
#define ROW_BIN(id, td, ts, expr)    LOOP(id, td, expr, OPERAND(a, ts) OPERAND(b, ts))
#define ROW_DIVIDE(id, td, ts, expr) LOOP(id, td, expr, OPERAND(a, ts) OPERAND(b, ts))
#define ROW_SETP(id, td, ts, expr)   LOOP(id, td, expr, OPERAND(a, ts) OPERAND(b, ts))
#define ROW_SHIFT(id, td, ts, expr)  LOOP(id, td, expr, OPERAND(a, ts) OPERAND(b, u32))
#define ROW_TER(id, td, ts, expr)    LOOP(id, td, expr, OPERAND(a, ts) OPERAND(b, ts) OPERAND(c, ts))
#define ROW_TERW(id, td, ts, expr)   LOOP(id, td, expr, OPERAND(a, ts) OPERAND(b, ts) OPERAND(c, td))
#define ROW_TER64_32(id, td, ts, expr)                                                             \
    LOOP(id, td, expr, OPERAND(a, td) OPERAND(b, ts) OPERAND(c, ts))
#define CARRY_LOOP(id, td, expr, ...)                                                              \
    static void row_##id(const struct row_operands *restrict in, struct row_results *restrict out) \
    {                                                                                              \
        for (int i = 0; i < N_LANES; i++) {                                                        \
            __VA_ARGS__                                                                            \
            uint32_t carry_in = in->carry_in[i], carry = 0;                                        \
            (void)carry_in;                                                                        \
            out->d.td[i] = (lane_##td)(expr);                                                      \
            out->carry[i] = (uint8_t)carry;                                                        \
        }                                                                                          \
    }
#define ROW_CARRY(id, td, ts, expr) CARRY_LOOP(id, td, expr, OPERAND(a, ts) OPERAND(b, ts))
#define ROW_CARRY3(id, td, ts, expr)                                                               \
    CARRY_LOOP(id, td, expr, OPERAND(a, ts) OPERAND(b, ts) OPERAND(c, ts))

/* Not lane arithmetic: predicates are mask words, the rest has separate functions. */
#define ROW_PUN(id, td, ts, expr)
#define ROW_PBIN(id, td, ts, expr)
#define ROW_SELP(id, td, ts, expr)
#define ROW_MEM(id, td, ts, expr)
#define ROW_CUSTOM(id, td, ts, expr)
#define ROW_CTRL(id, td, ts, expr)
#define ROW_VEC(id, td, ts, expr)

#define EXEC(id, inst, types, mods, shape, td, ts, expr) ROW_##shape(id, td, ts, expr)
#include "ptx/isa.def"

#define ENTRY(id, a, b, c, d)      {#id, row_##id, a, b, c, d},
#define BYTES(t)                   sizeof(lane_##t)
#define ENTRY_UN(id, td, ts)       ENTRY(id, BYTES(ts), 0, 0, BYTES(td))
#define ENTRY_CVTB(id, td, ts)     ENTRY(id, BYTES(ts), 0, 0, BYTES(td))
#define ENTRY_BIN(id, td, ts)      ENTRY(id, BYTES(ts), BYTES(ts), 0, BYTES(td))
#define ENTRY_DIVIDE(id, td, ts)   ENTRY(id, BYTES(ts), BYTES(ts), 0, BYTES(td))
#define ENTRY_SETP(id, td, ts)     ENTRY(id, BYTES(ts), BYTES(ts), 0, BYTES(td))
#define ENTRY_SHIFT(id, td, ts)    ENTRY(id, BYTES(ts), BYTES(u32), 0, BYTES(td))
#define ENTRY_TER(id, td, ts)      ENTRY(id, BYTES(ts), BYTES(ts), BYTES(ts), BYTES(td))
#define ENTRY_TERW(id, td, ts)     ENTRY(id, BYTES(ts), BYTES(ts), BYTES(td), BYTES(td))
#define ENTRY_TER64_32(id, td, ts) ENTRY(id, BYTES(td), BYTES(ts), BYTES(ts), BYTES(td))
#define ENTRY_CARRY(id, td, ts)    ENTRY(id, BYTES(ts), BYTES(ts), 0, BYTES(td))
#define ENTRY_CARRY3(id, td, ts)   ENTRY(id, BYTES(ts), BYTES(ts), BYTES(ts), BYTES(td))
#define ENTRY_PUN(id, td, ts)
#define ENTRY_PBIN(id, td, ts)
#define ENTRY_SELP(id, td, ts)
#define ENTRY_MEM(id, td, ts)
#define ENTRY_CUSTOM(id, td, ts)
#define ENTRY_CTRL(id, td, ts)
#define ENTRY_VEC(id, td, ts)

#define TABLE_NAME(variant) lane_rows_##variant
#define TABLE(variant)      TABLE_NAME(variant)

const struct lane_row TABLE(HEDDLE_VEC)[] = {
#define EXEC(id, inst, types, mods, shape, td, ts, expr) ENTRY_##shape(id, td, ts)
#include "ptx/isa.def"
    {NULL, NULL, 0, 0, 0, 0},
};
