/* Queries on a B+tree, one work-group per query, one work-item per key of a node.
 *
 * On every level all work-items of the group compare the query with their own key and its right
 * neighbour; the one whose interval holds the query names the child to go to. The node reached is
 * kept in global memory, one word a query, as the original does.
 *
 * A node's unused keys are INT_MAX and the leftmost key of every inner level is INT_MIN, so inside
 * the tree exactly one interval holds a query. */

#define ORDER 256

struct node {
    int key[ORDER + 1];
    int child[ORDER + 1]; /* in a leaf: the number of the record */
};

/* answers[q] becomes the record of the key queries[q]; it keeps its value if there is none. */
__kernel void bt_find(__global const struct node *nodes, __global const int *records, uint height,
                      __global const int *queries, __global int *current, __global int *answers)
{
    uint q = get_group_id(0);
    uint i = get_local_id(0);
    int key = queries[q];
    for (uint level = 1; level < height; level++) {
        __global const struct node *node = &nodes[current[q]];
        bool here = node->key[i] <= key && key < node->key[i + 1];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (here)
            current[q] = node->child[i];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    __global const struct node *leaf = &nodes[current[q]];
    if (leaf->key[i] == key)
        answers[q] = records[leaf->child[i]];
}

/* The records with starts[q] <= key < ends[q]: the number of the first, and how many. Both bounds
 * go down the tree together; a bound's place is behind the last smaller key. */
__kernel void bt_find_range(__global const struct node *nodes, uint height,
                            __global const int *starts, __global const int *ends,
                            __global int *current_start, __global int *current_end,
                            __global int *first, __global int *count)
{
    uint q = get_group_id(0);
    uint i = get_local_id(0);
    int start = starts[q];
    int end = ends[q];
    for (uint level = 1; level < height; level++) {
        __global const struct node *low = &nodes[current_start[q]];
        __global const struct node *high = &nodes[current_end[q]];
        bool start_here = low->key[i] < start && start <= low->key[i + 1];
        bool end_here = high->key[i] < end && end <= high->key[i + 1];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (start_here)
            current_start[q] = low->child[i];
        if (end_here)
            current_end[q] = high->child[i];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    __global const struct node *low = &nodes[current_start[q]];
    if (low->key[i] < start && start <= low->key[i + 1])
        first[q] = low->child[i] + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    __global const struct node *high = &nodes[current_end[q]];
    if (high->key[i] < end && end <= high->key[i + 1])
        count[q] = high->child[i] + 1 - first[q];
}
