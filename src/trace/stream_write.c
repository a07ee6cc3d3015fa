#include <stdlib.h>
#include <string.h>

#include "trace/stream.h"

static void begin_answer(struct stream_writer *w)
{
    bytes_put_varint(&w->out, w->n_expected);
    w->n_expected = 0;
}

void stream_write_piece_end(struct stream_writer *w)
{
    begin_answer(w);
}

/* --- bits: low ones first --- */

struct bit_writer {
    struct bytes *out;
    uint64_t pending;
    uint32_t n;
};

static void put_bits(struct bit_writer *b, uint64_t v, uint32_t n)
{
    for (; n > 32; n -= 32, v >>= 32)
        put_bits(b, v & 0xffffffff, 32);
    b->pending |= v << b->n;
    for (b->n += n; b->n >= 8; b->n -= 8, b->pending >>= 8)
        bytes_put_byte(b->out, (uint8_t)b->pending);
}

static void end_bits(struct bit_writer *b)
{
    if (b->n)
        bytes_put_byte(b->out, (uint8_t)b->pending);
}

static void put_lanes(struct bytes *out, uint32_t of, uint32_t lanes)
{
    if (lanes == of || !lanes) {
        bytes_put_byte(out, lanes ? LANES_ALL : LANES_NONE);
        return;
    }
    struct bit_writer b = {.out = out};
    bytes_put_byte(out, LANES_SOME);
    for (; of; of &= of - 1)
        put_bits(&b, lanes >> __builtin_ctz(of) & 1, 1);
    end_bits(&b);
}

void stream_write_guard(struct stream_writer *w, const struct op *op, uint32_t pc, uint32_t active,
                        uint32_t mask)
{
    struct guard_state *g = model_guard(&w->model, op, pc);
    if ((g->lanes & active) == mask) {
        w->n_expected++;
    } else {
        begin_answer(w);
        put_lanes(&w->out, active, mask);
    }
    guard_learn(g, active, mask);
}

/* --- addresses --- */

static bool moved_by(const struct address_state *s, uint32_t mask, const uint64_t *address,
                     uint64_t delta)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        if (address[i] - s->address[i] != delta)
            return false;
    }
    return true;
}

struct grid {
    uint32_t log_row; /* log2 of the lanes per row */
    uint64_t stride, pitch;
};

static uint64_t grid_offset(const struct grid *g, uint32_t lane)
{
    uint32_t row = lane >> g->log_row, column = lane & ((1u << g->log_row) - 1);
    return g->stride * column + g->pitch * row;
}

/* Derives the step from two lanes: `n` steps lead from one address to the other. */
static bool find_step(uint64_t from, uint64_t to, uint32_t n, uint64_t *step)
{
    int64_t apart = (int64_t)(to - from);
    *step = (uint64_t)(apart / (int64_t)n);
    return apart % (int64_t)n == 0;
}

/* Are the lanes arranged in a grid with rows of that length? */
static bool fit_grid(struct grid *g, uint32_t mask, const uint64_t *address)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask), n = 1u << g->log_row;
    uint32_t row = mask & (n == 32 ? ~0u : ((1u << n) - 1) << (first / n * n));
    uint32_t in_row = row & (row - 1), beyond = mask & ~row;
    g->stride = g->pitch = 0;
    if (in_row) {
        uint32_t i = (uint32_t)__builtin_ctz(in_row);
        if (!find_step(address[first], address[i], i - first, &g->stride))
            return false;
    }
    if (beyond) {
        uint32_t i = (uint32_t)__builtin_ctz(beyond);
        uint64_t column = g->stride * (i % n) - g->stride * (first % n);
        if (!find_step(address[first], address[i] - column, i / n - first / n, &g->pitch))
            return false;
    }
    uint64_t base = address[first] - grid_offset(g, first);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        if (address[i] != base + grid_offset(g, i))
            return false;
    }
    return true;
}

