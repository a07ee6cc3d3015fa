/* A tracing collector that marks and compacts, one work-item per object.
 *
 * The heap is an array of words. An object is a header (its words, its references), then so many
 * references (where another object begins; 0 is none), then data. `starts` says where the objects
 * begin, in the order of the heap. */

#define GROUP 256
#define OBJECT_WORDS(header) ((header) & 0xffff)
#define REFERENCES(header) ((header) >> 16)

/* One step of tracing: the objects reached in step `step` reach others. Two objects that reach the
 * same one write the same value to it. */
__kernel void gc_mark(__global const uint *heap, __global const uint *starts, uint n_objects,
                      __global uint *reached, uint step, __global int *more)
{
    uint object = get_global_id(0);
    if (object >= n_objects)
        return;
    uint start = starts[object];
    if (reached[start] != step)
        return;
    uint end = start + 1 + REFERENCES(heap[start]);
    for (uint slot = start + 1; slot < end; slot++) {
        uint target = heap[slot];
        if (target != 0 && reached[target] == 0) {
            reached[target] = step + 1;
            *more = 1;
        }
    }
}

/* The words that stay of the objects before each one in its group, and of each group. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
gc_measure(__global const uint *heap, __global const uint *starts, uint n_objects,
           __global const uint *reached, __global uint *before, __global uint *group_words)
{
    __local uint sums[GROUP];
    uint object = get_global_id(0), lid = get_local_id(0), words = 0;
    if (object < n_objects) {
        uint start = starts[object];
        if (reached[start] != 0)
            words = OBJECT_WORDS(heap[start]);
    }
    sums[lid] = words;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = 1; reach < GROUP; reach *= 2) {
        uint below = lid >= reach ? sums[lid - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += below;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (object < n_objects)
        before[object] = sums[lid] - words;
    if (lid == GROUP - 1)
        group_words[get_group_id(0)] = sums[lid];
}

/* Where each object that stays will be; `forward` is indexed by where it is now. Word 0 is no
 * object's. */
__kernel void gc_place(__global const uint *starts, uint n_objects, __global const uint *reached,
                       __global const uint *before, __global const uint *group_start,
                       __global uint *forward)
{
    uint object = get_global_id(0);
    if (object >= n_objects)
        return;
    uint start = starts[object];
    if (reached[start] != 0)
        forward[start] = group_start[get_group_id(0)] + before[object];
}

/* Moves what stays to the new heap; references follow the objects they name. */
__kernel void gc_move(__global const uint *heap, __global const uint *starts, uint n_objects,
                      __global const uint *reached, __global const uint *forward,
                      __global uint *compacted)
{
    uint object = get_global_id(0);
    if (object >= n_objects)
        return;
    uint start = starts[object];
    if (reached[start] == 0)
        return;
    uint to = forward[start], header = heap[start];
    uint references = REFERENCES(header), words = OBJECT_WORDS(header);
    compacted[to] = header;
    for (uint i = 1; i <= references; i++) {
        uint target = heap[start + i];
        compacted[to + i] = target == 0 ? 0 : forward[target];
    }
    for (uint i = 1 + references; i < words; i++)
        compacted[to + i] = heap[start + i];
}
