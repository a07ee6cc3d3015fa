/* Operations across the lanes of a warp: votes, shuffles, matches, reductions. MODEL: lanes that
 * are not active take no part, whatever a .sync member mask says: the SIMT stack has brought
 * together all lanes that can come. */
#include "emu/vec.h"

#define FN(id) void emu_x_##id(struct emu_warp *w, const struct op *op, uint32_t mask)
#define EACH_LANE(i, mask)                                                                         \
    for (uint32_t m_ = (mask), i; m_ && (i = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

static void put_all(struct emu_warp *w, const struct op *op, uint32_t mask, uint32_t v)
{
    uint32_t *d = warp_row(w, op->dst);
    EACH_LANE(i, mask) d[i] = v;
}

FN(VOTE_ANY)
{
    uint32_t yes = warp_pred(w, op->psrc) & mask;
    uint32_t result = 0;
    switch (op->sub) {
    case PTX_MOD_VOTE_ALL:
        result = yes == mask ? ~0u : 0;
        break;
    case PTX_MOD_VOTE_ANY:
        result = yes ? ~0u : 0;
        break;
    case PTX_MOD_VOTE_UNI:
        result = yes == mask || !yes ? ~0u : 0;
        break;
    default: /* ballot */
        put_all(w, op, mask, yes);
        return;
    }
    warp_set_pred(w, op->pdst, result, mask);
}

FN(ACTIVEMASK)
{
    put_all(w, op, mask, mask);
}

/* The lane a shuffle reads from, and whether it lies in range (PTX ISA, shfl). */
static bool shuffle_source(uint8_t mode, uint32_t lane, uint32_t b, uint32_t c, uint32_t *from)
{
    uint32_t distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    uint32_t max_lane = (lane & segment) | (clamp & ~segment);
    uint32_t min_lane = lane & segment;
    int32_t j;
    bool in_range;
    switch (mode) {
    case PTX_MOD_SHFL_UP:
        j = (int32_t)lane - (int32_t)distance;
        in_range = j >= (int32_t)max_lane;
        break;
    case PTX_MOD_SHFL_DOWN:
        j = (int32_t)(lane + distance);
        in_range = j <= (int32_t)max_lane;
        break;
    case PTX_MOD_SHFL_BFLY:
        j = (int32_t)(lane ^ distance);
        in_range = j <= (int32_t)max_lane;
        break;
    default: /* idx */
        j = (int32_t)(min_lane | (distance & ~segment));
        in_range = j <= (int32_t)max_lane;
    }
    *from = in_range ? (uint32_t)j : lane;
    return in_range;
}

FN(SHFL_ANY)
{
    const uint32_t *a = warp_row(w, op->a), *b = warp_row(w, op->b), *c = warp_row(w, op->c);
    uint32_t *d = warp_row(w, op->dst), result[WARP_LANES], ranges = 0;
    EACH_LANE(i, mask)
    {
        uint32_t from;
        bool in_range = shuffle_source(op->sub, i, b[i], c[i], &from);
        ranges |= (uint32_t)in_range << i;
        result[i] = a[from & 31];
    }
    EACH_LANE(i, mask) d[i] = result[i];
    warp_set_pred(w, op->pdst, ranges, mask);
}

FN(MATCH_ANY)
{
    uint64_t value[WARP_LANES];
    const void *row = warp_row(w, op->a);
    bool wide = op->flags & OP_SRC64;
    EACH_LANE(i, mask)
    value[i] = wide ? ((const uint64_t *)row)[i] : ((const uint32_t *)row)[i];
    uint32_t *d = warp_row(w, op->dst);
    EACH_LANE(i, mask)
    {
        uint32_t same = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t k = (uint32_t)__builtin_ctz(m);
            same |= (uint32_t)(value[k] == value[i]) << k;
        }
        if (op->sub == PTX_MOD_MATCH_ALL) {
            warp_set_pred(w, op->pdst, same == mask ? ~0u : 0, 1u << i);
            same = same == mask ? mask : 0;
        }
        d[i] = same;
    }
}

FN(REDUX_ANY)
{
    const uint32_t *a = warp_row(w, op->a);
    bool is_signed = op->type == PTX_S32;
    uint32_t r = a[__builtin_ctz(mask)];
    EACH_LANE(i, mask & (mask - 1))
    {
        uint32_t v = a[i];
        bool less = is_signed ? (int32_t)v < (int32_t)r : v < r;
        switch (op->sub) {
        case PTX_MOD_REDUX_ADD:
            r += v;
            break;
        case PTX_MOD_REDUX_MIN:
            r = less ? v : r;
            break;
        case PTX_MOD_REDUX_MAX:
            r = less ? r : v;
            break;
        case PTX_MOD_REDUX_AND:
            r &= v;
            break;
        case PTX_MOD_REDUX_OR:
            r |= v;
            break;
        default:
            r ^= v;
        }
    }
    put_all(w, op, mask, r);
}
