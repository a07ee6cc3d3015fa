#include "analysis/throttle.h"

#include "gpu/machine.h"

static void look(void *user, const struct machine *m, uint64_t cycle)
{
    struct throttle *t = user;
    t->n_looks++;
    for (uint32_t i = 0; i < machine_n_sms(m); i++) {
        const struct sm *sm = machine_sm(m, i);
        struct sched_throttle now = {0};
        sm->sched->observe(sm->scheduler, cycle, &now);
        t->resident_warps += (uint32_t)__builtin_popcountll(sm->view.live);
        t->warps_may_load += now.may_load;
    }
}

bool throttle_watch(struct throttle *t, struct machine *m)
{
    if (!m->config->scheduler->observe || m->n_watchers == MACHINE_MAX_WATCHERS)
        return false;
    machine_watch(m, (struct machine_watcher){
                         .period_cycles = THROTTLE_PERIOD_CYCLES, .look = look, .user = t});
    return true;
}

uint64_t throttle_vta_hits(const struct machine *m)
{
    uint64_t n = 0, end = m->kernel_free_at / m->clocks[CLOCK_CORE].period;
    for (uint32_t i = 0; i < machine_n_sms(m); i++) {
        struct sched_throttle now = {0};
        machine_sm(m, i)->sched->observe(machine_sm(m, i)->scheduler, end, &now);
        n += now.vta_hits;
    }
    return n;
}
