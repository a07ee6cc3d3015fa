/* Maximal independent set by Luby's algorithm with fixed priorities: one work-item per node, which
 * walks the node's neighbours in compressed sparse rows. Three launches per round. */

#define OPEN (-1) /* neither in the set nor next to it */
#define OUT 0
#define IN 1

/* The least priority among the open neighbours. */
__kernel void mis_least(__global const int *row, __global const int *column,
                        __global const int *priority, __global const int *state,
                        __global int *least, __global int *more, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n || state[v] != OPEN)
        return;
    *more = 1;
    int end = row[v + 1];
    int found = INT_MAX;
    for (int e = row[v]; e < end; e++) {
        int w = column[e];
        if (state[w] == OPEN)
            found = min(found, priority[w]);
    }
    least[v] = found;
}

/* Who comes before all open neighbours enters the set and shuts them out. */
__kernel void mis_enter(__global const int *row, __global const int *column,
                        __global const int *priority, __global int *state,
                        __global const int *least, __global int *shut, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n || state[v] != OPEN || priority[v] > least[v])
        return;
    state[v] = IN;
    int end = row[v + 1];
    for (int e = row[v]; e < end; e++)
        if (state[column[e]] == OPEN)
            shut[column[e]] = 1;
}

__kernel void mis_leave(__global int *state, __global const int *shut, int n)
{
    int v = (int)get_global_id(0);
    if (v < n && state[v] == OPEN && shut[v])
        state[v] = OUT;
}
