#include "base/hash.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void expand_schedule(uint32_t w[64], const uint8_t block[64])
{
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        uint32_t s0 = rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3;
        uint32_t s1 = rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void absorb_block(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64];
    expand_schedule(w, block);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (unsigned i = 0; i < 64; i++) {
        uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t t1 = h + s1 + choice + round_constants[i] + w[i];
        uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + s0 + majority;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void hash_init(struct hash *h)
{
    /* The fractional parts of the square roots of the first eight primes. */
    *h = (struct hash){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void hash_add(struct hash *h, const void *data, size_t bytes)
{
    const uint8_t *p = data;
    size_t filled = (size_t)(h->n_bytes % sizeof h->block);
    h->n_bytes += bytes;
    while (bytes > 0) {
        size_t n = sizeof h->block - filled;
        if (n > bytes)
            n = bytes;
        memcpy(h->block + filled, p, n);
        p += n;
        bytes -= n;
        filled += n;
        if (filled == sizeof h->block) {
            absorb_block(h->state, h->block);
            filled = 0;
        }
    }
}

void hash_add_field_n(struct hash *h, const void *data, size_t bytes)
{
    uint64_t length = bytes;
    uint8_t prefix[8];
    for (unsigned i = 0; i < 8; i++)
        prefix[i] = (uint8_t)(length >> (8 * i));
    hash_add(h, prefix, sizeof prefix);
    hash_add(h, data, bytes);
}

void hash_add_field(struct hash *h, const char *text)
{
    const char *t = text ? text : "";
    hash_add_field_n(h, t, strlen(t));
}

void hash_finish(struct hash *h, char text[HASH_TEXT_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t n_bits = h->n_bytes * 8;
    uint8_t length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (uint8_t)(n_bits >> (56 - 8 * i));

    hash_add(h, "\x80", 1);
    while (h->n_bytes % sizeof h->block != sizeof h->block - sizeof length)
        hash_add(h, "", 1);
    hash_add(h, length, sizeof length);

    for (unsigned i = 0; i < HASH_BYTES; i++) {
        uint32_t byte = h->state[i / 4] >> (24 - 8 * (i % 4)) & 0xff;
        text[2 * i] = digits[byte >> 4];
        text[2 * i + 1] = digits[byte & 15];
    }
    text[HASH_TEXT_BYTES - 1] = '\0';
}

void hash_of(const void *data, size_t bytes, char text[HASH_TEXT_BYTES])
{
    struct hash h;
    hash_init(&h);
    hash_add(&h, data, bytes);
    hash_finish(&h, text);
}

/* Every step is a bijection of the sum, so one changed word always changes the result. */
uint64_t hash_quick(const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t sum = bytes;
    for (size_t left = bytes; left > 0;) {
        uint64_t word = 0;
        size_t n = left < sizeof word ? left : sizeof word;
        memcpy(&word, p, n);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
        p += n;
        left -= n;
    }
    return sum;
}
