/* Reads what stream_write.c writes. Whatever the bytes are, every answer is one that the emulator
 * could have given (lanes are within the mask, numbers are in range), or the stream has failed. */
#include "trace/stream.h"

static void fail(struct stream_reader *r)
{
    r->failed = true;
    r->n_expected = UINT64_MAX; /* nothing more is read */
    r->in.at = r->in.end;
}

/* Reads the count of predicted answers that follows an unpredicted one, or begins a piece. */
static void next_run(struct stream_reader *r)
{
    r->n_expected = cursor_get_limited(&r->in, r->most);
    if (r->in.bad)
        fail(r);
}

void stream_read_begin(struct stream_reader *r)
{
    model_begin(&r->model);
    r->in = (struct cursor){0};
    r->failed = false;
    r->n_expected = 0;
}

/* True if the next answer is as predicted. Otherwise read it and call answer_end(). */
static inline bool is_expected(struct stream_reader *r)
{
    while (!r->n_expected) {
        if (r->in.at < r->in.end)
            return false;
        if (r->refill(r))
            next_run(r);
        else
            fail(r);
    }
    r->n_expected--;
    return true;
}

static void answer_end(struct stream_reader *r)
{
    if (r->in.bad)
        fail(r);
    else
        next_run(r);
}

bool stream_read_is_over(struct stream_reader *r)
{
    while (!r->failed && !r->n_expected && r->in.at == r->in.end) {
        if (!r->refill(r))
            return true;
        next_run(r);
    }
    return false;
}

/* --- bits --- */

struct bit_reader {
    struct cursor *in;
    uint64_t pending;
    uint32_t n;
};

static uint64_t get_bits(struct bit_reader *b, uint32_t n)
{
    if (n > 32) {
        uint64_t low = get_bits(b, 32);
        return low | get_bits(b, n - 32) << 32;
    }
    for (; b->n < n; b->n += 8)
        b->pending |= (uint64_t)cursor_get_byte(b->in) << b->n;
    uint64_t v = b->pending & ((1ull << n) - 1);
    b->pending >>= n;
    b->n -= n;
    return v;
}

static uint32_t get_lanes(struct cursor *in, uint32_t of)
{
    switch (cursor_get_byte(in)) {
    case LANES_ALL:
        return of;
    case LANES_NONE:
        return 0;
    case LANES_SOME:
        break;
    default:
        in->bad = true;
        return 0;
    }
    struct bit_reader b = {.in = in};
    uint32_t lanes = 0;
    for (; of; of &= of - 1)
        lanes |= (uint32_t)get_bits(&b, 1) << __builtin_ctz(of);
    return lanes;
}

uint32_t stream_read_guard(struct stream_reader *r, const struct op *op, uint32_t pc,
                           uint32_t active)
{
    struct guard_state *g = model_guard(&r->model, op, pc);
    uint32_t mask = g->lanes & active;
    if (!is_expected(r)) {
        mask = get_lanes(&r->in, active);
        answer_end(r);
    }
    guard_learn(g, active, mask);
    return mask;
}

/* --- addresses --- */

static void read_grid(struct stream_reader *r, struct address_state *s, uint32_t first,
                      uint32_t log_row)
{
    uint64_t address = r->model.last_address + cursor_get_signed(&r->in);
    uint64_t stride = cursor_get_signed(&r->in),
             pitch = log_row < 5 ? cursor_get_signed(&r->in) : 0;
    uint32_t columns = (1u << log_row) - 1;
    address_learn_step(s, address - s->address[first]);
    uint64_t base = address - stride * (first & columns) - pitch * (first >> log_row);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        s->address[i] = base + stride * (i & columns) + pitch * (i >> log_row);
}

static void read_like(struct stream_reader *r, struct address_state *s, uint32_t first, uint32_t k)
{
    const struct address_state *like = k < MODEL_RECENT ? r->model.recent[k] : NULL;
    uint64_t address = r->model.last_address + cursor_get_signed(&r->in);
    if (!like || like == s) {
        r->in.bad = true;
        return;
    }
    address_learn_step(s, address - s->address[first]);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        s->address[i] = address_like(s, like, i, first, address);
}

