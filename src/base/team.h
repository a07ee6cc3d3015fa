/* A team of threads that shares the items of a round of work. The caller is a member.
 *
 * Each member has its own items, every n-th, so that an item tends to stay with one member and its
 * data in one core's cache. The caller helps members that have not begun after a while. The caller
 * never waits for a member that has claimed nothing: a member that the host does not run, because
 * it has fewer cores than members or other work, costs nothing but its help. */
#ifndef HEDDLE_BASE_TEAM_H
#define HEDDLE_BASE_TEAM_H

#include <stdint.h>

struct team;

/* `n_members` includes the caller. The team does without threads that the host refuses: results do
 * not depend on the number of threads. */
struct team *team_create(uint32_t n_members);
void team_destroy(struct team *t);
/* The number of members, including the caller. */
uint32_t team_size(const struct team *t);

/* Does item i as the given member (below `n_members`; the caller is 0). A member does one item at a
 * time. */
typedef void team_work(void *user, uint32_t item, uint32_t member);

/* Calls work(user, i, member) once for each i < n_items, in any order and concurrently on all
 * members. The work sees everything written before the call; the caller sees everything the work
 * wrote. */
void team_run(struct team *t, uint32_t n_items, team_work *work, void *user);

#endif
