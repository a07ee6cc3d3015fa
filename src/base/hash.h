/* SHA-256 (FIPS 180-4), for cache keys and for checking that a stored file is intact. */
#ifndef HEDDLE_BASE_HASH_H
#define HEDDLE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_BYTES = 32, HASH_TEXT_BYTES = 2 * HASH_BYTES + 1 };

struct hash {
    uint32_t state[8];
    uint64_t n_bytes;
    uint8_t block[64];
};

void hash_init(struct hash *h);
void hash_add(struct hash *h, const void *data, size_t bytes);

/* Adds the length too, so that ("ab", "c") and ("a", "bc") differ. NULL counts as "". */
void hash_add_field(struct hash *h, const char *text);
void hash_add_field_n(struct hash *h, const void *data, size_t bytes);

/* The digest as lower-case hexadecimal digits. `h` cannot be used afterwards. */
void hash_finish(struct hash *h, char text[HASH_TEXT_BYTES]);

void hash_of(const void *data, size_t bytes, char text[HASH_TEXT_BYTES]);

/* A checksum of 64 bits that notices damage, at memory's speed; not SHA-256, and not for keys. */
uint64_t hash_quick(const void *data, size_t bytes);

#endif
