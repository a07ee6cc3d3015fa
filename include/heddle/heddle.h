/* libheddle: run GPU kernels (PTX, OpenCL C, CUDA C) on a simulated GPU.
 *
 * Order of calls: create a simulation, load a module, allocate and fill buffers, launch kernels,
 * read buffers and statistics, destroy. The library prints and exits only if the host runs out of
 * memory or an assertion finds a bug. Every function that can fail returns a status; heddle_error()
 * then says what happened and what to do. One thread at a time may use a simulation. Several
 * simulations are independent of each other. */
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
    HEDDLE_WRONG_RESULT = 1, /* a workload differs from its reference, or a timed replay from its
                              * recording */
    HEDDLE_BAD_INPUT = 2,    /* the caller's mistake: configuration, program, arguments, missing
                              * files */
    HEDDLE_KERNEL_FAULT = 3, /* the kernel failed: bad access, deadlock, trap, limit reached */
    HEDDLE_ENVIRONMENT = 4,  /* a file cannot be read or written, a tool is missing, out of
                              * memory */
    HEDDLE_STOPPED = 5,      /* the caller's progress function stopped the launch */
};

/* Progress of a timed launch. */
struct heddle_progress {
    const char *kernel; /* NULL = no kernel runs, only CPU programs */
    uint32_t launch;    /* counted from 1 */
    uint64_t ctas_done, ctas;
    uint64_t cycles;     /* core cycles since the simulation began */
    uint64_t warp_insts; /* likewise */
    const char *warning; /* NULL, or a message to show at once: the kernel seems to spin */
    uint64_t cpu_insts;  /* instructions retired by CPU programs */
};

/* Where the cycles of a warp, or of all warps of a CTA, went. A warp's cycles sum to its lifetime,
 * end_cycle - start_cycle. */
enum { HEDDLE_N_LATENCIES = 9 };
struct heddle_attributed {
    bool is_cta;        /* the sums over the warps of a CTA; false = one warp */
    const char *kernel; /* valid during the call */
    uint32_t launch;    /* counted from 1 */
    uint64_t cta;
    uint32_t warp;                       /* number within the CTA */
    uint32_t n_warps;                    /* 1 for a warp */
    uint32_t sm, slot;                   /* where it ran: warp slot or CTA slot of the SM */
    uint64_t start_cycle, end_cycle;     /* assignment to the SM; the cycle after the (last) exit */
    uint64_t cycles[HEDDLE_N_LATENCIES]; /* by heddle_latency_name() */
    /* Of a CTA: the warps that lived longest and shortest; the first one if several are equal. */
    uint32_t slowest_warp, fastest_warp;
    uint64_t slowest_cycles, fastest_cycles;
    uint64_t idle_cycles; /* summed over its warps: from each exit to that of the slowest */
    bool is_live;         /* the launch was cut off at end_cycle, before this warp ended */
};

struct heddle_sim;
struct heddle_module;

/* Zero means the default everywhere. */
struct heddle_options {
    size_t struct_size;   /* sizeof(struct heddle_options), for compatibility */
    const char *gpu;      /* a name from `heddle show gpus`, or a path to a .yaml file */
    const char *host_isa; /* "generic", "avx2", "avx512"; NULL = the best this host has */
    bool timing;          /* false: functional execution only */
    bool strict;          /* integer division by zero stops the kernel; false = it is only
                           * counted */
    bool every_cycle;     /* timing: the per-cycle engine, which simulates every cycle */
    uint32_t quantum;     /* timing: core cycles that parts of the machine may run independently, at
                           * most; 0 = as many as links allow */
    uint64_t max_cycles;  /* timing: stop a launch after this many core cycles; 0 = no limit */
    uint64_t
        max_insts; /* functional: stop a launch after this many warp instructions; 0 = no limit */
    /* Changes to the GPU's parameters, "name=value" each (`heddle show gpu NAME` lists them). */
    const char *const *settings;
    uint32_t n_settings;
    /* Where the output of the kernel's printf goes, in pieces; NULL = discarded. */
    void (*print)(void *user, const char *text, size_t len);
    void *print_user;
    /* Shared objects with schedulers and cache policies. They are loaded before the GPU's
     * description is read, and stay loaded until the program ends; an object may be named more than
     * once. */
    const char *const *plugins;
    uint32_t n_plugins;
    /* Called every few thousand simulated cycles of a timed launch; may be NULL. If it returns
     * false, the launch ends with HEDDLE_STOPPED, and nothing more can be launched. The statistics
     * are then those of the cycle it was called with, as if max_cycles had been that cycle. */
    bool (*progress)(void *user, const struct heddle_progress *p);
    void *progress_user;
    /* Timing: attribute the cycles of every warp to causes (doc/attribution.md). Adds the
     * statistics attribution.* and changes no other. */
    bool attribute;
    /* Called for each warp and each CTA that has ended; NULL = only the sums are wanted. */
    void (*attributed)(void *user, const struct heddle_attributed *record);
    void *attributed_user;
    uint32_t threads; /* timing: threads that share the work; 0 and 1 = the caller's thread only */
    /* Timing: disable all fast paths, in either engine. Slower, with the same results: tells
     * whether a difference is due to the engine or to a fast path (doc/performance.md). */
    bool no_fast_paths;
};

