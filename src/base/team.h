/* A team of threads that shares out the items of a round of work. The caller is one of them.
 *
 * Each member has items of its own, every n-th, so that an item tends to stay with one member and
 * its data in one core's cache; the caller helps those who have not begun in good time. Nobody is
 * waited for who has taken nothing: a member that the host does not let run, because it has fewer
 * cores than the team has members or other things to do, costs nothing but its help. */
#ifndef HEDDLE_BASE_TEAM_H
#define HEDDLE_BASE_TEAM_H

#include <stdint.h>

struct team;

/* `n_members` includes the caller. Threads that the host refuses are done without: what is computed
 * does not depend on how many there are. */
struct team *team_create(uint32_t n_members);
void team_destroy(struct team *t);
/* Members it has, the caller included. */
uint32_t team_size(const struct team *t);

/* Does item i, as that member (below `n_members`; the caller is 0), which does one at a time. */
typedef void team_work(void *user, uint32_t item, uint32_t member);

/* Calls work(user, i, member) once for each i < n_items, in any order and at the same time on all
 * members. Everything done before is seen by the work, everything the work does is seen
 * afterwards. */
void team_run(struct team *t, uint32_t n_items, team_work *work, void *user);

#endif
