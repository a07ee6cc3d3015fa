/* Colouring of a graph in the order of random priorities: one work-item per node, which walks the
 * node's neighbours in compressed sparse rows. Two launches per colour. */

#define BARE (-1)

/* The highest priority among the neighbours without a colour; -1 if there are none. */
__kernel void clr_highest(__global const int *row, __global const int *column,
                          __global const int *priority, __global const int *colour,
                          __global int *highest, __global int *more, int n)
{
    int v = (int)get_global_id(0);
    if (v >= n || colour[v] != BARE)
        return;
    *more = 1;
    int end = row[v + 1];
    int found = -1;
    for (int e = row[v]; e < end; e++) {
        int w = column[e];
        if (colour[w] == BARE)
            found = max(found, priority[w]);
    }
    highest[v] = found;
}

__kernel void clr_paint(__global const int *priority, __global int *colour,
                        __global const int *highest, int round, int n)
{
    int v = (int)get_global_id(0);
    if (v < n && colour[v] == BARE && priority[v] > highest[v])
        colour[v] = round;
}
