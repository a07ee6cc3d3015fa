/* libheddle: run GPU kernels (PTX, OpenCL C, CUDA C) on a simulated GPU.
 *
 * The flow: create a simulation, load a module, allocate and fill buffers, launch kernels, read
 * buffers and statistics, destroy. The library never prints and never exits: every function that
 * can fail returns a status, and heddle_error() then tells what happened and what to do.
 * A simulation is used by one thread at a time; several simulations are independent.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_API __attribute__((visibility("default")))

/* The values are also the exit statuses of the command line. */
enum heddle_status {
    HEDDLE_OK = 0,
    HEDDLE_WRONG_RESULT = 1, /* a workload differs from its reference, a timed replay from its
                                recording */
    HEDDLE_BAD_INPUT = 2,    /* the caller's mistake: configuration, program, arguments, files that
                                are not there */
    HEDDLE_KERNEL_FAULT = 3, /* the kernel went wrong: bad access, deadlock, trap, its limit */
    HEDDLE_ENVIRONMENT = 4,  /* a file that cannot be read or written, no tool, no memory */
    HEDDLE_STOPPED = 5,      /* the caller's progress function stopped the launch */
};

/* How far a timed launch has come. */
struct heddle_progress {
    const char *kernel; /* NULL = none runs, and CPU programs go on */
    uint32_t launch;    /* counted from 1 */
    uint64_t ctas_done, ctas;
    uint64_t cycles;     /* core cycles since the simulation began */
    uint64_t warp_insts; /* likewise */
    const char *warning; /* NULL, or what should be known at once: the kernel seems to spin */
    uint64_t cpu_insts;  /* instructions that CPU programs have retired */
};

/* Where the cycles of a warp, or of all warps of a CTA, went. Those of a warp sum up to its
 * lifetime, end_cycle - start_cycle. */
enum { HEDDLE_N_LATENCIES = 9 };
struct heddle_attributed {
    bool is_cta;        /* sums over the warps of a CTA, else one warp */
    const char *kernel; /* valid during the call */
    uint32_t launch;    /* counted from 1 */
    uint64_t cta;
    uint32_t warp;                       /* number within the CTA */
    uint32_t n_warps;                    /* 1 for a warp */
    uint32_t sm, slot;                   /* where it ran: warp slot or CTA slot of the SM */
    uint64_t start_cycle, end_cycle;     /* assignment to the SM; the cycle after the (last) exit */
    uint64_t cycles[HEDDLE_N_LATENCIES]; /* by heddle_latency_name() */
    /* Of a CTA: its warps with the longest and the shortest life, the first of equals. */
    uint32_t slowest_warp, fastest_warp;
    uint64_t slowest_cycles, fastest_cycles;
    uint64_t idle_cycles; /* of its warps, from their exits to that of the slowest */
    bool is_live;         /* a warp that had not ended when the launch was cut off, in end_cycle */
};

struct heddle_sim;
struct heddle_module;

