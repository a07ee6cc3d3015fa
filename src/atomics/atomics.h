/* The interface of an atomics unit: where and when atomics on global memory are ordered and
 * performed. One unit = one file = one descriptor. A machine uses one unit, with an instance in
 * each SM and in each memory slice. The unit decides; SM and slice apply the decision to their
 * queues, caches and warps.
 *
 * There are two kinds of units. Those that perform atomics in L2 leave `net` NULL. A request
 * (struct mem_request) carries one atomic_request: the lanes of an instruction that access one
 * line. Its life is:
 *
 * - the SM's load/store unit has it: take(), repeated in later cycles as long as it must wait
 * - its bank in the slice has it: may_serve(), repeated as long as the answer is no
 * - its data are in L2: perform()
 * - they are not: await_data(), and perform() when they have arrived
 * - its reply is back in the SM: answer(), which returns when its effect becomes visible to all
 *   SMs
 *
 * At the end of a visibility period at_boundary() makes visible what slices have performed.
 * The SM holds instructions after a barrier or fence until then.
 *
 * The other kind performs atomics in the SM, under mutexes (mutex_unit.h), and names the network
 * that locates the mutexes. Their SMs send each other messages while kernels with atomics run. L2
 * sees their loads and stores; what SMs have performed becomes visible at the end of a period,
 * after what slices have performed. */
#ifndef HEDDLE_ATOMICS_ATOMICS_H
#define HEDDLE_ATOMICS_ATOMICS_H

#include "atomics/atomic_request.h"
#include "atomics/mutex_unit.h"
#include "cache/cache.h"
#include "config/plugin.h"
#include "request/request.h"

#define ATOMICS_ABI                                                                                \
    PLUGIN_ABI(2, sizeof(struct atomic_request) + sizeof(struct mem_request) +                     \
                      sizeof(struct atomics_sm) + sizeof(struct atomics_slice))

struct atomics_desc;

/* The unit in an SM. */
struct atomics_sm {
    const struct atomics_desc *desc;
    const void *params;
    sim_time latency_to_l2; /* shortest time from the issue of an instruction to L2 */
    sim_time visibility;    /* length of a period */
    /* If atomics are performed in the SM; otherwise NULL. */
    struct mutex_unit *mutexes;
    struct overlay *overlay; /* what was performed in this visibility period */
};

/* The free resources of the SM in this cycle. */
struct atomics_resources {
    bool miss_queue;
};

/* What the load/store unit does with a request. */
enum atomics_step {
    ATOMICS_WAIT,  /* retries when what it waits for may have changed */
    ATOMICS_TO_L2, /* sends it to its slice; L1D invalidates the line, which L2 will change */
    ATOMICS_HERE   /* gives it to mutex_unit_enter() */
};
struct atomics_taken {
    enum atomics_step step;
    enum cache_stall cause; /* if it must wait: the reason */
};

/* The unit in a bank of a slice. */
struct atomics_bank {
    struct atomics_slice *slice;
    struct cache *cache; /* the bank's */
    void *state;         /* desc->bank_bytes, zeroed by the framework */
};

/* The unit in a slice. */
struct atomics_slice {
    const struct atomics_desc *desc;
    const void *params;
    struct dev_mem *mem;
    uint32_t per_cycle; /* lane operations that a bank can do per cycle */
    uint32_t n_banks;
    struct atomics_bank *banks;
    struct overlay overlay; /* what was performed in this visibility period */
    /* For units that perform atomics in SMs: the number of writes that the slice has
     * served, per line. */
    bool counts_writes;
    struct ledger writes;
};

/* Required: all functions of an SM, and without `net` all functions of a slice but destroy_bank. */
struct atomics_desc {
    PLUGIN_HEAD; /* abi_version = ATOMICS_ABI */
    /* Atomics are performed in SMs, and this network locates mutexes; the parameters are a struct
     * mutex_params, the statistics a struct mutex_stats. NULL = they are performed in L2. */
    const struct mutex_net *net;
    /* Is a machine with that many SMs possible? NULL = any number is. On false, `flaw` names the
     * parameter and the reason. */
    bool (*check)(uint32_t n_sms, const void *params, struct param_flaw *flaw);
    /* Bits of storage that it needs in hardware, per SM; see plugin_cost(). */
    uint64_t (*cost_bits)(uint32_t n_sms, const void *params, struct strbuf *parts);

    /* --- in an SM --- */
    /* A request is performed at least this long after the issue of its instruction. The SM delays
     * atomics so that its earlier stores are visible by then. */
    sim_time (*lead)(const struct atomics_sm *u);
    struct atomics_taken (*take)(struct atomics_sm *u, const struct mem_access *a,
                                 struct atomics_resources room);
    /* Gives the warp its values; returns when the request's effect becomes visible to all. */
    sim_time (*answer)(struct atomics_sm *u, struct mem_request *r, struct emu_warp *w);

    /* --- in a slice --- */
    size_t bank_bytes;                 /* of atomics_bank.state */
    void (*destroy_bank)(void *state); /* NULL = nothing to free */
    /* Do earlier atomics on its line allow the bank to serve its oldest request? */
    bool (*may_serve)(const struct atomics_bank *b, const struct mem_request *r);
    /* The bank has accepted the request, but its data are missing: `mshr` fetches them, or is
     * CACHE_NO_MSHR if the load bypasses L2. */
    void (*await_data)(struct atomics_bank *b, const struct mem_request *r, uint32_t mshr);
    /* Returns the number of cycles that the bank is busy with it. waited: after await_data(). */
    uint32_t (*perform)(struct atomics_bank *b, struct mem_request *r, bool waited, sim_time now);
    void (*at_boundary)(struct atomics_slice *s);
};

/* --- registry (registry.c): atomics.def --- */
uint32_t atomics_count(void);
const struct atomics_desc *atomics_at(uint32_t i);
const struct atomics_desc *atomics_find(const char *name);
/* Is the descriptor complete, with valid defaults? Otherwise `why` says what is missing. */
bool atomics_is_sound(const struct atomics_desc *d, struct strbuf *why);

/* --- instances (atomics.c); parameters and memory must outlive them --- */
/* The caller has set desc, params, mem and per_cycle. */
void atomics_slice_create(struct atomics_slice *s, uint32_t n_banks);
void atomics_slice_destroy(struct atomics_slice *s);

/* The default answer(): visible at the end of the period in which it was performed. */
sim_time atomics_answer(struct atomics_sm *u, struct mem_request *r, struct emu_warp *w);

/* Does it have work for the end of the visibility period? */
static inline bool atomics_need_boundary(const struct atomics_slice *s)
{
    return s->overlay.n != 0;
}

#endif
