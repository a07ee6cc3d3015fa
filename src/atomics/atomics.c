#include "atomics/atomics.h"

#include <stdlib.h>

void atomics_slice_create(struct atomics_slice *s, uint32_t n_banks)
{
    overlay_init(&s->overlay);
    s->n_banks = n_banks;
    s->counts_writes = s->desc->net != NULL;
    s->banks = xcalloc(n_banks, sizeof *s->banks);
    for (uint32_t i = 0; i < n_banks; i++)
        s->banks[i] = (struct atomics_bank){
            .slice = s, .state = s->desc->bank_bytes ? xcalloc(1, s->desc->bank_bytes) : NULL};
}

sim_time atomics_answer(struct atomics_sm *u, struct mem_request *r, struct emu_warp *w)
{
    atomic_request_deliver(r->atomic, w);
    return (r->atomic->performed_at / u->visibility + 1) * u->visibility;
}

void atomics_slice_destroy(struct atomics_slice *s)
{
    for (uint32_t i = 0; i < s->n_banks; i++) {
        if (s->desc->destroy_bank)
            s->desc->destroy_bank(s->banks[i].state);
        free(s->banks[i].state);
    }
    free(s->banks);
    ledger_destroy(&s->writes);
    overlay_destroy(&s->overlay);
}