/* Zero means the default everywhere. */
struct heddle_options {
    size_t struct_size;   /* sizeof(struct heddle_options), for compatibility */
    const char *gpu;      /* a name from `heddle show gpus`, or a path to a .yaml file */
    const char *host_isa; /* "generic", "avx2", "avx512"; NULL = the best this host has */
    bool timing;          /* false: functional execution only */
    bool strict;          /* integer division by zero stops the kernel instead of being counted */
    bool every_cycle;     /* timing: the per-cycle engine, which leaves out no cycle */
    uint32_t quantum;     /* timing: longest quantum in core cycles; 0 = as long as links allow */
    uint64_t max_cycles;  /* timing: stop a launch after so many core cycles; 0 = no limit */
    uint64_t
        max_insts; /* functional: stop a launch after so many warp instructions; 0 = no limit */
    /* Changes to the GPU's parameters, "name=value" each (`heddle show gpu` lists the names). */
    const char *const *settings;
    uint32_t n_settings;
    /* Where the output of the kernel's printf goes, in pieces; NULL = dropped. */
    void (*print)(void *user, const char *text, size_t len);
    void *print_user;
    /* Shared objects with schedulers and cache policies, loaded before the GPU is. They stay loaded
     * for the whole program; naming one again is fine. */
    const char *const *plugins;
    uint32_t n_plugins;
    /* Told every few thousand simulated cycles of a timed launch; NULL = nobody. If it returns
     * false, the launch ends with HEDDLE_STOPPED, and nothing more can be launched. The statistics
     * are then those of the cycle it was called with, as if that had been max_cycles. */
    bool (*progress)(void *user, const struct heddle_progress *p);
    void *progress_user;
    /* Timing: attribute the cycles of every warp to causes (doc/attribution.md). Adds the
     * statistics attribution.*, changes no other. */
    bool attribute;
    /* Told of each warp and each CTA that has ended; NULL = the sums are enough. */
    void (*attributed)(void *user, const struct heddle_attributed *record);
    void *attributed_user;
    uint32_t threads; /* timing: threads that share the work; 0 and 1 = the caller's alone */
    /* Timing: every part of the machine takes its general way, whatever fast paths it has, in
     * either engine. Slower, and the results are the same: to find out whether a difference is due
     * to the engine or to a fast path (doc/performance.md). */
    bool no_fast_paths;
};

HEDDLE_API const char *heddle_version(void);
HEDDLE_API enum heddle_status heddle_create(const struct heddle_options *options,
                                            struct heddle_sim **out);
HEDDLE_API void heddle_destroy(struct heddle_sim *sim); /* NULL is fine */

/* What went wrong last, as text of one or more lines; "" when nothing did. Also works with the
 * sim that heddle_create() returned together with a failure. */
HEDDLE_API const char *heddle_error(const struct heddle_sim *sim);

/* What should be known besides errors (compiler warnings, divisions by zero, spins that no progress
 * function was called for), one line or more each, since the simulation was created; "" when there
 * is nothing. */
HEDDLE_API const char *heddle_warnings(const struct heddle_sim *sim);

/* The host vector variant in use, as `host_isa` would name it. */
HEDDLE_API const char *heddle_host_isa(const struct heddle_sim *sim);

/* What heddle_attributed.cycles[i] counts: "Scheduling", "Sync", ...; NULL from
 * HEDDLE_N_LATENCIES on. */
HEDDLE_API const char *heddle_latency_name(uint32_t i);

/* --- Programs --- */

enum heddle_language { HEDDLE_PTX, HEDDLE_OPENCL_C, HEDDLE_CUDA_C };

/* Loads a program from text. OpenCL C and CUDA C are compiled with clang (the result is cached);
 * `build_options` are handed to it ("-DN=4 -I dir"), may be NULL. `name` is used in messages.
 * The module lives until heddle_unload() or until the sim is destroyed. */
HEDDLE_API enum heddle_status heddle_load(struct heddle_sim *sim, enum heddle_language language,
                                          const char *name, const char *text, size_t len,
                                          const char *build_options, struct heddle_module **out);
/* The same from a file; the language follows from the extension .ptx, .cl or .cu. */
HEDDLE_API enum heddle_status heddle_load_file(struct heddle_sim *sim, const char *path,
                                               const char *build_options,
                                               struct heddle_module **out);

/* The names of the module's kernels: 0 <= i < heddle_kernel_count(). */
HEDDLE_API uint32_t heddle_kernel_count(const struct heddle_module *module);
HEDDLE_API const char *heddle_kernel_name(const struct heddle_module *module, uint32_t i);