HEDDLE_API const char *heddle_version(void);
HEDDLE_API enum heddle_status heddle_create(const struct heddle_options *options,
                                            struct heddle_sim **out);
HEDDLE_API void heddle_destroy(struct heddle_sim *sim); /* NULL is fine */

/* The last error, as text of one or more lines; "" if there was none. Also works with the sim that
 * heddle_create() returned together with a failure. */
HEDDLE_API const char *heddle_error(const struct heddle_sim *sim);

/* Warnings since the simulation was created (compiler warnings, divisions by zero, spins that no
 * progress function was told), one line or more each; "" if there are none. */
HEDDLE_API const char *heddle_warnings(const struct heddle_sim *sim);

/* The host vector variant in use, as `host_isa` would name it. */
HEDDLE_API const char *heddle_host_isa(const struct heddle_sim *sim);

/* What heddle_attributed.cycles[i] counts: "Scheduling", "Sync", ...; NULL from
 * HEDDLE_N_LATENCIES on. */
HEDDLE_API const char *heddle_latency_name(uint32_t i);

/* --- Programs --- */

enum heddle_language { HEDDLE_PTX, HEDDLE_OPENCL_C, HEDDLE_CUDA_C };

/* Loads a program from text. OpenCL C and CUDA C are compiled with clang, and the result is cached;
 * `build_options` are passed to clang ("-DN=4 -I dir") and may be NULL. `name` is used in messages.
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

/* What a kernel needs, according to the module's PTX. */
struct heddle_kernel_info {
    uint32_t n_params;
    uint32_t registers;         /* 32-bit registers per thread, on its deepest call path */
    uint64_t shared_bytes;      /* static shared memory per CTA */
    uint64_t local_bytes;       /* per thread: variables, spills, call arguments */
    uint32_t required_block[3]; /* threads per CTA; zeros = any */
};
enum heddle_param_space { HEDDLE_PARAM_VALUE, HEDDLE_PARAM_GLOBAL, HEDDLE_PARAM_SHARED };
enum heddle_param_type { HEDDLE_PARAM_BITS, HEDDLE_PARAM_INTEGER, HEDDLE_PARAM_FLOAT };
struct heddle_param_info {
    uint64_t bytes;
    uint32_t align;
    enum heddle_param_space space; /* where a pointer points, if the PTX declares it; otherwise
                                    * VALUE */
    /* As the PTX declares a scalar; BITS for structs and where the type is not declared. A pointer
     * that is not declared as one is an INTEGER of 8 bytes. */
    enum heddle_param_type type;
};
/* False if the module has no kernel of that name, or the kernel has no such parameter. */
HEDDLE_API bool heddle_kernel_find(const struct heddle_module *module, const char *kernel,
                                   struct heddle_kernel_info *out);
HEDDLE_API bool heddle_kernel_param(const struct heddle_module *module, const char *kernel,
                                    uint32_t i, struct heddle_param_info *out);

/* Unloads a module and frees its variables in device memory. Statistics of its kernels stay; a
 * kernel of the same name in a later module adds to them. If launches are being recorded, the
 * module stays in memory until the simulation is destroyed. NULL is fine. */
HEDDLE_API void heddle_unload(struct heddle_sim *sim, struct heddle_module *module);

/* --- Device memory --- */

/* The contents are zero and take no host memory until they are written. Addresses depend only on
 * the order and sizes of the allocations. */
HEDDLE_API enum heddle_status heddle_alloc(struct heddle_sim *sim, uint64_t bytes,
                                           const char *label, uint64_t *address);
HEDDLE_API enum heddle_status heddle_free(struct heddle_sim *sim, uint64_t address);
HEDDLE_API enum heddle_status heddle_write(struct heddle_sim *sim, uint64_t address,
                                           const void *data, uint64_t bytes);
