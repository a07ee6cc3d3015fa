#include "icd/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/l2_advice.h"
#include "icd/hetero.h"
#include "icd/launch_log.h"

struct _cl_device_id *device_new(struct _cl_platform_id *p, const char *gpu, struct strbuf *error)
{
    struct diag_list diags = {0};
    struct machine_config *config =
        machine_config_load(gpu, p->settings.words, p->settings.n_words, &diags);
    if (!config)
        diag_format(&diags, error);
    diag_list_destroy(&diags);
    if (!config)
        return NULL;
    icd_lock();
    struct _cl_device_id *d = object_create(ICD_DEVICE, sizeof *d);
    icd_unlock();
    d->platform = p;
    d->config = config;
    d->gpu = gpu;
    strbuf_addf(&d->name, "%s (simulated)", config->gpu->name);
    pthread_mutex_init(&d->sim_lock, NULL);
    return d;
}

/* The output of kernels' printf goes to the program's own output. */
static void print(void *user, const char *text, size_t len)
{
    (void)user;
    fwrite(text, 1, len, stdout);
}

/* HeteroPDP runs no kernel itself. */
static bool is_timed(const struct _cl_device_id *d)
{
    return !d->platform->settings.functional && !d->hetero;
}

static enum heddle_status create_sim(struct _cl_device_id *d)
{
    const struct icd_settings *s = &d->platform->settings;
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = d->gpu,
                               .timing = is_timed(d),
                               .max_cycles = is_timed(d) ? s->max_cycles : 0,
                               .max_insts = s->functional ? s->max_insts : 0,
                               .settings = s->words,
                               .n_settings = s->n_words,
                               .print = print,
                               .threads = s->threads,
                               .attribute = s->attribute && is_timed(d)};
    enum heddle_status status = heddle_create(&o, &d->sim);
    if (status == HEDDLE_OK) {
        d->sim->loads_later = true;
        if (s->l2_watch && o.timing) {
            d->advice = l2_advice_create();
            l2_advice_watch(d->advice, d->sim);
        }
        return status;
    }
    icd_complain("%s", heddle_error(d->sim));
    heddle_destroy(d->sim);
    d->sim = NULL;
    return status;
}

cl_int device_open(struct _cl_device_id *d)
{
    pthread_mutex_lock(&d->sim_lock);
    bool is_new = !d->sim;
    enum heddle_status status = is_new ? create_sim(d) : HEDDLE_OK;
    if (is_new && status == HEDDLE_OK && !d->hetero)
        launch_log_begin(d);
    pthread_mutex_unlock(&d->sim_lock);
    if (status != HEDDLE_OK)
        return CL_DEVICE_NOT_AVAILABLE;
    icd_lock();
    cl_int code = CL_SUCCESS;
    if (!d->worker_runs) {
        d->worker_runs = pthread_create(&d->worker, NULL, worker_main, d) == 0;
        code = d->worker_runs ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    icd_unlock();
    return code;
}

static void stop_device(struct _cl_device_id *d)
{
    icd_lock();
    bool join = d->worker_runs;
    d->stop = true;
    icd_changed();
    icd_unlock();
    if (join)
        pthread_join(d->worker, NULL);
    d->worker_runs = false;
    if (!d->hetero)
        launch_log_end(d);
    else if (d->platform->settings.summary)
        hetero_summary(d->hetero);
}

void devices_stop(void)
{
    struct _cl_platform_id *p = platform_get();
    for (uint32_t i = 0; i < p->n_devices + p->n_hidden; i++)
        stop_device(p->devices[i]);
    notify_stop();
    fflush(stdout);
}