/* What a kernel needs, as the module's PTX says. */
struct heddle_kernel_info {
    uint32_t n_params;
    uint32_t registers;         /* 32-bit registers of a thread, over its deepest calls */
    uint64_t shared_bytes;      /* static shared memory of a CTA */
    uint64_t local_bytes;       /* of a thread: variables, spills, call arguments */
    uint32_t required_block[3]; /* threads of a CTA; zeros = any */
};
enum heddle_param_space { HEDDLE_PARAM_VALUE, HEDDLE_PARAM_GLOBAL, HEDDLE_PARAM_SHARED };
enum heddle_param_type { HEDDLE_PARAM_BITS, HEDDLE_PARAM_INTEGER, HEDDLE_PARAM_FLOAT };
struct heddle_param_info {
    uint64_t bytes;
    uint32_t align;
    enum heddle_param_space space; /* where a pointer points, if the PTX says; else VALUE */
    /* As the PTX declares a scalar; BITS for structs, and where it does not say. A pointer that is
     * not declared as one is an INTEGER of 8 bytes. */
    enum heddle_param_type type;
};
/* False if the module has no kernel of that name, or the kernel no such parameter. */
HEDDLE_API bool heddle_kernel_find(const struct heddle_module *module, const char *kernel,
                                   struct heddle_kernel_info *out);
HEDDLE_API bool heddle_kernel_param(const struct heddle_module *module, const char *kernel,
                                    uint32_t i, struct heddle_param_info *out);

/* Forgets a module and frees its variables in device memory. Statistics of its kernels stay; a
 * kernel of the same name in a later module adds to them. While launches are recorded, the module
 * stays in memory until the simulation is destroyed. NULL is fine. */
HEDDLE_API void heddle_unload(struct heddle_sim *sim, struct heddle_module *module);

/* --- Device memory --- */

/* The contents are zero, and take no memory of the host until they are written. Addresses depend
 * on the order and sizes of the calls alone. */
HEDDLE_API enum heddle_status heddle_alloc(struct heddle_sim *sim, uint64_t bytes,
                                           const char *label, uint64_t *address);
HEDDLE_API enum heddle_status heddle_free(struct heddle_sim *sim, uint64_t address);
HEDDLE_API enum heddle_status heddle_write(struct heddle_sim *sim, uint64_t address,
                                           const void *data, uint64_t bytes);
HEDDLE_API enum heddle_status heddle_read(struct heddle_sim *sim, uint64_t address, void *data,
                                          uint64_t bytes);
/* Where the host sees these bytes of device memory, for as long as they are allocated. To be used
 * between launches only. */
HEDDLE_API enum heddle_status heddle_map(struct heddle_sim *sim, uint64_t address, uint64_t bytes,
                                         void **host);
/* The host has read or written these bytes where heddle_map() shows them. The caches learn of it as
 * they do of heddle_read() and heddle_write(). */
HEDDLE_API enum heddle_status heddle_mapped(struct heddle_sim *sim, uint64_t address,
                                            uint64_t bytes, bool is_write);

/* --- Launch --- */

/* One kernel argument: `bytes` bytes at `data`, or, where `local` is set, a buffer of `bytes`
 * bytes of shared memory (an OpenCL __local pointer; `data` is ignored). */
struct heddle_arg {
    const void *data;
    size_t bytes;
    bool local;
};

struct heddle_launch {
    uint32_t grid[3];          /* CTAs; 0 counts as 1 */
    uint32_t block[3];         /* threads of a CTA; 0 counts as 1 */
    uint32_t global_offset[3]; /* OpenCL's global work offset */
    uint32_t work_dim;         /* OpenCL's get_work_dim(); 0 = as the grid and block show */
    uint64_t shared_bytes;     /* dynamic shared memory beyond what arguments ask for */
    const struct heddle_arg *args;
    uint32_t n_args;
};

/* Runs the kernel to its end. */
HEDDLE_API enum heddle_status heddle_launch(struct heddle_sim *sim, struct heddle_module *module,
                                            const char *kernel, const struct heddle_launch *launch);

