/* Drives a DRAM channel from tests: a default machine, and a log of the commands it gives. */
#ifndef HEDDLE_TEST_DRAM_DRIVER_H
#define HEDDLE_TEST_DRAM_DRIVER_H

#include <string.h>

#include "dram/dram.h"

/* GPGPU-Sim's GTX 480: written out here so that the tests' charts do not move with the defaults. */
static inline struct dram_config gtx480_dram(void)
{
    return (struct dram_config){
        .n_banks = 16,
        .n_bank_groups = 4,
        .row_bytes = 4096,
        .bank_interleave_bytes = 512,
        .permute_banks = true,
        .bus_bytes_per_cycle = 32,
        .burst_cycles = 2,
        .queue_entries = 64,
        .t_ccd = 2,
        .t_ccdl = 3,
        .t_rrd = 6,
        .t_rcd = 12,
        .t_ras = 28,
        .t_rp = 12,
        .t_rc = 40,
        .t_cl = 12,
        .t_wl = 4,
        .t_cdlr = 5,
        .t_wr = 12,
        .t_rtp = 2,
    };
}

enum { LOG_MAX = 1 << 16 };
struct command_log {
    uint32_t n;
    struct dram_command items[LOG_MAX];
};

static inline void log_command(void *user, const struct dram_command *c)
{
    struct command_log *log = user;
    if (log->n < LOG_MAX)
        log->items[log->n] = *c;
    log->n++;
}

static inline struct dram_request dram_read(uint32_t bank, uint32_t row, uint32_t bytes,
                                            uint64_t tag)
{
    return (struct dram_request){.bank = bank, .row = row, .bytes = bytes, .tag = tag};
}

static inline struct dram_request dram_write(uint32_t bank, uint32_t row, uint32_t bytes,
                                             uint64_t tag)
{
    return (struct dram_request){
        .bank = bank, .row = row, .bytes = bytes, .write = true, .tag = tag};
}

#endif
