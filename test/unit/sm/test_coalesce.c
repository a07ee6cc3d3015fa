/* The coalescer against its definition, byte by byte: a line is requested by the lanes with a byte
 * in it, lines come in the order of their first lane. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sm/coalesce.h"
#include "unit/random_bits.h"

enum { N_RUNS = 400 };

struct accesses {
    struct line_access line[WARP_LANES];
    struct line_detail detail[WARP_LANES];
    uint32_t n;
};

/* One group of lanes, with nothing clever. */
static void naive_group(const uint64_t *address, uint32_t lanes, uint32_t bytes,
                        uint32_t line_bytes, struct accesses *out)
{
    uint32_t first = out->n;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        uint64_t line = address[lane] / line_bytes * line_bytes;
        uint32_t i = first;
        while (i < out->n && out->line[i].line != line)
            i++;
        if (i == out->n) {
            out->line[i] = (struct line_access){.line = line};
            out->detail[i] = (struct line_detail){.address = address[lane]};
            out->n++;
        }
        out->line[i].lanes |= 1u << lane;
        for (uint64_t at = address[lane] - line; at < address[lane] - line + bytes; at++) {
            out->detail[i].bytes[at / 64] |= 1ull << at % 64;
            out->line[i].segments |= 1u << at / SEGMENT_BYTES;
        }
    }
}

/* A full warp, if it is fast. Evenly spaced lanes take the special path for them, if there is one.
 */
static void coalescer(const uint64_t *address, uint32_t mask, uint32_t bytes, uint32_t line_bytes,
                      uint32_t group, bool fast, struct accesses *out)
{
    uint64_t step = address[1] - address[0];
    bool even = fast && step < 1ull << 32, run = !step || step == bytes;
    for (uint32_t i = 1; i < WARP_LANES; i++)
        even = even && address[i] - address[i - 1] == step;
    out->n = !fast          ? coalesce_by_lane(address, mask, line_bytes, group, out->line)
             : even && !run ? coalesce_strided(address, bytes, line_bytes, group, out->line)
                            : coalesce_warp(address, bytes, line_bytes, group, out->line);
    if (even && run)
        coalesce_describe_run(address[0], (uint32_t)step, bytes, line_bytes, out->line, out->n,
                              out->detail);
    else
        coalesce_describe(address, bytes, line_bytes, out->line, out->n, out->detail);
}

static void check(const uint64_t *address, uint32_t mask, uint32_t bytes, uint32_t line_bytes,
                  uint32_t group, bool fast)
{
    struct accesses want = {.n = 0}, got;
    for (uint32_t first = 0; first < WARP_LANES; first += group)
        naive_group(address, mask & (uint32_t)(((1ull << group) - 1) << first), bytes, line_bytes,
                    &want);
    coalescer(address, mask, bytes, line_bytes, group, fast, &got);
    assert_int_equal(got.n, want.n);
    for (uint32_t i = 0; i < want.n; i++) {
        assert_int_equal(got.line[i].line, want.line[i].line);
        assert_int_equal(got.line[i].lanes, want.line[i].lanes);
        assert_int_equal(got.line[i].segments, want.line[i].segments);
        assert_int_equal(got.detail[i].address, want.detail[i].address);
        assert_int_equal(got.detail[i].bytes[0], want.detail[i].bytes[0]);
        assert_int_equal(got.detail[i].bytes[1], want.detail[i].bytes[1]);
    }
}

/* For every width, line and group: with all lanes and with some. */
static void check_shapes(const uint64_t *address, uint32_t bytes, uint32_t some)
{
    for (uint32_t line_bytes = 32; line_bytes <= 128; line_bytes *= 2)
        for (uint32_t group = 8; group <= 32; group += 4) {
            check(address, ~0u, bytes, line_bytes, group, true);
            check(address, ~0u, bytes, line_bytes, group, false);
            check(address, some, bytes, line_bytes, group, false);
        }
}

static void lanes_side_by_side_or_at_one_place(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2)
        for (uint64_t start = 0; start < 160; start += bytes)
            for (uint32_t step = 0; step <= 2 * bytes; step += bytes) {
                uint64_t address[WARP_LANES];
                for (uint32_t i = 0; i < WARP_LANES; i++)
                    address[i] = 0x10000 + start + i * step;
                check_shapes(address, bytes, 0xffff0001u);
            }
}

/* The first and last lanes fit a simple shape, one lane in between does not. */
static void a_lane_out_of_line_is_seen(void **state)
{
    (void)state;
    for (uint32_t odd = 1; odd < WARP_LANES - 1; odd++)
        for (uint32_t step = 0; step <= 4; step += 4) {
            uint64_t address[WARP_LANES];
            for (uint32_t i = 0; i < WARP_LANES; i++)
                address[i] = 0x10000 + i * step;
            address[odd] += 128;
            check_shapes(address, 4, 0x00fffff0u);
        }
}

