/* A bank of the register file has one port: it reads or writes one register per cycle.
 *
 * Reads are planned when an instruction issues, each for the first cycle after those planned
 * before. A result has priority over reads: its cycle is kept free as soon as it is known. Results
 * from memory, and those further ahead than a bank plans, come unexpectedly.
 *
 * MODEL: an unexpected result, or a second one in a cycle, is written to its register bank after
 * the reads already planned; instructions that wait for it do not wait for that write.
 *
 * Nearly all operands are read in the cycle after issue. So a mask holds what banks do in that
 * cycle, and an instruction without bank conflicts takes its banks with one test of it. Bit i of a
 * mask stands for bank i % n, so that rotating a mask by some bits advances it by as many banks. If
 * the number of banks does not permit this, bit i stands only for bank i. */
#ifndef HEDDLE_SM_REGISTER_BANK_H
#define HEDDLE_SM_REGISTER_BANK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BANK_LOOKS_AHEAD = 62, /* one cycle of 64 stays clear, so that a read finds its own */
    REGISTER_BANKS_MAX = 64,
};

struct register_banks {
    uint64_t first; /* mask of bank 0 */
    uint32_t n;
    /* The first cycle after the planned reads; see bank_read_next(). */
    uint64_t read_next[REGISTER_BANKS_MAX];
    uint64_t far_until; /* reads further off than BANK_LOOKS_AHEAD are planned before this cycle */
    /* Entry c % 64 holds what is planned for cycle c, at most BANK_LOOKS_AHEAD ahead, if it is of
     * that cycle: the banks that expect a result, those that read, except for immediate reads, and
     * all that are busy. */
    struct bank_cycle {
        uint64_t cycle, results, reads, taken;
    } planned[64];
};

/* Do masks of `n` banks wrap around? */
static inline bool banks_go_round(uint32_t n)
{
    return 64 % n == 0;
}

/* The mask of bank 0. */
static inline uint64_t banks_first(uint32_t n)
{
    uint64_t mask = 1;
    for (uint32_t i = n; banks_go_round(n) && i < 64; i += n)
        mask |= 1ull << i;
    return mask;
}

static inline void banks_init(struct register_banks *b, uint32_t n)
{
    *b = (struct register_banks){.n = n, .first = banks_first(n)};
}

/* The mask of the banks `by` places further on. */
static inline uint64_t banks_turned(uint64_t banks, uint32_t by)
{
    return banks << by % 64 | banks >> -by % 64;
}

/* Those of the banks that have reads planned in cycle `at` or later. */
static __attribute__((noinline, unused)) uint64_t banks_reading(const struct register_banks *b,
                                                                uint64_t at)
{
    uint64_t banks = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (b->read_next[i] > at)
            banks |= b->first << i;
    return banks;
}

/* The plan of a near cycle. A bank with a read further ahead is busy in every cycle before; when
 * that was planned, there was no plan of this cycle. */
static inline struct bank_cycle *banks_in(struct register_banks *b, uint64_t cycle)
{
    struct bank_cycle *c = &b->planned[cycle % 64];
    if (c->cycle != cycle) {
        uint64_t reads = b->far_until > cycle ? banks_reading(b, cycle) : 0;
        *c = (struct bank_cycle){.cycle = cycle, .reads = reads, .taken = reads};
    }
    return c;
}

/* Plans reads of the banks for cycle `at`, the one after issue; returns the banks that cannot read
 * then. */
static inline uint64_t banks_read_at_once(struct register_banks *b, uint64_t banks, uint64_t at)
{
    struct bank_cycle *c = banks_in(b, at);
    uint64_t taken = c->taken;
    c->taken = taken | banks;
    return taken & banks;
}

/* The first cycle after the reads of the bank. Some may be in cycle `at`, but none immediate in
 * later ones: immediate reads are not recorded here. */
static inline uint64_t bank_read_next(const struct register_banks *b, uint32_t bank, uint64_t at)
{
    const struct bank_cycle *c = &b->planned[at % 64];
    uint64_t next = b->read_next[bank], at_once = c->taken & ~(c->results | c->reads);
    return c->cycle == at && at_once >> bank & 1 && next <= at ? at + 1 : next;
}

/* The bank reads, or is otherwise busy, in cycle `at` and not after it. */
static inline void bank_plan(struct register_banks *b, uint32_t bank, uint64_t at, uint64_t now)
{
    b->read_next[bank] = at + 1;
    if (at - now <= BANK_LOOKS_AHEAD) {
        struct bank_cycle *c = banks_in(b, at);
        c->reads |= b->first << bank;
        c->taken |= b->first << bank;
    } else if (at >= b->far_until) {
        b->far_until = at + 1;
    }
}

/* Plans a read, not before cycle `from`, the one after issue; returns its cycle. MODEL: a register
 * read planned more than 64 cycles ahead sees the results of the cycle 64 before instead of its
 * own. */
static inline uint64_t bank_read(struct register_banks *b, uint32_t bank, uint64_t from)
{
    uint64_t next = bank_read_next(b, bank, from), at = next > from ? next : from;
    const struct bank_cycle *c = &b->planned[at % 64];
    while (c->cycle >= from && c->results >> bank & 1)
        c = &b->planned[++at % 64];
    bank_plan(b, bank, at, from);
    return at;
}

/* Plans a read of each of the banks, whose masks wrap around and which cannot read immediately.
 * Returns the cycle of the last. */
static inline uint64_t banks_read_later(struct register_banks *b, uint64_t banks, uint64_t from)
{
    uint64_t last = 0;
    for (banks &= ~0ull >> (64 - b->n); banks; banks &= banks - 1) {
        uint64_t read = bank_read(b, (uint32_t)__builtin_ctzll(banks), from);
        last = read > last ? read : last;
    }
    return last;
}

/* A result will be written in cycle `at`, within the look-ahead of the bank in the mask; false if
 * another result is already expected then. */
static inline bool bank_expect(struct register_banks *b, uint64_t mask, uint64_t at)
{
    struct bank_cycle *c = banks_in(b, at);
    uint64_t others = c->results;
    c->results = others | mask;
    c->taken |= mask;
    return !(others & mask);
}

/* Writes a result that was not expected, or is the second of its cycle. Call it before any read is
 * planned in cycle `now`. */
static inline void bank_write_late(struct register_banks *b, uint32_t bank, uint64_t now)
{
    uint64_t next = bank_read_next(b, bank, now);
    bank_plan(b, bank, next > now ? next : now, now);
}

/* The same for any result, if all of them are written this way. */
static inline void bank_write(struct register_banks *b, uint32_t bank, uint64_t now)
{
    struct bank_cycle *c = &b->planned[now % 64];
    if (c->cycle == now && c->results >> bank & 1) {
        c->results &= ~(b->first << bank);
        c->taken &= ~(b->first << bank);
    } else {
        bank_write_late(b, bank, now);
    }
}

#endif
