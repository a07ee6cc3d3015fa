/* Seven-point stencil on a 3D grid: one Jacobi step of heat diffusion.
 *
 * Work-groups cover a plane in TILE_X x TILE_Y pieces and march along z. Of each column a work-item
 * keeps the cells below, at and above the current plane in registers; its neighbours in the plane
 * come from a local tile, those across the tile's edge from global memory. So every cell is read
 * about once, coalesced along x, with some reuse at the edges. Border cells never change. */

#define TILE_X 32
#define TILE_Y 4

__kernel __attribute__((reqd_work_group_size(TILE_X, TILE_Y, 1))) void
stencil(__global const float *in, __global float *out, int nx, int ny, int nz, float centre_weight,
        float side_weight)
{
    __local float plane[TILE_Y][TILE_X];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    bool on_grid = x < nx && y < ny;
    bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    int layer = nx * ny;
    int cell = y * nx + x;

    float below = on_grid ? in[cell] : 0.0f;
    cell += layer;
    float here = on_grid ? in[cell] : 0.0f;

    for (int z = 1; z < nz - 1; z++, cell += layer) {
        float above = on_grid ? in[cell + layer] : 0.0f;
        plane[ly][lx] = here;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inside) {
            float west = lx > 0 ? plane[ly][lx - 1] : in[cell - 1];
            float east = lx < TILE_X - 1 ? plane[ly][lx + 1] : in[cell + 1];
            float north = ly > 0 ? plane[ly - 1][lx] : in[cell - nx];
            float south = ly < TILE_Y - 1 ? plane[ly + 1][lx] : in[cell + nx];
            float sides = west + east + north + south + below + above;
            out[cell] = centre_weight * here + side_weight * sides;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        below = here;
        here = above;
    }
}
