/* Predicts what a warp does next from what it did before. The writer and the reader of a trace keep
 * the same model, so that only deviations from the prediction are written.
 *
 * A guard is predicted to let the same lanes through as before; an address to move as it moved
 * before, all lanes alike; a value to repeat. */
#ifndef HEDDLE_TRACE_MODEL_H
#define HEDDLE_TRACE_MODEL_H

#include "trace/trace_op.h"

enum { MODEL_RECENT = 4 };

struct guard_state {
    uint32_t epoch; /* of the warp that used it; any other epoch = nothing is known */
    uint32_t lanes; /* predicted to execute */
    bool missed;    /* the last prediction was wrong */
};

struct address_state {
    uint32_t epoch;
    uint32_t n_seen; /* 2 = twice or more */
    uint64_t step, candidate;
    uint8_t unit;
    uint64_t address[WARP_LANES];
};

struct value_state {
    uint32_t epoch;
    uint32_t lanes;
    uint64_t value;
};

struct warp_model {
    const struct trace_ops *ops;
    uint32_t epoch; /* counts the warps that used this memory */
    struct guard_state *guards;
    struct address_state *addresses;
    struct value_state *values;
    uint64_t last_address;                      /* that of the first lane of the last access */
    struct address_state *recent[MODEL_RECENT]; /* states with irregular addresses, newest first */
};

void model_create(struct warp_model *m, const struct trace_ops *ops);
void model_destroy(struct warp_model *m);
/* Resets the model: another warp begins. */
void model_begin(struct warp_model *m);

/* --- guards --- */

struct guard_state *model_guard(struct warp_model *m, const struct op *op, uint32_t pc);

/* A loop ends once and then begins again: one wrong prediction changes nothing, two do. */
static inline void guard_learn(struct guard_state *g, uint32_t active, uint32_t mask)
{
    bool missed = (g->lanes & active) != mask;
    if (missed && g->missed) {
        g->lanes = mask == active ? ~0u : mask | (g->lanes & ~active);
        missed = false;
    }
    g->missed = missed;
}

/* --- addresses --- */

struct address_state *model_address(struct warp_model *m, const struct trace_op *t);

/* The addresses were as predicted. */
static inline void address_advance(struct warp_model *m, struct address_state *s, uint32_t mask)
{
    for (uint32_t i = 0; i < WARP_LANES; i++)
        s->address[i] += s->step;
    m->last_address = s->address[__builtin_ctz(mask)];
}

/* They moved by `delta`, which was not predicted; call it before they are changed. */
void address_learn_step(struct address_state *s, uint64_t delta);
/* The lanes have no order that a few numbers describe; others may refer to it. */
void model_remember(struct warp_model *m, struct address_state *s);
/* The lane's address if the lanes are arranged like those of `like` and the first one is at
 * `first`. */
static inline uint64_t address_like(const struct address_state *s, const struct address_state *like,
                                    uint32_t lane, uint32_t first, uint64_t first_address)
{
    int64_t apart = (int64_t)(like->address[lane] - like->address[first]);
    return first_address + (uint64_t)(apart / like->unit * s->unit);
}

/* --- values --- */

struct value_state *model_value(struct warp_model *m, const struct trace_op *t);

#endif
