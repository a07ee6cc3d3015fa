/* Tracks which bytes memory lacks because a cache dropped them. A policy that drops dirty lines
 * (hit_action, fill_action) saves their write-backs and promises that they will not be read again.
 * Simulated programs always see the right values, so a broken promise would go unnoticed without
 * this check.
 *
 * Hardware has no such table. It depends only on stores, write-backs and drops, not on the policy,
 * so it can check what the policy assumes about a line's bytes. Lines have up to 128 bytes. */
#ifndef HEDDLE_CACHE_LOST_BYTES_H
#define HEDDLE_CACHE_LOST_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* One line, from its first store on. */
struct lost_line {
    uint64_t line;     /* address in the cache */
    uint64_t address;  /* address in the program */
    uint64_t dirty[2]; /* bytes that are in the cache and not in memory */
    uint64_t lost[2];  /* bytes that are in neither */
};

/* A zeroed struct is empty and valid. */
struct lost_bytes {
    struct lost_line *slots;
    uint32_t n, cap;
};

/* Bytes are stored: the cache keeps them, or they are forwarded to memory. */
void lost_stored(struct lost_bytes *t, uint64_t line, uint64_t address, const uint64_t bytes[2],
                 bool is_kept);
void lost_written_back(struct lost_bytes *t, uint64_t line);
void lost_dropped(struct lost_bytes *t, uint64_t line);
/* These bytes are read from memory: is any of them lost? */
bool lost_is_read(struct lost_bytes *t, uint64_t line, const uint64_t bytes[2]);
/* Notes that the host has overwritten bytes in memory. */
void lost_overwritten(struct lost_bytes *t, uint64_t line, const uint64_t bytes[2]);
void lost_destroy(struct lost_bytes *t);

#endif
