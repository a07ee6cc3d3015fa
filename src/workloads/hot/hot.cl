/* HotSpot: advances the temperature of a chip by up to `steps` time steps in one launch.
 *
 * A work-group loads a TILE x TILE part of the grid into local memory. Each step makes the
 * outermost ring of what is left stale, so the tiles overlap by `halo` cells on each side and only
 * the inner part is written. Rows of a tile are read coalesced, the overlap up to four times. */

#define TILE 16

/* Reciprocal thermal resistances to the neighbours and to the ambient, in W/K, and the time step
 * over the heat capacity of a cell, in K/W. */
struct thermal {
    float along_x, along_y, to_ambient, step_over_capacity, ambient;
};

static float warm(float centre, float west, float east, float north, float south, float power,
                  struct thermal t)
{
    float watts = power + (south + north - 2.0f * centre) * t.along_y +
                  (east + west - 2.0f * centre) * t.along_x + (t.ambient - centre) * t.to_ambient;
    return centre + t.step_over_capacity * watts;
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
hotspot(__global const float *power, __global const float *temp_in, __global float *temp_out,
        int cols, int rows, int steps, int halo, float along_x, float along_y, float to_ambient,
        float step_over_capacity, float ambient)
{
    __local float temp[TILE][TILE];
    struct thermal t = {along_x, along_y, to_ambient, step_over_capacity, ambient};
    int lx = get_local_id(0), ly = get_local_id(1);
    int first_col = (int)get_group_id(0) * (TILE - 2 * halo) - halo; /* may be < 0 */
    int first_row = (int)get_group_id(1) * (TILE - 2 * halo) - halo;
    int col = first_col + lx, row = first_row + ly;
    bool on_chip = col >= 0 && col < cols && row >= 0 && row < rows;

    /* No heat leaves through the sides: a cell at the edge is its own missing neighbour. */
    int west = max(lx - 1, max(0, -first_col));
    int east = min(lx + 1, min(TILE - 1, cols - 1 - first_col));
    int north = max(ly - 1, max(0, -first_row));
    int south = min(ly + 1, min(TILE - 1, rows - 1 - first_row));

    int edge_distance = min(min(lx, TILE - 1 - lx), min(ly, TILE - 1 - ly));
    int cell = row * cols + col;
    float cell_power = 0.0f;

    if (on_chip) {
        temp[ly][lx] = temp_in[cell];
        cell_power = power[cell];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    /* Rings that have gone stale are left out: nobody reads them. */
    for (int step = 1; step <= steps; step++) {
        bool known = on_chip && edge_distance >= step;
        float next = 0.0f;
        if (known)
            next = warm(temp[ly][lx], temp[ly][west], temp[ly][east], temp[north][lx],
                        temp[south][lx], cell_power, t);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (known)
            temp[ly][lx] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (on_chip && edge_distance >= halo)
        temp_out[cell] = temp[ly][lx];
}
