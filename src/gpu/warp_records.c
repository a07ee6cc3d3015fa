#include "gpu/warp_records.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)HEDDLE_N_LATENCIES == (int)N_LATENCIES, "the header promises one number each");

const char *heddle_latency_name(uint32_t i)
{
    static const char *const names[] = {
#define LATENCY(id, name, title, help) title,
        LATENCIES(LATENCY)
#undef LATENCY
    };
    return i < N_LATENCIES ? names[i] : NULL;
}

/* Records are collected per SM for this long, which bounds memory. */
enum { PERIOD_CYCLES = 4096 };

struct sm_records {
    struct heddle_attributed ctas[SM_MAX_CTAS]; /* by CTA slot: their warps so far */
    struct heddle_attributed *items;            /* ended, not passed on yet */
    uint32_t n, cap;
};

struct warp_records {
    struct sm_records *sms;
    uint32_t n_sms;
    const char *kernel;
    void (*tell)(void *user, const struct heddle_attributed *record);
    void *user;
};

static struct heddle_attributed warp_record(const struct warp_latency *w)
{
    struct heddle_attributed r = {.launch = w->launch + 1,
                                  .cta = w->cta,
                                  .warp = w->warp_in_cta,
                                  .n_warps = 1,
                                  .sm = w->sm,
                                  .slot = w->slot,
                                  .start_cycle = w->start,
                                  .end_cycle = w->end,
                                  .is_live = w->is_cut};
    memcpy(r.cycles, w->cycles, sizeof r.cycles);
    return r;
}

static uint64_t lifetime(const struct heddle_attributed *r)
{
    return r->end_cycle - r->start_cycle;
}

/* All warps of a CTA start together, so a warp that lives longer makes ended ones wait. */
static void keep_pace(struct heddle_attributed *cta, const struct heddle_attributed *w)
{
    uint64_t life = lifetime(w);
    if (life > cta->slowest_cycles) {
        cta->idle_cycles += (cta->n_warps - 1) * (life - cta->slowest_cycles);
        cta->slowest_cycles = life;
        cta->slowest_warp = w->warp;
    } else {
        cta->idle_cycles += cta->slowest_cycles - life;
        if (life == cta->slowest_cycles && w->warp < cta->slowest_warp)
            cta->slowest_warp = w->warp;
    }
    if (life < cta->fastest_cycles ||
        (life == cta->fastest_cycles && w->warp < cta->fastest_warp)) {
        cta->fastest_cycles = life;
        cta->fastest_warp = w->warp;
    }
}

static void add_to_cta(struct heddle_attributed *cta, const struct heddle_attributed *w,
                       uint32_t cta_slot)
{
    uint32_t n = cta->n_warps;
    uint64_t end = cta->end_cycle;
    if (!n) {
        *cta = *w;
        cta->is_cta = true;
        cta->warp = 0;
        cta->slot = cta_slot;
        cta->slowest_warp = cta->fastest_warp = w->warp;
        cta->slowest_cycles = cta->fastest_cycles = lifetime(w);
        return;
    }
    for (uint32_t i = 0; i < N_LATENCIES; i++)
        cta->cycles[i] += w->cycles[i];
    cta->n_warps = n + 1;
    cta->end_cycle = w->end_cycle > end ? w->end_cycle : end;
    keep_pace(cta, w);
}

static void keep(struct sm_records *sm, const struct heddle_attributed *record)
{
    ARRAY_RESERVE(sm->items, sm->cap, sm->n + 1);
    sm->items[sm->n++] = *record;
}

static void on_warp_end(void *user, const struct warp_latency *w)
{
    struct sm_records *sm = user;
    struct heddle_attributed record = warp_record(w), *cta = &sm->ctas[w->cta_slot];
    keep(sm, &record);
    if (w->is_cut)
        return; /* nor does its CTA end */
    add_to_cta(cta, &record, w->cta_slot);
    if (!w->is_last_of_cta)
        return;
    keep(sm, cta);
    cta->n_warps = 0;
}

static void pass_on(struct warp_records *r)
{
    for (uint32_t i = 0; i < r->n_sms; i++) {
        struct sm_records *sm = &r->sms[i];
        for (uint32_t k = 0; k < sm->n; k++) {
            sm->items[k].kernel = r->kernel;
            r->tell(r->user, &sm->items[k]);
        }
        sm->n = 0;
    }
}

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    (void)m, (void)cycle;
    pass_on(user);
}

struct warp_records *warp_records_create(struct machine *m,
                                         void (*tell)(void *user, const struct heddle_attributed *),
                                         void *user)
{
    struct warp_records *r = xcalloc(1, sizeof *r);
    r->n_sms = machine_n_sms(m);
    r->sms = xcalloc(r->n_sms, sizeof *r->sms);
    r->tell = tell;
    r->user = user;
    for (uint32_t i = 0; i < r->n_sms; i++)
        attribution_listen(machine_sm(m, i)->attribution, &(struct attribution_listener){
                                                              .on_warp_end = on_warp_end,
                                                              .user = &r->sms[i],
                                                          });
    machine_watch(
        m, (struct machine_watcher){.period_cycles = PERIOD_CYCLES, .look = look, .user = r});
    return r;
}

void warp_records_destroy(struct warp_records *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->n_sms; i++)
        free(r->sms[i].items);
    free(r->sms);
    free(r);
}

void warp_records_begin(struct warp_records *r, const char *kernel)
{
    r->kernel = kernel;
}

void warp_records_end(struct warp_records *r)
{
    pass_on(r);
}