static bool write_grid(struct stream_writer *w, struct address_state *s, uint32_t mask,
                       const uint64_t *address)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    for (uint32_t log_row = 5; log_row >= 1; log_row--) {
        struct grid g = {.log_row = log_row};
        if (!fit_grid(&g, mask, address))
            continue;
        bytes_put_byte(&w->out, (uint8_t)(ADDRESS_GRID | log_row << ADDRESS_FORM_BITS));
        bytes_put_signed(&w->out, address[first] - w->model.last_address);
        bytes_put_signed(&w->out, g.stride);
        if (log_row < 5)
            bytes_put_signed(&w->out, g.pitch);
        address_learn_step(s, address[first] - s->address[first]);
        uint64_t base = address[first] - grid_offset(&g, first);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            s->address[i] = base + grid_offset(&g, i);
        return true;
    }
    return false;
}

static bool lie_like(const struct address_state *s, const struct address_state *like, uint32_t mask,
                     const uint64_t *address)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        if (address[i] != address_like(s, like, i, first, address[first]))
            return false;
    }
    return true;
}

static bool write_like(struct stream_writer *w, struct address_state *s, uint32_t mask,
                       const uint64_t *address)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    for (uint32_t k = 0; k < MODEL_RECENT && w->model.recent[k]; k++) {
        const struct address_state *like = w->model.recent[k];
        if (like == s || !lie_like(s, like, mask, address))
            continue;
        bytes_put_byte(&w->out, (uint8_t)(ADDRESS_LIKE | k << ADDRESS_FORM_BITS));
        bytes_put_signed(&w->out, address[first] - w->model.last_address);
        address_learn_step(s, address[first] - s->address[first]);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            s->address[i] = address_like(s, like, i, first, address[first]);
        return true;
    }
    return false;
}

/* Distances of the lanes of a mask from the lowest address. */
struct distances {
    uint64_t least, v[WARP_LANES];
    uint32_t n, bits; /* more than 64: they are not multiples of the unit */
};

static void find_distances(struct distances *d, uint32_t mask, const uint64_t *address,
                           const uint64_t *from, uint32_t unit)
{
    int64_t least = INT64_MAX;
    uint64_t all = 0;
    d->n = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        int64_t v = (int64_t)(address[i] - (from ? from[i] : 0));
        d->v[d->n++] = (uint64_t)v;
        least = v < least ? v : least;
    }
    bool is_exact = true;
    for (uint32_t k = 0; k < d->n; k++) {
        uint64_t v = d->v[k] - (uint64_t)least;
        is_exact &= v % unit == 0;
        d->v[k] = v / unit;
        all |= d->v[k];
    }
    d->least = (uint64_t)least;
    d->bits = !is_exact ? UINT32_MAX : all ? 64 - (uint32_t)__builtin_clzll(all) : 0;
}

/* Sorted distances, encoded as the gaps between them: the upper part of each gap in unary, the
 * lower `low` bits in binary (Rice code). */
struct gaps {
    uint64_t v[WARP_LANES];
    uint32_t n, low;
    uint64_t bits;
};

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void find_gaps(struct gaps *g, const struct distances *d)
{
    uint64_t sorted[WARP_LANES];
    memcpy(sorted, d->v, d->n * sizeof *sorted);
    qsort(sorted, d->n, sizeof *sorted, compare_u64);
    g->n = d->n - 1;
    g->bits = UINT64_MAX;
    for (uint32_t i = 0; i < g->n; i++)
        g->v[i] = sorted[i + 1] - sorted[i];
    for (uint32_t low = 0; low <= MAX_GAP_BITS; low++) {
        uint64_t bits = (uint64_t)g->n * (low + 1);
        for (uint32_t i = 0; i < g->n; i++)
            bits += g->v[i] >> low;
        if (bits < g->bits) {
            g->bits = bits;
            g->low = low;
        }
    }
}

