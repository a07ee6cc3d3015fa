/* A bank of the register file has one port: it reads or writes one register a cycle.
 *
 * Reads are planned when an instruction issues, each for the first cycle after those planned
 * before. A result goes before reads: its cycle is kept free as soon as it is known. What memory
 * returns, and what takes longer than a bank looks ahead, comes unexpected.
 *
 * MODEL: an unexpected result, or a second one of a cycle, is written after the reads planned when
 * it comes; what waits for it does not wait for that. */
#ifndef HEDDLE_SM_REGISTER_BANK_H
#define HEDDLE_SM_REGISTER_BANK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BANK_LOOKS_AHEAD = 62, /* one bit stays clear, so that a read finds its cycle */
    REGISTER_BANKS_MAX = 64,
};

/* One array a fact, not one a bank: an index finds it without arithmetic. */
struct register_banks {
    uint64_t read_next[REGISTER_BANKS_MAX]; /* the first cycle after the reads that are planned */
    /* Bit c % 64: a result is expected in cycle c, at most BANK_LOOKS_AHEAD off. */
    uint64_t results[REGISTER_BANKS_MAX];
};

/* Plans a read for that cycle if it can be then. */
static inline bool bank_reads_at(struct register_banks *b, uint32_t bank, uint64_t at)
{
    if (b->read_next[bank] > at || b->results[bank] & 1ull << at % 64)
        return false;
    b->read_next[bank] = at + 1;
    return true;
}

/* Plans a read, not before `from`; returns its cycle. */
static inline uint64_t bank_read(struct register_banks *b, uint32_t bank, uint64_t from)
{
    uint64_t at = b->read_next[bank] > from ? b->read_next[bank] : from;
    uint64_t results = b->results[bank];
    while (results >> at % 64 & 1)
        at++;
    b->read_next[bank] = at + 1;
    return at;
}

/* A result will be written in a cycle that the bank looks ahead to, whose bit that is. */
static inline void bank_expect(struct register_banks *b, uint32_t bank, uint64_t bit)
{
    b->results[bank] |= bit;
}

/* Before any read is planned in that cycle. */
static inline void bank_write(struct register_banks *b, uint32_t bank, uint64_t now)
{
    uint64_t bit = 1ull << now % 64, next = b->read_next[bank];
    if (__builtin_expect((b->results[bank] & bit) != 0, true))
        b->results[bank] ^= bit;
    else
        b->read_next[bank] = (next > now ? next : now) + 1;
}

#endif
