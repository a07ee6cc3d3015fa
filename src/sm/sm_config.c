#include "sm/sm_config.h"

#include "base/power_of_two.h"

#define U32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct sm_config, field, dflt, lo, hi, unit, help)

/* Rows of an array's element: PARAM_U32 would name it by its index. */
#define ELEMENT_ROW(row_name, element, value, lo, hi, unit_name, meaning)                          \
    {                                                                                              \
        .name = row_name, .type = PARAM_TYPE_U32,                                                  \
        .offset = PARAM_OFFSET(struct sm_config, element, uint32_t), .default_text = value,        \
        .min = lo, .max = hi, .unit = unit_name, .help = meaning                                   \
    }
#define OPERATION_ROW(row_name, array, id, value, hi, meaning)                                     \
    ELEMENT_ROW(row_name, array[SM_OP_##id], #value, 1, hi, "core cycles", meaning)
#define UNITS(name, kind, value, lo, meaning)                                                      \
    ELEMENT_ROW("n_" name "_units", n_units[UNIT_##kind], value, lo, SM_MAX_UNITS, "units", meaning)
#define COLLECTORS(name, kind, value, meaning)                                                     \
    ELEMENT_ROW(name "_collectors", collectors[UNIT_##kind], value, 1, SM_MAX_COLLECTORS,          \
                "collectors", meaning)

static const char *const delay_names[] = {"between", "printed", NULL};
static const char *const mshr_names[] = {"operands", "unit", NULL};

const struct param sm_params[] = {
    U32(n_schedulers, "2", 1, SM_MAX_SCHEDULERS, "schedulers",
        "warp schedulers; warp w belongs to w mod n"),
    PARAM_BOOL(struct sm_config, sub_cores, "false",
               "each scheduler has its own units, collectors and register banks; the counts are "
               "per scheduler"),
    PARAM_BOOL(struct sm_config, rotate_schedulers, "false",
               "the schedulers take turns in issuing first, instead of a fixed order"),
    U32(ibuffer_entries, "2", 1, 8, "instructions", "instruction buffer of a warp"),
    U32(fetch_insts, "2", 1, 8, "instructions", "instructions that one fetch brings"),
    U32(fetch_warps, "1", 1, 8, "warps", "warps that fetch per cycle"),
    U32(inst_bytes, "8", 4, 16, "bytes", "size of an instruction in the instruction cache"),
    UNITS("sp", SP, "2", 1,
          "units for single precision, and for everything without a separate unit"),
    UNITS("int", INT, "0", 0, "units for integer arithmetic; 0 = the SP units do it"),
    UNITS("fp64", FP64, "0", 0, "units for double precision; 0 = the SP units do it"),
    UNITS("sfu", SFU, "1", 1, "units for special functions and division"),
    COLLECTORS("sp", SP, "6", "operand collectors of the SP units"),
    COLLECTORS("int", INT, "6", "operand collectors of the integer units, if there are any"),
    COLLECTORS("fp64", FP64, "6", "operand collectors of the FP64 units, if there are any"),
    COLLECTORS("sfu", SFU, "8", "operand collectors of the SFUs"),
    U32(register_banks, "16", 1, SM_MAX_BANKS, "banks",
        "register file banks, one read per cycle each"),
    U32(ldst_queue, "4", 1, 16, "instructions",
        "memory instructions between issue and completion of their accesses"),
    U32(shared_banks, "32", 1, 64, "banks", "shared memory banks, 4 bytes wide"),
    U32(shared_latency, "24", 1, 1000, "core cycles",
        "from the last pass of a shared access to its result"),
    U32(coalesce_lanes, "32", 8, 32, "lanes", "lanes whose accesses are coalesced into lines"),
    U32(miss_queue, "8", 1, 1024, "requests", "L1 misses and stores waiting for the interconnect"),
    U32(bypass_slots, "64", 1, 4096, "requests", "bypassed loads outstanding"),
    U32(bypass_bytes, "32", 32, 128, "bytes",
        "what a bypassed load fetches: 32-byte segments, or the whole line"),
    U32(l1d_latency, "1", 1, 1000, "core cycles", "from an L1D hit to its result"),
    U32(const_latency, "1", 1, 1000, "core cycles", "from a constant cache hit to its result"),
    PARAM_STRING(struct sm_config, carveout, "none",
                 "none, or sizes of shared memory, ascending (\"0,16K,48K\"); a kernel takes the "
                 "size it needs from L1D's ways"),
    PARAM_BOOL(struct sm_config, l1d_global, "true", "global loads are cached in L1D"),
    PARAM_ENUM(
        struct sm_config, scheduling_delay, "between", delay_names,
        "what --attribute counts as Scheduling: cycles between two visits of a warp, or from visit "
        "to visit, as S3's Algorithm 2 is printed; does not affect the simulation"),
    PARAM_ENUM(
        struct sm_config, mshr_delay, "operands", mshr_names,
        "what --attribute counts as MSHR: waits for the data of a load that waits for an MSHR, or "
        "also waits for a load/store unit that waits for one; does not affect the simulation"),
#define OP(id, name, unit, lat, ival)                                                              \
    OPERATION_ROW(#name "_latency", latency, id, lat, 4096, #name ": from dispatch to result"),    \
        OPERATION_ROW(#name "_interval", interval, id, ival, 4096,                                 \
                      #name ": between dispatches to one unit"),
    SM_OPERATIONS(OP)
#undef OP
};
const uint32_t n_sm_params = sizeof sm_params / sizeof sm_params[0];

bool sm_config_sound(const struct sm_config *c, struct param_flaw *flaw)
{
    if (!is_power_of_two(c->coalesce_lanes))
        return param_flawed(flaw, PARAM_NAMES("coalesce_lanes"),
                            "sm.coalesce_lanes (%u) must be 8, 16 or 32, a part of a warp",
                            c->coalesce_lanes);
    if (!is_power_of_two(c->inst_bytes))
        return param_flawed(
            flaw, PARAM_NAMES("inst_bytes"),
            "sm.inst_bytes (%u) must be 4, 8 or 16: an instruction must lie in one line",
            c->inst_bytes);
    return true;
}

static const char *const index_names[] = {"linear", "hash", NULL};

#define C32(field, dflt, lo, hi, unit, help)                                                       \
    PARAM_U32(struct cache_config, field, dflt, lo, hi, unit, help)
const struct param cache_params[] = {
    C32(n_sets, "32", 1, 65536, "sets", "sets of the cache, or of each bank of L2"),
    C32(n_ways, "4", 1, 64, "ways", "ways of a set"),
    C32(line_bytes, "128", 32, 128, "bytes", "line size"),
    C32(sector_bytes, "128", 32, 128, "bytes", "unit of a fetch; the line size = not sectored"),
    PARAM_ENUM(struct cache_config, index, "linear", index_names, "how an address maps to a set"),
    C32(n_mshrs, "32", 1, 4096, "MSHRs", "outstanding misses"),
    C32(mshr_merges, "8", 1, 64, "accesses", "accesses that one MSHR holds"),
    PARAM_BOOL(struct cache_config, allocate_on_fill, "false",
               "allocate the line when its data arrive, not at the miss"),
    PARAM_BOOL(struct cache_config, write_back, "false", "stores stay here until they are evicted"),
    PARAM_BOOL(struct cache_config, write_allocate, "false",
               "a store that misses allocates the line"),
    PARAM_BOOL(struct cache_config, write_evict, "true", "a store that hits evicts the line"),
    PARAM_STRING(struct cache_config, policy, "lru",
                 "cache policy, one of `heddle show policies`; l1i and l1c support lru only"),
};
const uint32_t n_cache_params = sizeof cache_params / sizeof cache_params[0];