static void write_gaps(struct stream_writer *w, struct address_state *s, uint32_t mask,
                       uint64_t least, const struct gaps *g)
{
    struct bit_writer b = {.out = &w->out};
    bytes_put_byte(&w->out, ADDRESS_SORTED);
    bytes_put_signed(&w->out, least - w->model.last_address);
    bytes_put_byte(&w->out, (uint8_t)g->low);
    uint64_t address = s->address[__builtin_ctz(mask)] = least;
    uint32_t lanes = mask & (mask - 1);
    for (uint32_t i = 0; i < g->n; i++, lanes &= lanes - 1) {
        for (uint64_t q = g->v[i] >> g->low; q; q--)
            put_bits(&b, 1, 1);
        put_bits(&b, 0, 1);
        put_bits(&b, g->v[i] & ((1ull << g->low) - 1), g->low);
        address += g->v[i] * s->unit;
        s->address[__builtin_ctz(lanes)] = address;
    }
    end_bits(&b);
}

static void write_distances(struct stream_writer *w, struct address_state *s, uint32_t mask,
                            const uint64_t *address, bool any_order)
{
    struct distances apart, moved;
    struct gaps gaps;
    find_distances(&apart, mask, address, NULL, s->unit);
    find_distances(&moved, mask, address, s->address, s->unit);
    if (any_order) {
        find_gaps(&gaps, &apart);
        if (gaps.bits < (uint64_t)apart.n * apart.bits) {
            write_gaps(w, s, mask, apart.least, &gaps);
            return;
        }
    }
    bool use_moved = s->n_seen && moved.bits < apart.bits;
    const struct distances *d = use_moved ? &moved : &apart;
    bytes_put_byte(&w->out, use_moved ? ADDRESS_MOVED : ADDRESS_APART);
    bytes_put_signed(&w->out, use_moved ? d->least : d->least - w->model.last_address);
    bytes_put_byte(&w->out, (uint8_t)d->bits);
    struct bit_writer b = {.out = &w->out};
    for (uint32_t k = 0; k < d->n; k++)
        put_bits(&b, d->v[k], d->bits);
    end_bits(&b);
    for (uint32_t m = mask; m; m &= m - 1)
        s->address[__builtin_ctz(m)] = address[__builtin_ctz(m)];
    model_remember(&w->model, s);
}

static void write_surprise(struct stream_writer *w, struct address_state *s, uint32_t mask,
                           const uint64_t *address, bool any_order)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    uint64_t delta = address[first] - s->address[first];
    begin_answer(w);
    if (s->n_seen && moved_by(s, mask, address, delta)) {
        bytes_put_byte(&w->out, ADDRESS_STEP);
        bytes_put_signed(&w->out, delta);
        address_learn_step(s, delta);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            s->address[i] += delta;
    } else if (!write_grid(w, s, mask, address) && !write_like(w, s, mask, address)) {
        write_distances(w, s, mask, address, any_order);
    }
    w->model.last_address = s->address[first];
}

void stream_write_address(struct stream_writer *w, uint32_t pc, uint32_t mask,
                          const uint64_t *address)
{
    const struct trace_op *t = &w->model.ops->ops[pc];
    struct address_state *s = model_address(&w->model, t);
    if (s->n_seen && moved_by(s, mask, address, s->step)) {
        w->n_expected++;
        address_advance(&w->model, s, mask);
    } else {
        write_surprise(w, s, mask, address, t->any_order);
    }
    s->n_seen += s->n_seen < 2;
}

/* --- the rest --- */

void stream_write_value(struct stream_writer *w, uint32_t pc, uint32_t mask, uint64_t value,
                        uint32_t lanes)
{
    struct value_state *v = model_value(&w->model, &w->model.ops->ops[pc]);
    if (v->value == value && lanes == mask) {
        w->n_expected++;
        return;
    }
    begin_answer(w);
    bytes_put_varint(&w->out, value);
    put_lanes(&w->out, mask, lanes);
    v->value = value;
}

void stream_write_zeros(struct stream_writer *w, uint32_t n)
{
    if (!n) {
        w->n_expected++;
        return;
    }
    begin_answer(w);
    bytes_put_varint(&w->out, n);
}

void stream_write_text(struct stream_writer *w, const char *text, size_t n)
{
    if (!n) {
        w->n_expected++;
        return;
    }
    begin_answer(w);
    bytes_put_text(&w->out, text, n);
}