HEDDLE_API enum heddle_status heddle_read(struct heddle_sim *sim, uint64_t address, void *data,
                                          uint64_t bytes);
/* The host address of these bytes of device memory; valid while they are allocated. Use it between
 * launches only. */
HEDDLE_API enum heddle_status heddle_map(struct heddle_sim *sim, uint64_t address, uint64_t bytes,
                                         void **host);
/* Reports that the host has read or written these bytes through heddle_map(). The caches react as
 * they do to heddle_read() and heddle_write(). */
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
    uint32_t grid[3];          /* number of CTAs; 0 counts as 1 */
    uint32_t block[3];         /* threads per CTA; 0 counts as 1 */
    uint32_t global_offset[3]; /* OpenCL's global work offset */
    uint32_t work_dim;         /* OpenCL's get_work_dim(); 0 = derived from the grid and block */
    uint64_t shared_bytes;     /* dynamic shared memory beyond what the arguments request */
    const struct heddle_arg *args;
    uint32_t n_args;
};

/* Runs the kernel to completion. */
HEDDLE_API enum heddle_status heddle_launch(struct heddle_sim *sim, struct heddle_module *module,
                                            const char *kernel, const struct heddle_launch *launch);

/* Ends the GPU's work: its statistics no longer change. The CPU programs of a machine that has some
 * (cpu.programs) run on until each has completed once. The machine accepts no launch after that. */
HEDDLE_API enum heddle_status heddle_finish(struct heddle_sim *sim);

/* Makes a simulation usable again after an incomplete launch: a fault, a limit, or a progress
 * function that stopped it. Device memory stays as the launch left it; modules stay loaded. A timed
 * machine is rebuilt: its caches are cold, and its clock continues from where it stopped.
 * Statistics keep all earlier launches. The incomplete launch adds what it counted if a limit or a
 * progress function cut it off, and nothing after a fault. A recording cannot continue. Does
 * nothing if the last launch was complete. */
HEDDLE_API enum heddle_status heddle_recover(struct heddle_sim *sim);

/* --- Traces: record once, replay on other machines; see doc/traces.md --- */

/* Records every launch from now on. Call it on a timed simulation before its first launch. The
 * trace goes to `write` in pieces, to be written to one file in this order; `write` returns false
 * if it fails. `origin` is stored in the trace for people to read and may be NULL. */
HEDDLE_API enum heddle_status
heddle_record(struct heddle_sim *sim, const char *origin,
              bool (*write)(void *user, const void *data, size_t bytes), void *user);
/* Stores a name and a value in the trace being recorded, for programs to read: ("workload",
 * "bfs"). */
HEDDLE_API enum heddle_status heddle_record_note(struct heddle_sim *sim, const char *name,
                                                 const char *value);
/* Ends the recording. The trace is complete only after HEDDLE_OK. */
HEDDLE_API enum heddle_status heddle_record_end(struct heddle_sim *sim);

/* Replays every launch of a trace on a timed simulation that has launched nothing. Statistics are
 * those of the recorded launches on this simulation's GPU; no results are computed. A trace of
 * kernels whose behaviour depends on timing is refused on a machine other than the one it was
 * recorded on, unless `force` is set; statistics are then those of a machine that makes the same
 * choices. */
HEDDLE_API enum heddle_status heddle_replay(struct heddle_sim *sim, const char *path, bool force);
/* The value that heddle_record_note() stored under that name in the replayed trace; NULL if
 * none. */
HEDDLE_API const char *heddle_replay_note(const struct heddle_sim *sim, const char *name);
/* Was the trace replayed only because of `force`? A warning then says why it would have been
 * refused. */
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
/* Finds a statistic by name; false if there is none. */
HEDDLE_API bool heddle_stat_find(const struct heddle_sim *sim, const char *name,
                                 struct heddle_stat *out);

/* Statistics of single kernels, in the order of their first launches: 0 <= kernel <
 * heddle_launched_count(), i as for heddle_stat_at(). The counters of all kernels sum to those of
 * the run. */
HEDDLE_API uint32_t heddle_launched_count(const struct heddle_sim *sim);
HEDDLE_API const char *heddle_launched_name(const struct heddle_sim *sim, uint32_t kernel);
HEDDLE_API struct heddle_stat heddle_launched_stat_at(const struct heddle_sim *sim, uint32_t kernel,
                                                      uint32_t i);
/* The same for the last launch alone; zeros before the first. */
HEDDLE_API struct heddle_stat heddle_last_stat_at(const struct heddle_sim *sim, uint32_t i);

#ifdef __cplusplus
}
#endif

#endif
