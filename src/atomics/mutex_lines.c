/* The lines that the unit of mutexes has data of, and their changes until L2 has them
 * (mutex_unit.h). */
#include "atomics/mutex_parts.h"

struct mutex_line *mutex_add_line(struct mutex_unit *u, struct mutex *m, uint64_t line)
{
    struct mutex_line *l = mutex_find_line(m, line);
    if (l)
        return l;
    l = u->free_lines;
    if (l)
        u->free_lines = l->next;
    else
        l = xcalloc(1, sizeof *l);
    *l = (struct mutex_line){.line = line, .next = m->lines};
    m->lines = l;
    return l;
}

void mutex_tidy_lines(struct mutex_unit *u, struct mutex *m)
{
    for (struct mutex_line **at = &m->lines, *l; (l = *at);)
        if (l->sectors || mutex_line_is_changed(l)) {
            at = &l->next;
        } else {
            *at = l->next;
            l->next = u->free_lines;
            u->free_lines = l;
        }
}

void mutex_forget_lines(struct mutex_unit *u, struct mutex *m)
{
    for (struct mutex_line *l = m->lines; l; l = l->next) {
        assert(!mutex_line_is_changed(l));
        l->sectors = 0;
        if (l->in_l1d)
            u->host->drop(u->sm, l->line);
    }
    mutex_tidy_lines(u, m);
}

void mutex_note_change(struct mutex_unit *u, uint32_t mutex, const struct mutex_request *r,
                       const uint64_t changed[2])
{
    struct mutex *m = &u->mutexes[mutex];
    if (!(changed[0] | changed[1]))
        return;
    struct mutex_line *l = mutex_add_line(u, m, mutex_line_of(r));
    if (!l->sectors) {
        l->hold = m->hold;
        l->n_writes = r->n_writes;
    }
    l->sectors |= mutex_sectors_of(r);
    l->changed[0] |= changed[0];
    l->changed[1] |= changed[1];
    l->access = r->request->access;
}

/* Writes the line's changes to L2. Requests with older data of it use the new ones. */
static bool write_line(struct mutex_unit *u, uint32_t mutex, struct mutex_line *l, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    if (!u->host->write(u->sm, l, mutex, now)) {
        u->retry = true;
        return false;
    }
    l->n_writes = ++ledger_get(&u->ledger->of[mutex], l->line)->n_writes;
    l->changed[0] = l->changed[1] = 0;
    if (!l->in_l1d)
        l->sectors = 0;
    m->n_acks++;
    u->stats.writes++;
    mutex_outdate(u, mutex, l->line);
    return true;
}

void mutex_write_lines(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    struct mutex *m = &u->mutexes[mutex];
    for (struct mutex_line *l = m->lines; l; l = l->next)
        if (mutex_line_is_changed(l) && !write_line(u, mutex, l, now))
            return;
}

bool mutex_is_written(const struct mutex *m)
{
    for (const struct mutex_line *l = m->lines; l; l = l->next)
        if (mutex_line_is_changed(l))
            return false;
    return m->n_acks == 0;
}

void mutex_unit_acknowledge(struct mutex_unit *u, uint32_t mutex, uint64_t now)
{
    assert(u->mutexes[mutex].n_acks);
    u->mutexes[mutex].n_acks--;
    mutex_wake(u, now);
}

/* --- L1D and stores --- */

/* Changes stay in the unit until they are written. */
void mutex_unit_lose(struct mutex_unit *u, uint64_t line)
{
    struct mutex *m = &u->mutexes[mutex_of_line(u, line)];
    struct mutex_line *l = mutex_find_line(m, line);
    if (!l)
        return;
    l->in_l1d = false;
    if (!mutex_line_is_changed(l))
        l->sectors = 0;
    u->lost = true; /* a waiting request may fetch it now */
    u->due = 0;
}

/* MODEL: an SM's ordinary store to a line does not make its atomics refetch a line whose data are
 * present or in flight. */
bool mutex_unit_store(struct mutex_unit *u, uint64_t line, uint64_t now)
{
    uint32_t mutex = mutex_of_line(u, line);
    struct mutex_line *l = mutex_find_line(&u->mutexes[mutex], line);
    if (!l)
        return true;
    if (mutex_line_is_changed(l) && !write_line(u, mutex, l, now))
        return false;
    l->in_l1d = false;
    l->sectors = 0;
    mutex_wake(u, now);
    return true;
}
