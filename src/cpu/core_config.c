#include "cpu/core_config.h"

#define U32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct cpu_config, field, dflt, lo, hi, unit, help)

const struct param cpu_params[] = {
    U32(width, "4", 1, CPU_MAX_WIDTH, "instructions",
        "instructions that enter the reorder window, and that retire, per cycle"),
    U32(rob, "128", 1, CPU_MAX_ROB, "instructions", "of the reorder window"),
    U32(mlp, "8", 1, CPU_MAX_MLP, "lines", "lines that L1 waits for at the same time"),
    U32(store_buffer, "56", 2, 1024, "stores", "stores that have retired and are not in L1 yet"),
    U32(write_buffer, "32", 2, 4096, "lines",
        "dirty lines in flight to the last-level cache; at least 2 for each of cpu.mlp"),
    U32(l1_bytes, "32K", CPU_LINE_BYTES, 1 << 28, "bytes", "private L1 data cache"),
    U32(l1_ways, "8", 1, 64, "ways", "of L1"),
    U32(l1_latency, "4", 1, CPU_MAX_L1_LATENCY, "CPU cycles", "from an access to data of L1"),
    U32(l2_bytes, "256K", CPU_LINE_BYTES, 1 << 28, "bytes", "private L2 cache"),
    U32(l2_ways, "8", 1, 64, "ways", "of L2"),
    U32(l2_latency, "8", 1, 10000, "CPU cycles",
        "from L1 to data of L2, or to the request for the last-level cache"),
    PARAM_BOOL(struct cpu_config, follow_registers, "false",
               "a load also waits for loads whose data reach its source registers through other "
               "instructions"),
};
const uint32_t n_cpu_params = sizeof cpu_params / sizeof cpu_params[0];

static bool is_cache_sound(uint32_t bytes, uint32_t ways, const char *bytes_name,
                           const char *ways_name, struct param_flaw *flaw)
{
    if (bytes % (ways * CPU_LINE_BYTES) == 0)
        return true;
    return param_flawed(flaw, PARAM_NAMES(bytes_name, ways_name),
                        "cpu.%s (%u) must be a multiple of cpu.%s (%u) lines of %u bytes",
                        bytes_name, bytes, ways_name, ways, CPU_LINE_BYTES);
}

bool cpu_config_sound(const struct cpu_config *c, struct param_flaw *flaw)
{
    if (c->write_buffer < 2 * c->mlp)
        return param_flawed(flaw, PARAM_NAMES("write_buffer", "mlp"),
                            "cpu.write_buffer (%u) must be at least twice cpu.mlp (%u): each "
                            "outstanding miss may evict two dirty lines",
                            c->write_buffer, c->mlp);
    if (c->store_buffer < c->simd_width)
        return param_flawed(flaw, PARAM_NAMES("store_buffer", "simd_width"),
                            "cpu.store_buffer (%u) must hold the stores of an instruction, "
                            "cpu.simd_width (%u) of them",
                            c->store_buffer, c->simd_width);
    return is_cache_sound(c->l1_bytes, c->l1_ways, "l1_bytes", "l1_ways", flaw) &&
           is_cache_sound(c->l2_bytes, c->l2_ways, "l2_bytes", "l2_ways", flaw);
}
