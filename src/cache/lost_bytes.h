/* Which bytes memory does not have because a cache dropped them: a policy that gives up dirty lines
 * (hit_action, fill_action) saves their write-back and promises that nobody reads them again.
 * Simulated programs always see the right values, so a broken promise would not show; here it
 * does.
 *
 * No hardware has this. It goes by stores, write-backs and drops alone, and so checks what the
 * policy thinks it knows of a line's bytes. Lines have up to 128 bytes. */
#ifndef HEDDLE_CACHE_LOST_BYTES_H
#define HEDDLE_CACHE_LOST_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* Of one line, from its first store on. */
struct lost_line {
    uint64_t line;     /* as its cache numbers it */
    uint64_t address;  /* as programs do */
    uint64_t dirty[2]; /* bytes that the cache has and memory lacks */
    uint64_t lost[2];  /* bytes that neither has */
};

/* A zeroed struct is empty and valid. */
struct lost_bytes {
    struct lost_line *slots;
    uint32_t n, cap;
};

/* Bytes are stored: the cache keeps them, or they go on to memory. */
void lost_stored(struct lost_bytes *t, uint64_t line, uint64_t address, const uint64_t bytes[2],
                 bool is_kept);
void lost_written_back(struct lost_bytes *t, uint64_t line);
void lost_dropped(struct lost_bytes *t, uint64_t line);
/* Memory is asked for these bytes: is one of them lost? */
bool lost_is_read(struct lost_bytes *t, uint64_t line, const uint64_t bytes[2]);
/* The host writes to memory. */
void lost_overwritten(struct lost_bytes *t, uint64_t line, const uint64_t bytes[2]);
void lost_destroy(struct lost_bytes *t);

#endif
