/* Streams hold whatever is put into them: random walks through the questions of a small program,
 * answered by chance and by patterns that the model knows, come back as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/random_bits.h"
#include "trace/stream.h"

enum { N_OPS = 12, N_STEPS = 4000, MAX_PIECES = 64 };

/* Operations that ask one thing each: 0-3 a guard, 4-9 addresses, 10 a value, 11 zeros. */
static struct trace_op ops[N_OPS];
static struct op code[N_OPS];
static struct trace_ops table = {
    .ops = ops, .n_ops = N_OPS, .n_guards = 4, .n_addresses = 6, .n_values = 1};

static void make_program(void)
{
    static const uint8_t units[] = {4, 1, 8, 16, 4, 4};
    for (uint32_t i = 0; i < 4; i++) {
        ops[i] = (struct trace_op){.asks = ASK_GUARD, .guard = i};
        code[i] = (struct op){.klass = PTX_CLASS_BRANCH, .imm = i % 2 ? 100 : 0};
    }
    for (uint32_t i = 0; i < 6; i++)
        ops[4 + i] = (struct trace_op){
            .asks = ASK_ADDRESS, .state = i, .unit = units[i], .any_order = i == 5};
    ops[10] = (struct trace_op){.asks = ASK_TARGET};
    ops[11] = (struct trace_op){.asks = ASK_ZEROS};
}

struct step {
    uint32_t pc, active, mask, zeros;
    uint64_t value;
    uint64_t address[WARP_LANES];
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
    return (uint32_t)(random_u64(seed) % n);
}

static uint32_t some_lanes(uint64_t *seed)
{
    uint32_t lanes = (uint32_t)random_u64(seed);
    switch (random_u64(seed) % 4) {
    case 0:
        return ~0u;
    case 1:
        return lanes & (uint32_t)random_u64(seed);
    case 2:
        return 1u << lanes % 32;
    default:
        return lanes;
    }
}

/* Addresses in the shapes kernels have, and in none. */
static void make_addresses(struct step *s, const struct step *last, uint64_t *seed)
{
    uint64_t unit = ops[s->pc].unit, base = random_u64(seed) % (1ull << 40) / unit * unit;
    uint64_t stride = random_u64(seed) % 64 * unit, pitch = random_u64(seed) % 4096 * unit;
    uint32_t shape = below(seed, 6), row = 1u << random_u64(seed) % 6;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint64_t random = random_u64(seed) % (1ull << (8 + shape * 8)) * unit;
        switch (shape) {
        case 0: /* everything moves on */
            s->address[i] = last->address[i] + 4 * unit;
            break;
        case 1:
            s->address[i] = base + stride * (i % row) + pitch * (i / row);
            break;
        case 2:
            s->address[i] = base + (last->address[i] - last->address[0]) / unit * unit;
            break;
        default:
            s->address[i] = base + random;
        }
    }
}

/* The last step at the same place, or one of zeros. */
static const struct step *last_at(const struct step *steps, uint32_t i, uint32_t pc)
{
    static const struct step nothing;
    while (i-- > 0)
        if (steps[i].pc == pc)
            return &steps[i];
    return &nothing;
}

static void make_step(struct step *steps, uint32_t i, uint64_t *seed)
{
    struct step *s = &steps[i];
    s->pc = below(seed, N_OPS);
    do
        s->active = some_lanes(seed);
    while (!s->active);
    do
        s->mask = s->active & some_lanes(seed);
    while (!s->mask && ops[s->pc].asks != ASK_GUARD);
    s->zeros = below(seed, 8) ? 0 : below(seed, 33);
    s->value = random_u64(seed) % 3 ? 7 : random_u64(seed);
    if (ops[s->pc].asks == ASK_ADDRESS)
        make_addresses(s, last_at(steps, i, s->pc), seed);
}

static struct bytes pieces[MAX_PIECES];
static uint32_t n_pieces, next_piece;

static bool give_piece(struct stream_reader *r)
{
    if (next_piece == n_pieces)
        return false;
    const struct bytes *p = &pieces[next_piece++];
    r->in = (struct cursor){p->data, p->data + p->n, false};
    return true;
}

static void write_step(struct stream_writer *w, const struct step *s)
{
    if (ops[s->pc].asks == ASK_GUARD)
        stream_write_guard(w, &code[s->pc], s->pc, s->active, s->mask);
    else if (ops[s->pc].asks == ASK_ADDRESS)
        stream_write_address(w, s->pc, s->mask, s->address);
    else if (ops[s->pc].asks == ASK_TARGET)
        stream_write_value(w, s->pc, s->active, s->value, s->mask);
    else
        stream_write_zeros(w, s->zeros);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The addresses of the mask, sorted where only that is promised. */
static uint32_t collect(const uint64_t *address, uint32_t mask, bool sorted, uint64_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++)
        if (mask >> i & 1)
            out[n++] = address[i];
    if (sorted)
        qsort(out, n, sizeof *out, by_value);
    return n;
}