static void read_distances(struct stream_reader *r, struct address_state *s, uint32_t mask,
                           bool moved)
{
    uint64_t least = cursor_get_signed(&r->in);
    uint32_t bits = cursor_get_byte(&r->in);
    if (bits > 64) {
        r->in.bad = true;
        return;
    }
    if (!moved)
        least += r->model.last_address;
    struct bit_reader b = {.in = &r->in};
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        uint64_t v = least + get_bits(&b, bits) * s->unit;
        s->address[i] = moved ? s->address[i] + v : v;
    }
    model_remember(&r->model, s);
}

static void read_gaps(struct stream_reader *r, struct address_state *s, uint32_t mask)
{
    uint64_t address = r->model.last_address + cursor_get_signed(&r->in);
    uint32_t low = cursor_get_byte(&r->in);
    struct bit_reader b = {.in = &r->in};
    if (low > MAX_GAP_BITS) {
        r->in.bad = true;
        return;
    }
    s->address[__builtin_ctz(mask)] = address;
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        uint64_t gap = 0;
        while (get_bits(&b, 1)) /* past the end there are only zeros */
            gap++;
        gap = gap << low | get_bits(&b, low);
        address += gap * s->unit;
        s->address[__builtin_ctz(m)] = address;
    }
}

static void read_step(struct stream_reader *r, struct address_state *s)
{
    uint64_t delta = cursor_get_signed(&r->in);
    address_learn_step(s, delta);
    for (uint32_t i = 0; i < WARP_LANES; i++)
        s->address[i] += delta;
}

static void read_surprise(struct stream_reader *r, struct address_state *s, uint32_t mask)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask), byte = cursor_get_byte(&r->in);
    uint32_t argument = byte >> ADDRESS_FORM_BITS;
    switch (byte & ((1 << ADDRESS_FORM_BITS) - 1)) {
    case ADDRESS_STEP:
        read_step(r, s);
        break;
    case ADDRESS_GRID:
        read_grid(r, s, first, argument & 7);
        break;
    case ADDRESS_LIKE:
        read_like(r, s, first, argument);
        break;
    case ADDRESS_APART:
        read_distances(r, s, mask, false);
        break;
    case ADDRESS_MOVED:
        read_distances(r, s, mask, true);
        break;
    case ADDRESS_SORTED:
        read_gaps(r, s, mask);
        break;
    default:
        r->in.bad = true;
    }
    r->model.last_address = s->address[first];
    answer_end(r);
}

const uint64_t *stream_read_address(struct stream_reader *r, uint32_t pc, uint32_t mask)
{
    struct address_state *s = model_address(&r->model, &r->model.ops->ops[pc]);
    if (is_expected(r))
        address_advance(&r->model, s, mask);
    else
        read_surprise(r, s, mask);
    s->n_seen += s->n_seen < 2;
    return s->address;
}

/* --- the rest --- */

uint64_t stream_read_value(struct stream_reader *r, uint32_t pc, uint32_t mask, uint32_t *lanes)
{
    struct value_state *v = model_value(&r->model, &r->model.ops->ops[pc]);
    *lanes = mask;
    if (!is_expected(r)) {
        v->value = cursor_get_varint(&r->in);
        *lanes = get_lanes(&r->in, mask);
        answer_end(r);
    }
    return v->value;
}

uint32_t stream_read_zeros(struct stream_reader *r)
{
    if (is_expected(r))
        return 0;
    uint32_t n = (uint32_t)cursor_get_limited(&r->in, WARP_LANES);
    answer_end(r);
    return n;
}

const char *stream_read_text(struct stream_reader *r, size_t *n)
{
    *n = 0;
    if (is_expected(r))
        return NULL;
    uint64_t len = cursor_get_varint(&r->in);
    const uint8_t *text = cursor_get_raw(&r->in, len);
    *n = text ? len : 0;
    answer_end(r);
    return (const char *)text;
}
