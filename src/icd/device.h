/* A device: one simulated GPU, its simulation, and the thread that runs its commands one at a
 * time. */
#ifndef HEDDLE_ICD_DEVICE_H
#define HEDDLE_ICD_DEVICE_H

#include <pthread.h>

#include "gpu/machine_config.h"
#include "heddle/heddle.h"
#include "icd/platform.h"

/* The engine that a command occupies. MODEL: kernels, transfers to the device and transfers from it
 * overlap; two commands of one kind run one after the other. */
enum icd_engine { ENGINE_COMPUTE, ENGINE_UP, ENGINE_DOWN, N_ENGINES, ENGINE_NONE = N_ENGINES };

struct icd_command;

struct _cl_device_id {
    struct icd_object base;
    struct _cl_platform_id *platform;
    struct machine_config *config;
    const char *gpu; /* as the user named it */
    struct strbuf name;

    /* Held while the simulation is used. Never take icd_lock() while holding it. */
    pthread_mutex_t sim_lock;
    struct heddle_sim *sim; /* NULL until a context uses the device */

    pthread_t worker;
    bool worker_runs, stop;
    struct icd_command *first, *last; /* submitted commands in order, including the running one */
    uint64_t free_at_ns[N_ENGINES];   /* simulated */
    uint64_t *retired;                /* addresses to be freed at the program's next wait */
    uint32_t n_retired, cap_retired;
    struct heddle_module **retired_modules; /* modules to be unloaded likewise */
    uint32_t n_retired_modules, cap_retired_modules;
    _Atomic uint64_t allocated_bytes;
    uint64_t n_launches, n_failed;
    struct launch_files *files; /* NULL until a context uses the device */
    struct hetero *hetero;      /* for "Heddle HeteroPDP", otherwise NULL */
    struct l2_advice *advice;   /* observes L2; NULL unless requested */
};

/* NULL on errors, which are in `error`. */
struct _cl_device_id *device_new(struct _cl_platform_id *p, const char *gpu, struct strbuf *error);
/* Creates the simulation and starts the thread, on the first call. Call it without the lock. */
cl_int device_open(struct _cl_device_id *d);
/* At the end of the process: runs all ready commands, ends the threads, and writes the remaining
 * output of launches. */
void devices_stop(void);

/* Simulated time to transfer `bytes` bytes to or from the host. */
uint64_t device_transfer_ns(const struct _cl_device_id *d, uint64_t bytes);
/* The same for a copy within its own memory. */
uint64_t device_copy_ns(const struct _cl_device_id *d, uint64_t bytes);
/* Maximum threads of a work-group, and its maximum shared memory. */
size_t device_max_group(const struct _cl_device_id *d);
uint64_t device_local_bytes(const struct _cl_device_id *d);
uint64_t device_global_bytes(const struct _cl_device_id *d);
uint64_t device_max_alloc_bytes(const struct _cl_device_id *d);

enum {
    MAX_IMAGE_SIDE = 16384,
    MAX_IMAGE_SIDE_3D = 2048,
    MAX_IMAGE_LAYERS = 2048,
    MAX_READ_IMAGES = 128,
    MAX_WRITE_IMAGES = 64,
    MAX_SAMPLERS = 16,
    MAX_ARG_BYTES = 4096,
    BASE_ALIGN_BITS = 1024,
    MAX_DEVICES_OF_CONTEXT = 32,
};
#define MAX_IMAGE_BUFFER ((size_t)1 << 27)

#endif