static void check_step(struct stream_reader *r, const struct step *s)
{
    uint64_t wanted[WARP_LANES], got[WARP_LANES];
    uint32_t lanes;
    if (ops[s->pc].asks == ASK_GUARD) {
        assert_int_equal(stream_read_guard(r, &code[s->pc], s->pc, s->active), s->mask);
    } else if (ops[s->pc].asks == ASK_ADDRESS) {
        bool sorted = ops[s->pc].any_order;
        uint32_t n = collect(s->address, s->mask, sorted, wanted);
        collect(stream_read_address(r, s->pc, s->mask), s->mask, sorted, got);
        assert_memory_equal(wanted, got, n * sizeof *wanted);
    } else if (ops[s->pc].asks == ASK_TARGET) {
        assert_true(stream_read_value(r, s->pc, s->active, &lanes) == s->value);
        assert_int_equal(lanes, s->mask);
    } else {
        assert_int_equal(stream_read_zeros(r), s->zeros);
    }
    assert_false(r->failed);
}

static void end_piece(struct stream_writer *w)
{
    stream_write_piece_end(w);
    pieces[n_pieces++] = w->out;
    w->out = (struct bytes){0};
}

static void walk(uint64_t seed, bool cut_off)
{
    struct stream_writer w = {0};
    struct stream_reader r = {.most = N_STEPS, .refill = give_piece};
    struct step *steps = calloc(N_STEPS, sizeof *steps);
    n_pieces = next_piece = 0;
    model_create(&w.model, &table);
    model_create(&r.model, &table);
    model_begin(&w.model);
    for (uint32_t i = 0; i < N_STEPS; i++) {
        make_step(steps, i, &seed);
        write_step(&w, &steps[i]);
        if (i % 100 == 99)
            end_piece(&w);
    }
    if (w.n_expected || w.out.n)
        end_piece(&w);
    n_pieces -= cut_off;
    stream_read_begin(&r);
    for (uint32_t i = 0; i < N_STEPS - (cut_off ? 100 : 0); i++)
        check_step(&r, &steps[i]);
    assert_true(stream_read_is_over(&r));
    if (cut_off) { /* asked for more than there is, it fails and keeps failing */
        stream_read_zeros(&r);
        assert_true(r.failed);
        assert_false(stream_read_is_over(&r));
    }
    n_pieces += cut_off;
    for (uint32_t i = 0; i < n_pieces; i++)
        free(pieces[i].data);
    model_destroy(&w.model);
    model_destroy(&r.model);
    free(steps);
}

static void streams_hold_what_is_put_into_them(void **state)
{
    (void)state;
    make_program();
    for (uint64_t seed = 1; seed <= 20; seed++)
        walk(seed * 77, false);
}

static void a_stream_that_ends_early_fails(void **state)
{
    (void)state;
    make_program();
    walk(5, true);
}

/* --- what regular kernels cost --- */

static void what_repeats_costs_nothing(void **state)
{
    struct stream_writer w = {0};
    uint64_t address[WARP_LANES];
    (void)state;
    make_program();
    model_create(&w.model, &table);
    model_begin(&w.model);
    for (uint32_t k = 0; k < 1000; k++) { /* a loop over a row: two surprises */
        for (uint32_t i = 0; i < WARP_LANES; i++)
            address[i] = 0x10000000 + 4 * i + 128 * k;
        stream_write_address(&w, 4, ~0u, address);
        stream_write_guard(&w, &code[0], 0, ~0u, ~0u); /* backward: expected to be taken */
    }
    stream_write_piece_end(&w);
    assert_true(w.out.n < 24);
    model_destroy(&w.model);
    free(w.out.data);
}

/* Example of doc/traces.md's table, by hand: form 1, row of 32 lanes (5 << 3 | 1), +0x100, 4. */
static void the_bytes_are_those_of_the_page(void **state)
{
    static const uint8_t expected[] = {0, 5 << 3 | 1, 0x80, 0x04, 8, /* a grid: base, stride */
                                       0, 0,          0x80, 0x02,    /* a step of 128 */
                                       1, 2,          0x05,          /* 1 expected, lanes 0 and 2 */
                                       0};
    struct stream_writer w = {0};
    uint64_t address[WARP_LANES];
    (void)state;
    make_program();
    model_create(&w.model, &table);
    model_begin(&w.model);
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < WARP_LANES; i++)
            address[i] = 0x100 + 4 * i + 128 * k;
        stream_write_address(&w, 4, ~0u, address);
    }
    stream_write_guard(&w, &code[1], 1, 7, 5);
    stream_write_piece_end(&w);
    assert_int_equal(w.out.n, sizeof expected);
    assert_memory_equal(w.out.data, expected, sizeof expected);
    model_destroy(&w.model);
    free(w.out.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_hold_what_is_put_into_them),
        cmocka_unit_test(a_stream_that_ends_early_fails),
        cmocka_unit_test(what_repeats_costs_nothing),
        cmocka_unit_test(the_bytes_are_those_of_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