static void scattered_lanes(void **state)
{
    (void)state;
    uint64_t seed = 3, address[WARP_LANES];
    for (uint32_t run = 0; run < N_RUNS; run++) {
        uint32_t bytes = 1u << random_u64(&seed) % 5, range = 1u << (5 + random_u64(&seed) % 12);
        for (uint32_t i = 0; i < WARP_LANES; i++)
            address[i] = 0x10000 + random_u64(&seed) % range / bytes * bytes;
        check_shapes(address, bytes, (uint32_t)random_u64(&seed) | 1);
    }
}

/* A full warp of lanes that have a line each, in rising order; then one of them lies in the line of
 * its neighbour, of another one, or out of order. */
static void lanes_a_line_apart(void **state)
{
    (void)state;
    uint64_t seed = 5, address[WARP_LANES];
    for (uint32_t run = 0; run < N_RUNS; run++) {
        uint32_t bytes = 1u << random_u64(&seed) % 6, lane = random_u64(&seed) % WARP_LANES;
        uint64_t line = run % 8 ? 0x10000 : 0x7ffffffffffff800ull; /* where signs change */
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            address[i] = line + random_u64(&seed) % 128 / bytes * bytes;
            line += 128 + random_u64(&seed) % 3 * 128;
        }
        check_shapes(address, bytes, (uint32_t)random_u64(&seed) | 1);
        uint64_t kept = address[lane], other = random_u64(&seed) % WARP_LANES;
        address[lane] = address[(lane + 1) % WARP_LANES];
        check_shapes(address, bytes, ~0u);
        address[lane] = address[other];
        check_shapes(address, bytes, ~0u);
        address[lane] = address[other] % 128 + line;
        check_shapes(address, bytes, ~0u);
        address[lane] = kept;
        address[other] = kept / 128 * 128;
        check_shapes(address, bytes, ~0u);
    }
}

/* Around the length of a line, and far above it; at every place in a line. */
static void lanes_evenly_apart(void **state)
{
    (void)state;
    const uint64_t steps[] = {16, 32, 48, 64, 112, 128, 144, 256, 1000, 4096, 0xffffff80};
    for (uint32_t bytes = 1; bytes <= 8; bytes *= 2)
        for (uint64_t start = 0; start < 128; start += bytes)
            for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
                uint64_t address[WARP_LANES];
                for (uint32_t i = 0; i < WARP_LANES; i++)
                    address[i] = 0x10000 + start + i * steps[s];
                check_shapes(address, bytes, 0x0ff0ffffu);
            }
}

/* --- shared memory --- */

/* For words of 4 bytes: the most words that any bank is asked for. */
static uint32_t naive_passes(const uint64_t *address, uint32_t mask, uint32_t n_banks)
{
    uint32_t n_words[64] = {0}, most = 1;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint64_t word = address[lane] / 4;
        bool is_first = mask >> lane & 1;
        for (uint32_t other = 0; other < lane; other++)
            is_first = is_first && !(mask >> other & 1 && address[other] / 4 == word);
        uint32_t *n = &n_words[word % n_banks];
        *n += is_first;
        most = *n > most ? *n : most;
    }
    return most;
}

/* The full warp and part of it. */
static void check_passes(const uint64_t *address)
{
    static const uint32_t masks[] = {~0u, 0x00ffff01u};
    for (uint32_t n_banks = 16; n_banks <= 64; n_banks *= 2) {
        assert_int_equal(coalesce_warp_passes(address, 4, n_banks),
                         naive_passes(address, ~0u, n_banks));
        for (uint32_t m = 0; m < 2; m++)
            assert_int_equal(coalesce_passes_by_lane(address, masks[m], 4, n_banks),
                             naive_passes(address, masks[m], n_banks));
    }
}

/* Side by side or at one place, which is recognised, and shapes that differ little from these. */
static void a_bank_serves_a_word_at_a_time(void **state)
{
    (void)state;
    const uint32_t steps[] = {0, 4, 8, 12, 64, 124, 128, 132, 256};
    uint64_t seed = 13, address[WARP_LANES];
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        for (uint32_t i = 0; i < WARP_LANES; i++)
            address[i] = 0x1004 + i * steps[s];
        check_passes(address);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            uint64_t kept = address[lane];
            address[lane] += 128;
            check_passes(address);
            address[lane] = 0x1000 + random_u64(&seed) % 1024 / 4 * 4;
            check_passes(address);
            address[lane] = kept;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_side_by_side_or_at_one_place),
        cmocka_unit_test(a_lane_out_of_line_is_seen),
        cmocka_unit_test(scattered_lanes),
        cmocka_unit_test(lanes_a_line_apart),
        cmocka_unit_test(lanes_evenly_apart),
        cmocka_unit_test(a_bank_serves_a_word_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
