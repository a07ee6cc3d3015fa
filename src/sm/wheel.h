/* Things due at a cycle, in order of insertion. Those further ahead than WHEEL_CYCLES come by once
 * a round and are put back. */
#ifndef HEDDLE_SM_WHEEL_H
#define HEDDLE_SM_WHEEL_H

#include <stdint.h>

enum { WHEEL_CYCLES = 1024 };

struct wheel_event {
    uint16_t kind;
    uint16_t slot; /* warp */
    uint32_t value;
    void *body;
};

struct wheel {
    struct wheel_node {
        struct wheel_event event;
        uint64_t at;
        uint32_t next; /* index + 1 */
    } * nodes;
    uint32_t n_nodes, cap_nodes, free;               /* free: index + 1 */
    uint32_t head[WHEEL_CYCLES], tail[WHEEL_CYCLES]; /* index + 1; 0 = none */
    uint64_t used[WHEEL_CYCLES / 64];
    uint32_t n_events;
};

void wheel_destroy(struct wheel *w);
/* `at` must not be before `now`. */
void wheel_add(struct wheel *w, uint64_t now, uint64_t at, struct wheel_event e);
/* Takes the first event of cycle `now`; returns 0 if there is none left. */
int wheel_take(struct wheel *w, uint64_t now, struct wheel_event *e);
/* May there be one? */
static inline int wheel_is_due(const struct wheel *w, uint64_t now)
{
    return w->head[now % WHEEL_CYCLES] != 0;
}
/* A cycle >= now, not after the first event; UINT64_MAX if there is none. */
uint64_t wheel_next(const struct wheel *w, uint64_t now);

#endif
