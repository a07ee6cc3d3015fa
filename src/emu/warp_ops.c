/* Operations across the lanes of a warp: votes, shuffles, matches, reductions. With .sync each lane
 * names the lanes it works with; groups that name different lanes do not see each other. MODEL:
 * named but inactive lanes do not take part in a .sync operation: the SIMT stack has reconverged
 * all lanes that can. */
#include <string.h>

#include "emu/vec.h"

#define FN(id) void emu_x_##id(struct emu_warp *w, const struct op *op, uint32_t mask)
#define EACH_LANE(i, mask)                                                                         \
    for (uint32_t m_ = (mask), i; m_ && (i = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

static uint32_t vote(uint8_t kind, uint32_t yes, uint32_t members)
{
    switch (kind) {
    case PTX_MOD_VOTE_ALL:
        return yes == members;
    case PTX_MOD_VOTE_ANY:
        return yes != 0;
    case PTX_MOD_VOTE_UNI:
        return yes == members || !yes;
    default: /* ballot */
        return yes;
    }
}

FN(VOTE_ANY)
{
    const uint32_t *named = warp_row(w, op->c);
    uint32_t yes = warp_pred(w, op->psrc) & mask, *d = warp_row(w, op->dst), bits = 0;
    bool ballot = op->sub == PTX_MOD_VOTE_BALLOT;
    EACH_LANE(i, mask)
    {
        uint32_t members = named[i] & mask;
        uint32_t result = vote(op->sub, yes & members, members);
        if (ballot)
            d[i] = result;
        bits |= (result & 1) << i;
    }
    if (!ballot)
        warp_set_pred(w, op->pdst, bits, mask);
}

FN(ACTIVEMASK)
{
    uint32_t *d = warp_row(w, op->dst);
    EACH_LANE(i, mask) d[i] = mask;
}

/* The lane that a shuffle reads from, and whether it is in range (PTX ISA, shfl). */
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
    const uint32_t *named = warp_row(w, op->c);
    bool wide = op->flags & OP_SRC64;
    EACH_LANE(i, mask)
    value[i] = wide ? ((const uint64_t *)row)[i] : ((const uint32_t *)row)[i];
    uint32_t *d = warp_row(w, op->dst);
    EACH_LANE(i, mask)
    {
        uint32_t same = 0, members = named[i] & mask;
        for (uint32_t m = members; m; m &= m - 1) {
            uint32_t k = (uint32_t)__builtin_ctz(m);
            same |= (uint32_t)(value[k] == value[i]) << k;
        }
        if (op->sub == PTX_MOD_MATCH_ALL) {
            warp_set_pred(w, op->pdst, same == members ? ~0u : 0, 1u << i);
            same = same == members ? members : 0;
        }
        d[i] = same;
    }
}

static uint32_t reduce(const struct op *op, uint32_t r, uint32_t v)
{
    bool less = op->type == PTX_S32 ? (int32_t)v < (int32_t)r : v < r;
    switch (op->sub) {
    case PTX_MOD_REDUX_ADD:
        return r + v;
    case PTX_MOD_REDUX_MIN:
        return less ? v : r;
    case PTX_MOD_REDUX_MAX:
        return less ? r : v;
    case PTX_MOD_REDUX_AND:
        return r & v;
    case PTX_MOD_REDUX_OR:
        return r | v;
    default:
        return r ^ v;
    }
}

FN(REDUX_ANY)
{
    uint32_t a[WARP_LANES], *d = warp_row(w, op->dst);
    const uint32_t *named = warp_row(w, op->b);
    memcpy(a, warp_row(w, op->a), sizeof a); /* it may also be the destination */
    EACH_LANE(i, mask)
    {
        uint32_t members = named[i] & mask, r = a[i];
        for (uint32_t m = members & ~(1u << i); m; m &= m - 1)
            r = reduce(op, r, a[__builtin_ctz(m)]);
        d[i] = r;
    }
}
