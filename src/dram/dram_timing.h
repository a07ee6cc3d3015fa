/* When a channel's commands are allowed: every rule of the data sheets that is modelled, as the
 * earliest cycle of the next command of each kind. Private to dram.c.
 *
 *   activate:   its bank precharged t_rp ago and activated t_rc ago, any bank activated t_rrd ago
 *   precharge:  its bank activated t_ras ago, read t_rtp ago, the last data written to it t_wr ago
 *   read/write: its bank activated t_rcd ago; the last read or write in its bank group t_ccdl ago,
 *               the last of its own kind in the channel t_ccd ago, and the data bus free
 *   read:       the last data written in the channel t_cdlr ago
 *   write:      its data two cycles behind the last data read
 *
 * MODEL: data of consecutive bursts follow each other without a gap; turning the bus from reading
 * to writing takes two cycles (JEDEC's CL + burst + 2 - WL, as in GPGPU-Sim).
 * MODEL: a bank's group is its number modulo the number of groups, so that neighbours in the
 * address map lie in different groups.
 * MODEL: no refresh, no limit on four activates (tFAW), no power-down, one rank. */
#ifndef HEDDLE_DRAM_TIMING_H
#define HEDDLE_DRAM_TIMING_H

#include "dram/dram.h"

enum { DRAM_BUS_TURN_CYCLES = 2 };

struct bank_timing {
    uint64_t activate_at, precharge_at;
};

struct dram_timing {
    /* Gaps between commands that follow from the configuration. */
    uint32_t same_kind, same_group, read_to_write, write_to_read, write_to_precharge;
    /* The earliest cycles that concern more than one bank. */
    uint64_t activate_at, column_at[2 /* write? */];
    /* Those of reads and writes, by bank and by group. */
    uint64_t bank_at[DRAM_MAX_BANKS], group_at[DRAM_MAX_BANKS];
    uint8_t group_of[DRAM_MAX_BANKS]; /* by bank */
};

static inline void timing_raise_to(uint64_t *at, uint64_t floor)
{
    if (*at < floor)
        *at = floor;
}

static inline void timing_init(struct dram_timing *t, const struct dram_config *c)
{
    uint32_t read_data_end = c->t_cl + c->burst_cycles + DRAM_BUS_TURN_CYCLES;
    uint32_t write_data_end = c->t_wl + c->burst_cycles;
    *t = (struct dram_timing){
        .same_kind = c->t_ccd > c->burst_cycles ? c->t_ccd : c->burst_cycles,
        .same_group = c->n_bank_groups > 1 ? c->t_ccdl : 0,
        .read_to_write = read_data_end > c->t_wl ? read_data_end - c->t_wl : 0,
        .write_to_read = write_data_end + c->t_cdlr,
        .write_to_precharge = write_data_end + c->t_wr,
    };
    for (uint32_t bank = 0; bank < c->n_banks; bank++)
        t->group_of[bank] = (uint8_t)(bank % c->n_bank_groups);
}

static inline void timing_activate(struct dram_timing *t, uint32_t bank, struct bank_timing *b,
                                   const struct dram_config *c, uint64_t now)
{
    timing_raise_to(&t->activate_at, now + c->t_rrd);
    timing_raise_to(&b->activate_at, now + c->t_rc);
    timing_raise_to(&b->precharge_at, now + c->t_ras);
    t->bank_at[bank] = now + c->t_rcd;
}

static inline void timing_precharge(struct bank_timing *b, const struct dram_config *c,
                                    uint64_t now)
{
    timing_raise_to(&b->activate_at, now + c->t_rp);
}

/* A read or write of the bank. It was allowed now, so its group has no later constraint. */
static inline void timing_burst(struct dram_timing *t, uint32_t bank, uint64_t now)
{
    t->group_at[t->group_of[bank]] = now + t->same_group;
}

/* The minimum time from a read or write to the first of the other kind in the channel. */
static inline uint64_t timing_turn(const struct dram_timing *t, bool write)
{
    return write ? t->write_to_read : t->read_to_write;
}

/* Updates the channel for the last of several consecutive reads or writes. */
static inline void timing_columns(struct dram_timing *t, bool write, uint64_t now)
{
    t->column_at[write] = now + t->same_kind;
    timing_raise_to(&t->column_at[!write], now + timing_turn(t, write));
}

/* The last read or write of a request. The bank is not precharged before it, because the request
 * needs the row. */
static inline void timing_last_column(const struct dram_timing *t, struct bank_timing *b,
                                      const struct dram_config *c, bool write, uint64_t now)
{
    timing_raise_to(&b->precharge_at, now + (write ? t->write_to_precharge : c->t_rtp));
}

#endif