/* The GPU's work is done: its statistics stay as they are, and the CPU programs of a machine that
 * has some (cpu.programs) go on until each has ended once. Such a machine takes no launch after
 * that. */
HEDDLE_API enum heddle_status heddle_finish(struct heddle_sim *sim);

/* Makes a simulation usable again after a launch that did not run to its end: a fault, a limit, or
 * a progress function that stopped it. Device memory is as the launch left it; modules stay loaded.
 * A timed machine is built again: its caches are cold and its clock goes on from where it stood.
 * Statistics keep all earlier launches, and of the last one what its end defines: what it counted
 * if a limit or a progress function cut it off, nothing after a fault. A recording cannot go on.
 * Does nothing if the last launch was complete. */
HEDDLE_API enum heddle_status heddle_recover(struct heddle_sim *sim);

/* --- Traces: record once, replay on other machines; see doc/traces.md --- */

/* Records every launch from now on: to be called on a timed simulation before its first launch.
 * The trace goes to `write` in pieces, which returns false if it cannot take one; all of them end
 * up in one file. `origin` is kept in it for people to read, and may be NULL. */
HEDDLE_API enum heddle_status
heddle_record(struct heddle_sim *sim, const char *origin,
              bool (*write)(void *user, const void *data, size_t bytes), void *user);
/* Keeps a name and a value in the trace that is being recorded, for programs to read:
 * ("workload", "bfs"). */
HEDDLE_API enum heddle_status heddle_record_note(struct heddle_sim *sim, const char *name,
                                                 const char *value);
/* Ends the recording. Only after HEDDLE_OK is the trace complete. */
HEDDLE_API enum heddle_status heddle_record_end(struct heddle_sim *sim);

/* Replays every launch of a trace on a timed simulation that has launched nothing: statistics are
 * those of the recorded launches on this simulation's GPU; no result is computed. A trace of
 * kernels whose doings depend on time is refused on another machine than it was recorded on, unless
 * `force`; statistics are then those of a machine that makes the same choices. */
HEDDLE_API enum heddle_status heddle_replay(struct heddle_sim *sim, const char *path, bool force);
/* Of the trace that was replayed: what heddle_record_note() kept under that name; NULL if nothing.
 */
HEDDLE_API const char *heddle_replay_note(const struct heddle_sim *sim, const char *name);
/* Was it replayed only because of `force`? A warning then says why it would have been refused. */
HEDDLE_API bool heddle_replay_is_forced(const struct heddle_sim *sim);

/* --- Statistics, summed over the launches so far --- */

struct heddle_stat {
    const char *name; /* flat, dotted: "warp_insts", "l1d.hits" */
    const char *unit;
    const char *help;
    bool is_real; /* `real` holds the value, else `count` */
    uint64_t count;
    double real;
};

HEDDLE_API uint32_t heddle_stat_count(const struct heddle_sim *sim);
HEDDLE_API struct heddle_stat heddle_stat_at(const struct heddle_sim *sim, uint32_t i);
/* Looks one up by name; false if there is none. */
HEDDLE_API bool heddle_stat_find(const struct heddle_sim *sim, const char *name,
                                 struct heddle_stat *out);

/* The same by kernel, in the order of their first launches: 0 <= kernel < heddle_launched_count(),
 * i as for heddle_stat_at(). Counters sum up to those of the whole run. */
HEDDLE_API uint32_t heddle_launched_count(const struct heddle_sim *sim);
HEDDLE_API const char *heddle_launched_name(const struct heddle_sim *sim, uint32_t kernel);
HEDDLE_API struct heddle_stat heddle_launched_stat_at(const struct heddle_sim *sim, uint32_t kernel,
                                                      uint32_t i);
/* The same of the last launch alone; zeros before the first. */
HEDDLE_API struct heddle_stat heddle_last_stat_at(const struct heddle_sim *sim, uint32_t i);

#ifdef __cplusplus
}
#endif

#endif
