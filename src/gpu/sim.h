/* A simulation: the implementation of include/heddle/heddle.h. */
#ifndef HEDDLE_GPU_SIM_H
#define HEDDLE_GPU_SIM_H

#include "emu/warp.h"
#include "gpu/machine_totals.h"
#include "gpu/spin_watch.h"
#include "gpu/warp_records.h"
#include "heddle/heddle.h"

struct heddle_module {
    struct ptx_module *ptx;
    struct strbuf text; /* PTX, as it was given or compiled */
    struct program *program;
    struct arena arena;
    const struct op_timing *timing; /* NULL until it is needed */
    struct heddle_module *next;
};

/* What the launches of one kernel counted. */
struct kernel_record {
    char *name;
    const struct program_func *func; /* NULL once its module is unloaded */
    struct run_stats run;
    struct machine_totals machine;
};

/* The counts at a point in time. */
struct kernel_mark {
    struct run_stats run;
    struct machine_totals machine;
};

struct heddle_sim {
    struct machine_config *config;
    const struct gpu_config *gpu;      /* part of config */
    struct machine *machine;           /* NULL = functional execution */
    struct warp_records *warp_records; /* NULL = not requested */
    struct spin_watch *spin_watch;     /* NULL = functional execution */
    struct dev_mem mem;
    struct emu emu;
    struct run_stats stats;
    struct heddle_module *modules;
    struct trace_recorder *recorder; /* NULL = nothing is recorded */
    bool record_failed;              /* a launch was not recorded to its end */
    uint64_t recorded_insts;         /* warp instructions of the launches so far */
    struct arena notes_arena;        /* of the trace that was replayed: */
    struct trace_note *notes;
    uint32_t n_notes;
    bool replay_is_forced;
    uint32_t isa;
    uint64_t max_insts;
    uint32_t n_launches;
    struct kernel_record *kernels; /* in the order of their first launches */
    uint32_t n_kernels, cap_kernels;
    struct kernel_mark before; /* the last launch */
    struct kernel_mark last;   /* the counts of the last launch */
    bool last_faulted;
    struct machine_totals past; /* of earlier machines (heddle_recover()) */
    uint64_t past_cycles;       /* on their clocks */
    struct machine_options machine_options;
    struct cpu_source *cpu_sources[MACHINE_MAX_CPUS];
    void (*attributed)(void *user, const struct heddle_attributed *record);
    void *attributed_user;
    bool (*progress)(void *user, const struct heddle_progress *p);
    void *progress_user;
    struct strbuf news; /* a warning that the progress function has not received yet */
    bool warned_of_stale;
    bool loads_later; /* more modules will be loaded: annotations may name kernels that are not
                       * known yet */
    struct strbuf error;
    struct strbuf warnings; /* of successful calls: from the compiler and at run time */
};

/* A program may launch a kernel many times; one warning is enough. */
void sim_warn_once(struct heddle_sim *sim, const char *text);
/* Replaces the error text and returns the status. */
enum heddle_status sim_fail(struct heddle_sim *sim, enum heddle_status status, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));

/* Statistics by kernel (kernel_stats.c): the counts before a launch, and the launch's share once it
 * has ended. */
void kernel_stats_mark(const struct heddle_sim *sim, struct kernel_mark *mark);
struct kernel_record *kernel_stats_of(struct heddle_sim *sim, const struct program_func *func);
void kernel_stats_add(struct heddle_sim *sim, const struct program_func *func,
                      const struct kernel_mark *before);
/* Counts of the current and earlier machines; there must be one. */
void sim_machine_totals(const struct heddle_sim *sim, struct machine_totals *t);
/* The records of a module's kernels keep only their names. */
void kernel_stats_forget(struct heddle_sim *sim, const struct heddle_module *module);
/* Builds the machine and its observers. */
void sim_create_machine(struct heddle_sim *sim);
void sim_destroy_machine(struct heddle_sim *sim);
void sim_destroy_module(struct heddle_module *module);
/* All counts of instructions, wherever they were counted. */
struct run_stats sim_run_stats(const struct heddle_sim *sim);
/* All statistics, as many as heddle_stat_count() says. */
void sim_take_stats(const struct heddle_sim *sim, struct heddle_stat *out);

/* Places the module's variables in device memory and makes it ready to run. */
enum heddle_status sim_load_ptx(struct heddle_sim *sim, const char *name, const char *text,
                                size_t len, struct heddle_module **out);
/* The same with variables at given addresses, which take no memory: nothing is read there. */
enum heddle_status sim_load_placed(struct heddle_sim *sim, const char *name, const char *text,
                                   size_t len, const uint64_t *addresses, uint32_t n_addresses,
                                   struct heddle_module **out);

/* --- CPU programs (cpu_programs.c) --- */
/* Opens what the cores of the configuration run; records it first if necessary. */
enum heddle_status sim_open_cpus(struct heddle_sim *sim);
void sim_close_cpus(struct heddle_sim *sim);
/* Why the rest of a trace cannot be read. */
enum heddle_status sim_describe_bad_trace(const struct heddle_sim *sim, struct strbuf *out);

/* --- launching (launch.c) --- */
/* A check found inconsistent counters: `why` has a line for each violated identity. */
enum heddle_status sim_fail_contradiction(struct heddle_sim *sim, const char *why);
/* Fills in everything except parameters and shared memory; checks it against kernel and GPU. */
enum heddle_status sim_prepare_launch(struct heddle_sim *sim, struct heddle_module *module,
                                      const char *kernel, const struct heddle_launch *launch,
                                      struct emu_launch *l);
bool sim_check_shared(struct heddle_sim *sim, const struct ptx_func *f, uint64_t bytes);
/* The ways to run sim->emu.launch: without time; on the machine's GPU; and the status for the
 * machine's end, with a text in emu.fault. */
enum heddle_status sim_run_functional(struct heddle_sim *sim);
enum machine_end sim_run_machine(struct heddle_sim *sim, struct heddle_module *module);
enum heddle_status sim_report_end(struct heddle_sim *sim, enum machine_end end);
/* Runs sim->emu.launch of the module. */
enum heddle_status sim_run_launch(struct heddle_sim *sim, struct heddle_module *module);

/* Warns once about reads of data that L2 had dropped. */
void sim_warn_of_stale(struct heddle_sim *sim);

/* --- recording (record.c): around each timed launch; does nothing if nothing is recorded --- */
void sim_record_begin(struct heddle_sim *sim, struct heddle_module *module);
void sim_record_end(struct heddle_sim *sim, bool ran_to_its_end);
/* All parameters of the machine as text: equal texts mean equal machines. */
void sim_describe_machine(const struct heddle_sim *sim, struct strbuf *out);

#endif
