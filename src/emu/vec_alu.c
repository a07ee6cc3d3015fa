/* Arithmetic on 32 lanes: one function per EXEC row of isa.def, in two forms: `_all` writes every
 * lane, `_some` only those of the mask. Compiled once per host vector variant (HEDDLE_VEC); the
 * loops are simple so that the compiler vectorises them. `_all` also computes lanes that have
 * exited: nothing here may trap, whatever the values. */
#include "emu/lanes.h"
#include "emu/vec.h"

/* How each C type of isa.def is stored: the element type of its row, and the conversions from and
 * to it. Values of 8 and 16 bits live zero-extended in 32-bit rows. */
#define ROW_u32    uint32_t
#define ROW_s32    int32_t
#define ROW_f32    float
#define ROW_u64    uint64_t
#define ROW_s64    int64_t
#define ROW_f64    double
#define ROW_u16    uint32_t
#define ROW_s16    uint32_t
#define ROW_u8     uint32_t
#define ROW_s8     uint32_t
#define VAL_u32    uint32_t
#define VAL_s32    int32_t
#define VAL_f32    float
#define VAL_u64    uint64_t
#define VAL_s64    int64_t
#define VAL_f64    double
#define VAL_u16    uint16_t
#define VAL_s16    int16_t
#define VAL_u8     uint8_t
#define VAL_s8     int8_t
#define PUT_u32(v) ((uint32_t)(v))
#define PUT_s32(v) ((int32_t)(v))
#define PUT_f32(v) (v)
#define PUT_u64(v) ((uint64_t)(v))
#define PUT_s64(v) ((int64_t)(v))
#define PUT_f64(v) (v)
#define PUT_u16(v) ((uint32_t)(uint16_t)(v))
#define PUT_s16(v) ((uint32_t)(uint16_t)(v))

#if defined(__clang__)
#define LANES                                                                                      \
    _Pragma("clang loop vectorize(assume_safety)") for (uint32_t i = 0; i < WARP_LANES; i++)
#else
#define LANES _Pragma("GCC ivdep") for (uint32_t i = 0; i < WARP_LANES; i++)
#endif

/* Writes `value` to all lanes, or to those of the mask. */
#define WRITE_ALL(td, value)  d[i] = PUT_##td(value)
#define WRITE_SOME(td, value) d[i] = mask >> i & 1 ? PUT_##td(value) : d[i]

#define FN(name)           static void name(struct emu_warp *w, const struct op *op, uint32_t mask)
#define DST(td)            ROW_##td *d = warp_row(w, op->dst)
#define SRC(name, ts, at)  const ROW_##ts *name = warp_row(w, at)
#define GET(name, ts, row) const VAL_##ts name = (VAL_##ts)row[i]

