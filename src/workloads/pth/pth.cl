/* PathFinder: advances the cheapest path to every column by up to `steps` rows in one launch.
 *
 * A work-group loads the costs of GROUP columns into local memory. After each row one more column
 * on either side depends on columns it did not load, so the groups overlap by a ghost zone of
 * `halo` columns on each side and only the columns between are written. `wall` is read a row at a
 * time, coalesced; the overlapping parts are read by two groups. */

#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pathfinder(__global const int *wall, __global const int *cost_in, __global int *cost_out, int cols,
           int first_row, int steps, int halo)
{
    __local int cost[GROUP];
    int lid = get_local_id(0);
    int first_col = (int)get_group_id(0) * (GROUP - 2 * halo) - halo; /* of lid 0; may be < 0 */
    int col = first_col + lid;
    bool on_wall = col >= 0 && col < cols;

    /* The neighbours of the wall's outermost columns are those columns themselves. */
    int leftmost = max(0, -first_col);
    int rightmost = min(GROUP - 1, cols - 1 - first_col);
    int left = max(lid - 1, leftmost);
    int right = min(lid + 1, rightmost);

    if (on_wall)
        cost[lid] = cost_in[col];
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Columns that have come to depend on what was not loaded are left out: nobody reads them. */
    for (int step = 1; step <= steps; step++) {
        bool known = on_wall && lid >= step && lid < GROUP - step;
        int cheapest = 0;
        if (known) {
            cheapest = min(cost[lid], min(cost[left], cost[right]));
            cheapest += wall[(first_row + step - 1) * cols + col];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (known)
            cost[lid] = cheapest;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (on_wall && lid >= halo && lid < GROUP - halo)
        cost_out[col] = cost[lid];
}
