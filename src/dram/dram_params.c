/* The parameters of a DRAM channel. The defaults are those of GPGPU-Sim's GTX 480 model with GDDR5
 * (its gpgpu_dram_timing_opt): two 32-bit chips per partition, burst length 8, four data transfers
 * per command cycle. doc/dram.md has those of other machines. */
#include "dram/dram.h"

static const char *const scheduler_names[] = {
    [DRAM_FR_FCFS] = "fr_fcfs", [DRAM_FCFS] = "fcfs", NULL};

#define COUNT(field, dflt, lo, hi, unit, help)                                                     \
    PARAM_U32(struct dram_config, field, dflt, lo, hi, unit, help)
#define CYCLES(field, dflt, help) COUNT(field, dflt, 0, 4096, "DRAM cycles", help)

const struct param dram_params[] = {
    COUNT(n_banks, "16", 1, DRAM_MAX_BANKS, "banks", "banks of a channel"),
    COUNT(n_bank_groups, "4", 1, DRAM_MAX_BANKS, "groups",
          "bank groups, bank mod groups; 1 = no groups, t_ccdl does not count"),
    COUNT(row_bytes, "4096", 32, 1 << 20, "bytes", "a row of a bank, all chips of the channel"),
    COUNT(bank_interleave_bytes, "512", 0, 1 << 20, "bytes",
          "a partition's consecutive pieces of this size lie in consecutive banks; 0 = whole rows"),
    PARAM_BOOL(struct dram_config, permute_banks, "true",
               "permute banks by the row number, so that row-sized strides use all banks"),
    COUNT(bus_bytes_per_cycle, "32", 1, 4096, "bytes",
          "data the bus moves in a command-clock cycle, data rate included"),
    COUNT(burst_cycles, "2", 1, 64, "DRAM cycles", "data bus cycles of one read or write command"),
    COUNT(queue_entries, "64", 1, DRAM_MAX_QUEUE, "requests", "requests the scheduler sees"),
    CYCLES(t_ccd, "2", "read to read, write to write"),
    CYCLES(t_ccdl, "3", "the same within a bank group, reads and writes alike"),
    CYCLES(t_rrd, "6", "activate to activate of different banks"),
    CYCLES(t_rcd, "12", "activate to read or write"),
    CYCLES(t_ras, "28", "activate to precharge"),
    CYCLES(t_rp, "12", "precharge to activate"),
    CYCLES(t_rc, "40", "activate to activate of one bank"),
    CYCLES(t_cl, "12", "read to its first data"),
    CYCLES(t_wl, "4", "write to its first data"),
    CYCLES(t_cdlr, "5", "last data of a write to a read"),
    CYCLES(t_wr, "12", "last data of a write to the precharge of its bank"),
    CYCLES(t_rtp, "2", "read to the precharge of its bank"),
    PARAM_ENUM(struct dram_config, scheduler, "fr_fcfs", scheduler_names,
               "which request is served first"),
};
const uint32_t n_dram_params = sizeof dram_params / sizeof dram_params[0];

/* The model would run with such values, but one parameter would never have an effect, because the
 * others always take longer. */
static bool are_rows_sound(const struct dram_config *c, struct param_flaw *flaw)
{
    if (c->t_rc < c->t_ras + c->t_rp)
        return param_flawed(
            flaw, PARAM_NAMES("t_rc", "t_ras", "t_rp"),
            "dram.t_rc (%u) must be at least dram.t_ras + dram.t_rp (%u + %u): a row "
            "is closed before its bank opens another",
            c->t_rc, c->t_ras, c->t_rp);
    if (c->t_ras < c->t_rcd)
        return param_flawed(
            flaw, PARAM_NAMES("t_ras", "t_rcd"),
            "dram.t_ras (%u) must be at least dram.t_rcd (%u): a row is read before "
            "it is closed",
            c->t_ras, c->t_rcd);
    if (c->t_rc < c->t_rrd)
        return param_flawed(
            flaw, PARAM_NAMES("t_rc", "t_rrd"),
            "dram.t_rc (%u) must be at least dram.t_rrd (%u): activates of one bank "
            "are no closer than those of two",
            c->t_rc, c->t_rrd);
    return true;
}

bool dram_config_sound(const struct dram_config *c, struct param_flaw *flaw)
{
    if (c->n_banks % c->n_bank_groups)
        return param_flawed(flaw, PARAM_NAMES("n_bank_groups", "n_banks"),
                            "dram.n_bank_groups (%u) must divide dram.n_banks (%u)",
                            c->n_bank_groups, c->n_banks);
    if (c->t_ccd < c->burst_cycles)
        return param_flawed(flaw, PARAM_NAMES("t_ccd", "burst_cycles"),
                            "dram.t_ccd (%u) must be at least dram.burst_cycles (%u): data of two "
                            "bursts do not share the bus",
                            c->t_ccd, c->burst_cycles);
    if (c->n_bank_groups > 1 && c->t_ccdl < c->t_ccd)
        return param_flawed(flaw, PARAM_NAMES("t_ccdl", "t_ccd"),
                            "dram.t_ccdl (%u) must be at least dram.t_ccd (%u): a bank group is no "
                            "faster than the channel",
                            c->t_ccdl, c->t_ccd);
    return are_rows_sound(c, flaw);
}