/* Both forms of a function whose body is DECLARATIONS, then per lane READS and a result. */
#define BOTH(id, td, declarations, reads, expr)                                                    \
    FN(id##_all)                                                                                   \
    {                                                                                              \
        DST(td);                                                                                   \
        declarations;                                                                              \
        (void)mask;                                                                                \
        LANES                                                                                      \
        {                                                                                          \
            reads;                                                                                 \
            WRITE_ALL(td, expr);                                                                   \
        }                                                                                          \
    }                                                                                              \
    FN(id##_some)                                                                                  \
    {                                                                                              \
        DST(td);                                                                                   \
        declarations;                                                                              \
        LANES                                                                                      \
        {                                                                                          \
            reads;                                                                                 \
            WRITE_SOME(td, expr);                                                                  \
        }                                                                                          \
    }

#define SEMI                         ;
#define SHAPE_UN(id, td, ts, expr)   BOTH(id, td, SRC(pa, ts, op->a), GET(a, ts, pa), expr)
#define SHAPE_CVTB(id, td, ts, expr) SHAPE_UN(id, td, ts, expr)
#define SHAPE_BIN(id, td, ts, expr)                                                                \
    BOTH(id, td, SRC(pa, ts, op->a) SEMI SRC(pb, ts, op->b), GET(a, ts, pa) SEMI GET(b, ts, pb),   \
         expr)
#define SHAPE_SHIFT(id, td, ts, expr)                                                              \
    BOTH(id, td, SRC(pa, ts, op->a) SEMI SRC(pb, u32, op->b), GET(a, ts, pa) SEMI GET(b, u32, pb), \
         expr)
#define SHAPE_TER(id, td, ts, expr)                                                                \
    BOTH(id, td, SRC(pa, ts, op->a) SEMI SRC(pb, ts, op->b) SEMI SRC(pc, ts, op->c),               \
         GET(a, ts, pa) SEMI GET(b, ts, pb) SEMI GET(c, ts, pc), expr)
#define SHAPE_TERW(id, td, ts, expr)                                                               \
    BOTH(id, td, SRC(pa, ts, op->a) SEMI SRC(pb, ts, op->b) SEMI SRC(pc, td, op->c),               \
         GET(a, ts, pa) SEMI GET(b, ts, pb) SEMI GET(c, td, pc), expr)
#define SHAPE_TER64_32(id, td, ts, expr)                                                           \
    BOTH(id, td, SRC(pa, td, op->a) SEMI SRC(pb, ts, op->b) SEMI SRC(pc, ts, op->c),               \
         GET(a, td, pa) SEMI GET(b, ts, pb) SEMI GET(c, ts, pc), expr)

/* Selection by a predicate. */
#define SHAPE_SELP(id, td, ts, expr)                                                               \
    BOTH(id, td,                                                                                   \
         SRC(pa, ts, op->a) SEMI SRC(pb, ts, op->b) SEMI const uint32_t p =                        \
             warp_pred(w, op->psrc),                                                               \
         GET(a, ts, pa) SEMI GET(b, ts, pb), p >> i & 1 ? a : b)

/* A comparison gives one bit per lane; it may be combined with a predicate, and its negation
 * stored. */
static inline void set_compared(struct emu_warp *w, const struct op *op, uint32_t mask,
                                uint32_t bits)
{
    uint32_t other = ~bits;
    if (op->sub2 != PTX_NO_MOD) {
        uint32_t with = warp_pred(w, op->psrc);
        bits = vec_combine(op->sub2, bits, with);
        other = vec_combine(op->sub2, other, with);
    }
    warp_set_pred(w, op->pdst, bits, mask);
    warp_set_pred(w, op->pdst2, other, mask);
}

#define SHAPE_SETP(id, td, ts, expr)                                                               \
    FN(id##_some)                                                                                  \
    {                                                                                              \
        SRC(pa, ts, op->a);                                                                        \
        SRC(pb, ts, op->b);                                                                        \
        uint32_t bits = 0;                                                                         \
        LANES                                                                                      \
        {                                                                                          \
            GET(a, ts, pa);                                                                        \
            GET(b, ts, pb);                                                                        \
            bits |= (expr) ? 1u << i : 0;                                                          \
        }                                                                                          \
        set_compared(w, op, mask, bits);                                                           \
    }

#define SHAPE_PUN(id, td, ts, expr)                                                                \
    FN(id##_some)                                                                                  \
    {                                                                                              \
        uint32_t a = warp_pred(w, (uint16_t)op->a);                                                \
        warp_set_pred(w, op->pdst, expr, mask);                                                    \
    }
#define SHAPE_PBIN(id, td, ts, expr)                                                               \
    FN(id##_some)                                                                                  \
    {                                                                                              \
        uint32_t a = warp_pred(w, (uint16_t)op->a), b = warp_pred(w, (uint16_t)op->b);             \
        warp_set_pred(w, op->pdst, expr, mask);                                                    \
    }

/* Integer division: a zero divisor in an active lane is counted and may be a fault. */
#define SHAPE_DIVIDE(id, td, ts, expr)                                                             \
    FN(id##_some)                                                                                  \
    {                                                                                              \
        DST(td);                                                                                   \
        SRC(pa, ts, op->a);                                                                        \
        SRC(pb, ts, op->b);                                                                        \
        uint32_t zeros = 0;                                                                        \
        for (uint32_t i = 0; i < WARP_LANES; i++) {                                                \
            GET(a, ts, pa);                                                                        \
            GET(b, ts, pb);                                                                        \
            zeros |= b == 0 ? 1u << i : 0;                                                         \
            WRITE_SOME(td, expr);                                                                  \
        }                                                                                          \
        if (zeros & mask)                                                                          \
            emu_divided_by_zero(w, zeros &mask);                                                   \
    }

/* Extended-precision arithmetic: the carry flag is one bit per lane. */
#define CARRY_BODY(td, ts, reads, expr)                                                            \
    DST(td);                                                                                       \
    SRC(pa, ts, op->a);                                                                            \
    SRC(pb, ts, op->b);                                                                            \
    uint32_t out = 0;                                                                              \
    for (uint32_t i = 0; i < WARP_LANES; i++) {                                                    \
        uint32_t carry = 0, carry_in = w->cc >> i & 1;                                             \
        (void)carry_in;                                                                            \
        reads;                                                                                     \
        WRITE_SOME(td, expr);                                                                      \
        out |= carry << i;                                                                         \
    }                                                                                              \
    if (op->flags & OP_SETS_CC)                                                                    \
        w->cc = (w->cc & ~mask) | (out & mask);
#define SHAPE_CARRY(id, td, ts, expr)                                                              \
    FN(id##_some)                                                                                  \
    {                                                                                              \
        CARRY_BODY(td, ts, GET(a, ts, pa) SEMI GET(b, ts, pb), expr)                               \
    }
#define SHAPE_CARRY3(id, td, ts, expr)                                                             \
    FN(id##_some)                                                                                  \
    {                                                                                              \
        SRC(pc, ts, op->c);                                                                        \
        CARRY_BODY(td, ts, GET(a, ts, pa) SEMI GET(b, ts, pb) SEMI GET(c, ts, pc), expr)           \
    }

#define SHAPE_CUSTOM(id, td, ts, expr)
#define SHAPE_CTRL(id, td, ts, expr)
#define SHAPE_VEC(id, td, ts, expr)
#define EXEC(id, inst, types, mods, shape, td, ts, expr) SHAPE_##shape(id, td, ts, expr)
#include "ptx/isa.def"

#define ENTRY_TWO(id)      [EXEC_##id] = {id##_some, id##_all},
#define ENTRY_ONE(id)      [EXEC_##id] = {id##_some, id##_some},
#define ENTRY_UN(id)       ENTRY_TWO(id)
#define ENTRY_CVTB(id)     ENTRY_TWO(id)
#define ENTRY_BIN(id)      ENTRY_TWO(id)
#define ENTRY_SHIFT(id)    ENTRY_TWO(id)
#define ENTRY_TER(id)      ENTRY_TWO(id)
#define ENTRY_TERW(id)     ENTRY_TWO(id)
#define ENTRY_TER64_32(id) ENTRY_TWO(id)
#define ENTRY_SELP(id)     ENTRY_TWO(id)
#define ENTRY_SETP(id)     ENTRY_ONE(id)
#define ENTRY_PUN(id)      ENTRY_ONE(id)
#define ENTRY_PBIN(id)     ENTRY_ONE(id)
#define ENTRY_DIVIDE(id)   ENTRY_ONE(id)
#define ENTRY_CARRY(id)    ENTRY_ONE(id)
#define ENTRY_CARRY3(id)   ENTRY_ONE(id)
#define ENTRY_CUSTOM(id)
#define ENTRY_CTRL(id)
#define ENTRY_VEC(id)

const vec_table VEC_NAME(vec_alu) = {
#define EXEC(id, inst, types, mods, shape, td, ts, expr) ENTRY_##shape(id)
#include "ptx/isa.def"
};
