/* Insertion into a hash table of chains, each behind a lock: a spin-lock that a lane tries to take,
 * and in the same branch gives back, so that lanes of one warp never wait for each other inside.
 * Whether a lane still wants to is in memory that the compiler must read again: otherwise it would
 * make a loop of its own of those that wait, which never ends on machines with a SIMT stack. */
#define GROUP 128

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
insert_keys(__global const uint *key, uint keys, uint buckets, __global volatile uint *lock,
            __global volatile uint *head, __global volatile uint *next)
{
    __local volatile uint waits[GROUP];
    uint lid = get_local_id(0);
    for (uint i = get_global_id(0); i < keys; i += get_global_size(0)) {
        uint bucket = key[i] % buckets;
        waits[lid] = 1;
        while (waits[lid])
            if (atomic_cmpxchg(&lock[bucket], 0u, 1u) == 0) {
                next[i] = head[bucket];
                head[bucket] = i + 1;
                mem_fence(CLK_GLOBAL_MEM_FENCE);
                atomic_xchg(&lock[bucket], 0u);
                waits[lid] = 0;
            }
    }
}
