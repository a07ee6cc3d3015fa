/* AES: encryption of a text with AES-256, block by block (Hetero-Mark; S3 Table 6.3).
 *
 * Access pattern: a block of 16 bytes per work-item, read and written coalesced; 224 look-ups per
 * block in an S-box of 256 bytes, which two lines of L1D hold.
 *
 * The key and the first block are the example of FIPS 197, appendix C.3; the rest of the text is
 * random. */
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_aes_source[];

enum { GROUP = 256, BLOCK = 16, ROUNDS = 14, KEY_BYTES = 32, SCHEDULE = BLOCK * (ROUNDS + 1) };

struct aes {
    struct arena arena;
    uint32_t n_blocks;
    uint8_t box[256], schedule[SCHEDULE];
    uint8_t *text, *got, *want;
};

static const uint8_t fips_result[BLOCK] = {0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf,
                                           0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89};

static uint8_t multiply(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b; b >>= 1) {
        product ^= b & 1 ? a : 0;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}

/* The inverse in GF(2^8), then an affine map (FIPS 197, section 5.1.1). */
static void make_box(uint8_t box[256])
{
    for (uint32_t v = 0; v < 256; v++) {
        uint8_t inverse = 0;
        for (uint32_t w = 1; w < 256 && !inverse; w++)
            inverse = multiply((uint8_t)v, (uint8_t)w) == 1 ? (uint8_t)w : 0;
        uint32_t five = inverse * 0x101u;
        box[v] = (uint8_t)(five ^ five >> 4 ^ five >> 5 ^ five >> 6 ^ five >> 7 ^ 0x63);
    }
}

static void expand_key(struct aes *s)
{
    uint8_t round_constant = 1;
    for (uint32_t i = 0; i < KEY_BYTES; i++)
        s->schedule[i] = (uint8_t)i;
    for (uint32_t at = KEY_BYTES; at < SCHEDULE; at += 4) {
        uint8_t word[4], *before = s->schedule + at - 4;
        bool rotates = at % KEY_BYTES == 0, substitutes = at % BLOCK == 0;
        for (uint32_t b = 0; b < 4; b++) {
            word[b] = before[rotates ? (b + 1) % 4 : b];
            word[b] = substitutes ? s->box[word[b]] : word[b];
        }
        if (rotates) {
            word[0] ^= round_constant;
            round_constant = multiply(round_constant, 2);
        }
        for (uint32_t b = 0; b < 4; b++)
            s->schedule[at + b] = s->schedule[at + b - KEY_BYTES] ^ word[b];
    }
}

static void setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct aes *s = state;
    struct workload_rng rng = {seed};
    s->n_blocks = device_round_up((uint32_t)size->p[0], GROUP);
    size_t bytes = (size_t)s->n_blocks * BLOCK;
    s->text = ARENA_ARRAY(&s->arena, uint8_t, bytes);
    s->got = ARENA_ARRAY(&s->arena, uint8_t, bytes);
    s->want = ARENA_ARRAY(&s->arena, uint8_t, bytes);
    for (uint32_t i = 0; i < BLOCK; i++)
        s->text[i] = (uint8_t)(0x11 * i);
    for (size_t i = BLOCK; i < bytes; i++)
        s->text[i] = (uint8_t)workload_rng_u64(&rng);
    make_box(s->box);
    expand_key(s);
}

static void run(void *state, struct device *d)
{
    struct aes *s = state;
    size_t bytes = (size_t)s->n_blocks * BLOCK;
    device_buffer blocks = device_alloc_from(d, s->text, bytes, "blocks");
    device_buffer keys = device_alloc_from(d, s->schedule, sizeof s->schedule, "round keys");
    device_buffer box = device_alloc_from(d, s->box, sizeof s->box, "S-box");
    DEVICE_LAUNCH_1D(d, "aes256_encrypt", s->n_blocks, GROUP, device_arg_buffer(blocks),
                     device_arg_buffer(keys), device_arg_buffer(box));
    device_download(d, blocks, 0, s->got, bytes);
}

/* SubBytes and ShiftRows; byte r + 4c of the state is row r of column c. */
static void substitute_and_shift(const struct aes *s, uint8_t v[BLOCK])
{
    uint8_t old[BLOCK];
    memcpy(old, v, BLOCK);
    for (uint32_t i = 0; i < BLOCK; i++)
        v[i] = s->box[old[(i + 4 * (i % 4)) % BLOCK]];
}

static void mix_columns(uint8_t v[BLOCK])
{
    static const uint8_t weight[4] = {2, 3, 1, 1};
    uint8_t old[BLOCK];
    memcpy(old, v, BLOCK);
    for (uint32_t i = 0; i < BLOCK; i++) {
        v[i] = 0;
        for (uint32_t k = 0; k < 4; k++)
            v[i] ^= multiply(old[i / 4 * 4 + (i + k) % 4], weight[k]);
    }
}

static void add_key(const struct aes *s, uint8_t v[BLOCK], uint32_t round)
{
    for (uint32_t i = 0; i < BLOCK; i++)
        v[i] ^= s->schedule[round * BLOCK + i];
}

/* Byte by byte, as in the standard. */
static void reference(void *state)
{
    struct aes *s = state;
    for (uint32_t b = 0; b < s->n_blocks; b++) {
        uint8_t *v = s->want + (size_t)b * BLOCK;
        memcpy(v, s->text + (size_t)b * BLOCK, BLOCK);
        add_key(s, v, 0);
        for (uint32_t round = 1; round <= ROUNDS; round++) {
            substitute_and_shift(s, v);
            if (round < ROUNDS)
                mix_columns(v);
            add_key(s, v, round);
        }
    }
}

static bool check(const void *state, struct strbuf *why)
{
    const struct aes *s = state;
    for (size_t i = 0; i < (size_t)s->n_blocks * BLOCK; i++) {
        uint8_t want = i < BLOCK ? fips_result[i] : s->want[i];
        if (s->got[i] == want)
            continue;
        strbuf_addf(why, "byte %zu is 0x%02x, should be 0x%02x", i, s->got[i], want);
        return false;
    }
    return true;
}

static void teardown(void *state)
{
    struct aes *s = state;
    arena_destroy(&s->arena);
}

static const struct workload_size sizes[] = {
    {"tiny", {4096}},
    {"small", {1 << 17}},
    {NULL, {0}},
};

static const struct workload_input inputs[] = {
    {"blocks", NULL, 1, 1 << 24, "of 16 bytes, one work-item each"},
    {NULL, NULL, 0, 0, NULL},
};

const struct workload workload_aes = {
    .name = "aes",
    .paper_name = "AES",
    .title = "AES-256 encryption",
    .summary =
        "One block of 16 bytes per work-item: 14 rounds of byte look-ups in an S-box that L1D "
        "holds, and integer arithmetic.",
    .origin = "Hetero-Mark",
    .categories = {.s3_ch6 = "computation-intensive"},
    .source = workload_aes_source,
    .param_names = {"blocks"},
    .sizes = sizes,
    .inputs = inputs,
    .state_bytes = sizeof(struct aes),
    .setup = setup,
    .run = run,
    .reference = reference,
    .check = check,
    .teardown = teardown,
};
