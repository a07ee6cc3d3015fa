/* Needleman-Wunsch: fills the score matrix tile by tile, one work-group of TILE work-items a tile.
 *
 * Tiles of one anti-diagonal are independent and form one launch. Inside a tile the work-items
 * sweep the cell anti-diagonals through local memory. Rows of a tile are read and written
 * coalesced, its left border with a stride of a whole matrix row.
 *
 * `score` and `similarity` have n + 1 rows and columns (`stride`); row and column 0 of `score` hold
 * the price of leading gaps. */

#define TILE 16

typedef __local int (*cell_tile)[TILE + 1]; /* row and column 0 are the borders */
typedef __local int (*gain_tile)[TILE];

/* `corner` is the index of the cell above and to the left of the tile's first. */
static void load_tile(__global const int *score, __global const int *similarity, int stride,
                      int corner, cell_tile cell, gain_tile gain)
{
    int x = get_local_id(0);

    for (int y = 0; y < TILE; y++)
        gain[y][x] = similarity[corner + (y + 1) * stride + x + 1];
    cell[x + 1][0] = score[corner + (x + 1) * stride];
    cell[0][x + 1] = score[corner + x + 1];
    if (x == 0)
        cell[0][0] = score[corner];
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Work-item x owns column x; the wave of active cells moves down and to the right. */
static void sweep_tile(int penalty, cell_tile cell, gain_tile gain)
{
    int x = get_local_id(0);

    for (int wave = 0; wave < 2 * TILE - 1; wave++) {
        int y = wave - x;
        if (y >= 0 && y < TILE) {
            int gap = max(cell[y][x + 1], cell[y + 1][x]) - penalty;
            cell[y + 1][x + 1] = max(cell[y][x] + gain[y][x], gap);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Inlined because a call would be the only one among the workloads' kernels and cost NW, which runs
 * in half warps, what no GPU compiler makes it pay. */
__attribute__((always_inline)) static void
fill_tile(__global int *score, __global const int *similarity, int stride, int penalty, int tile_x,
          int tile_y, cell_tile cell, gain_tile gain)
{
    int x = get_local_id(0);
    int corner = tile_y * TILE * stride + tile_x * TILE;

    load_tile(score, similarity, stride, corner, cell, gain);
    sweep_tile(penalty, cell, gain);
    for (int y = 0; y < TILE; y++)
        score[corner + (y + 1) * stride + x + 1] = cell[y + 1][x + 1];
}

/* The upper left half of the matrix: anti-diagonal d has d + 1 tiles. */
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
nw_growing(__global int *score, __global const int *similarity, int stride, int penalty,
           int diagonal)
{
    __local int cell[TILE + 1][TILE + 1], gain[TILE][TILE];
    int group = get_group_id(0);
    fill_tile(score, similarity, stride, penalty, group, diagonal - group, cell, gain);
}

/* The lower right half: the tiles start in the bottom row, at column diagonal - (tiles - 1). */
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
nw_shrinking(__global int *score, __global const int *similarity, int stride, int penalty,
             int diagonal, int tiles)
{
    __local int cell[TILE + 1][TILE + 1], gain[TILE][TILE];
    int group = get_group_id(0);
    int last = tiles - 1;
    fill_tile(score, similarity, stride, penalty, diagonal - last + group, last - group, cell,
              gain);
}
