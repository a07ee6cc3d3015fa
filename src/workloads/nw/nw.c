/* NW: global alignment of two sequences by Needleman and Wunsch's dynamic programming.
 *
 * Used by S2 (1024x1024), S3 (1024x1024) and S4 (as NDL, no size given). As in Rodinia the
 * similarity of every pair of residues is laid out as a full matrix beforehand, the score matrix is
 * filled in 16x16 tiles through local memory, one launch per anti-diagonal of tiles, with one
 * kernel for the growing and one for the shrinking half.
 *
 * Simplified: the substitution table is drawn from the seed (symmetric, positive on the diagonal,
 * in the range of BLOSUM62); the trace-back, which Rodinia does on the host, is left out. */
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_nw_source[];

enum { TILE = 16 /* as in nw.cl */, RESIDUES = 20 };

struct nw {
    struct arena memory;
    uint32_t n;      /* residues of each sequence */
    uint32_t stride; /* n + 1 */
    int32_t penalty;
    size_t matrix_bytes;
    int32_t *similarity;
    int32_t *borders; /* the score matrix before the first launch */
    int32_t *score;   /* the device's result */
    int32_t *expected;
};

static void draw_substitutions(struct workload_rng *rng, int32_t table[RESIDUES][RESIDUES])
{
    for (uint32_t a = 0; a < RESIDUES; a++) {
        table[a][a] = 4 + (int32_t)workload_rng_below(rng, 8);
        for (uint32_t b = 0; b < a; b++)
            table[a][b] = table[b][a] = (int32_t)workload_rng_below(rng, 8) - 4;
    }
}

static uint8_t *draw_sequence(struct nw *s, struct workload_rng *rng)
{
    uint8_t *residue = ARENA_ARRAY(&s->memory, uint8_t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        residue[i] = (uint8_t)workload_rng_below(rng, RESIDUES);
    return residue;
}

static void nw_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct nw *s = state;
    struct workload_rng rng = {seed};
    int32_t substitution[RESIDUES][RESIDUES];

    s->n = device_round_up((uint32_t)size->p[0], TILE);
    s->stride = s->n + 1;
    s->penalty = (int32_t)size->p[1];
    size_t cells = (size_t)s->stride * s->stride;
    s->matrix_bytes = cells * sizeof(int32_t);
    s->similarity = ARENA_ARRAY(&s->memory, int32_t, cells);
    s->borders = ARENA_ARRAY(&s->memory, int32_t, cells);
    s->score = ARENA_ARRAY(&s->memory, int32_t, cells);
    s->expected = ARENA_ARRAY(&s->memory, int32_t, cells);

    draw_substitutions(&rng, substitution);
    const uint8_t *down = draw_sequence(s, &rng), *across = draw_sequence(s, &rng);
    for (size_t y = 0; y < s->n; y++)
        for (size_t x = 0; x < s->n; x++)
            s->similarity[(y + 1) * s->stride + x + 1] = substitution[down[y]][across[x]];
    for (uint32_t i = 0; i <= s->n; i++)
        s->borders[i] = s->borders[(size_t)i * s->stride] = -(int32_t)i * s->penalty;
}

static void nw_run(void *state, struct device *d)
{
    struct nw *s = state;
    uint32_t tiles = s->n / TILE;
    device_buffer score = device_alloc_from(d, s->borders, s->matrix_bytes, "score");
    device_buffer similarity = device_alloc_from(d, s->similarity, s->matrix_bytes, "similarity");

    for (uint32_t diagonal = 0; diagonal < tiles; diagonal++)
        DEVICE_LAUNCH_1D(d, "nw_growing", (diagonal + 1) * TILE, TILE, device_arg_buffer(score),
                         device_arg_buffer(similarity), device_arg_u32(s->stride),
                         device_arg_i32(s->penalty), device_arg_u32(diagonal));
    for (uint32_t diagonal = tiles; diagonal < 2 * tiles - 1; diagonal++)
        DEVICE_LAUNCH_1D(d, "nw_shrinking", (2 * tiles - 1 - diagonal) * TILE, TILE,
                         device_arg_buffer(score), device_arg_buffer(similarity),
                         device_arg_u32(s->stride), device_arg_i32(s->penalty),
                         device_arg_u32(diagonal), device_arg_u32(tiles));
    device_download(d, score, 0, s->score, s->matrix_bytes);
}

static int32_t max_i32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The recurrence row by row, in one sweep over the whole matrix. */
static void nw_reference(void *state)
{
    struct nw *s = state;
    memcpy(s->expected, s->borders, s->matrix_bytes);
    for (size_t y = 1; y <= s->n; y++) {
        int32_t *row = s->expected + y * s->stride;
        const int32_t *above = row - s->stride;
        for (size_t x = 1; x <= s->n; x++) {
            int32_t aligned = above[x - 1] + s->similarity[y * s->stride + x];
            row[x] = max_i32(aligned, max_i32(above[x], row[x - 1]) - s->penalty);
        }
    }
}

static bool nw_check(const void *state, struct strbuf *why)
{
    const struct nw *s = state;
    return workload_check_i32(why, "score", s->score, s->expected, (size_t)s->stride * s->stride);
}

static void nw_teardown(void *state)
{
    struct nw *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {256, 10}},      {"small", {1024, 10}}, {"paper-s2", {1024, 10}},
    {"paper-s3", {1024, 10}}, {NULL, {0}},
};

const struct workload workload_nw = {
    .name = "nw",
    .paper_name = "NW",
    .title = "Needleman-Wunsch",
    .summary = "Sequence alignment by dynamic programming: 16x16 tiles in local memory, one launch "
               "per anti-diagonal of tiles, work-groups of half a warp.",
    .origin = "Rodinia",
    .categories = {.s2 = "cache-sufficient",
                   .s3_ch3 = "memory-intensive",
                   .s3_ch4 = "sensitive",
                   .s3_ch5 = "not cache-sensitive",
                   .s4 = "insensitive"},
    .source = workload_nw_source,
    .param_names = {"n", "penalty"},
    .sizes = sizes,
    .state_bytes = sizeof(struct nw),
    .setup = nw_setup,
    .run = nw_run,
    .reference = nw_reference,
    .check = nw_check,
    .teardown = nw_teardown,
};
