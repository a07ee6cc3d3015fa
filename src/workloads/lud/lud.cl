/* Blocked LU decomposition in place, without pivoting: A = L U, L with a unit diagonal.
 *
 * For each tile on the diagonal, at `first` in both directions: factor it (diagonal), solve the
 * tiles to its right and below it (perimeter), and take their products off the rest (internal).
 * All tiles pass through local memory, rows coalesced; in a column of tiles each row is n floats
 * after the one above. */

#define TILE 16

typedef __local float (*tile)[TILE];

/* Work-item x moves column x of rows from..to-1. */
static void load_rows(tile t, __global const float *corner, int n, int x, int from, int to)
{
    for (int y = from; y < to; y++)
        t[y][x] = corner[y * n + x];
}

static void store_rows(tile t, __global float *corner, int n, int x)
{
    for (int y = 0; y < TILE; y++)
        corner[y * n + x] = t[y][x];
}

__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
lud_diagonal(__global float *a, int n, int first)
{
    __local float t[TILE][TILE];
    __global float *corner = a + first * n + first;
    int x = get_local_id(0);

    load_rows(t, corner, n, x, 0, TILE);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE - 1; k++) {
        if (x > k)
            t[x][k] /= t[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x > k)
            for (int y = k + 1; y < TILE; y++)
                t[y][x] -= t[y][k] * t[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    store_rows(t, corner, n, x);
}

/* Column x of a tile to the right: forward substitution with the diagonal tile's L. */
static void solve_column(tile diagonal, tile t, int x)
{
    for (int y = 1; y < TILE; y++) {
        float sum = t[y][x];
        for (int k = 0; k < y; k++)
            sum -= diagonal[y][k] * t[k][x];
        t[y][x] = sum;
    }
}

/* Row y of a tile below: substitution with the diagonal tile's U. */
static void solve_row(tile diagonal, tile t, int y)
{
    for (int x = 0; x < TILE; x++) {
        float sum = t[y][x];
        for (int k = 0; k < x; k++)
            sum -= t[y][k] * diagonal[k][x];
        t[y][x] = sum / diagonal[x][x];
    }
}

/* Group g does the g-th tile to the right with its first TILE work-items and, with the others, the
 * g-th tile below: one warp whose halves part. */
__kernel __attribute__((reqd_work_group_size(2 * TILE, 1, 1))) void
lud_perimeter(__global float *a, int n, int first)
{
    __local float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
    int lid = get_local_id(0), x = lid % TILE;
    bool upper = lid < TILE;
    int distance = ((int)get_group_id(0) + 1) * TILE;
    __global float *corner = a + first * n + first;

    load_rows(diagonal, corner, n, x, upper ? 0 : TILE / 2, upper ? TILE / 2 : TILE);
    if (upper)
        load_rows(right, corner + distance, n, x, 0, TILE);
    else
        load_rows(below, corner + distance * n, n, x, 0, TILE);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (upper)
        solve_column(diagonal, right, x);
    else
        solve_row(diagonal, below, x);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (upper)
        store_rows(right, corner + distance, n, x);
    else
        store_rows(below, corner + distance * n, n, x);
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
lud_internal(__global float *a, int n, int first)
{
    __local float right[TILE][TILE], below[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int col = first + ((int)get_group_id(0) + 1) * TILE + x;
    int row = first + ((int)get_group_id(1) + 1) * TILE + y;

    right[y][x] = a[(first + y) * n + col];
    below[y][x] = a[row * n + first + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    float product = 0.0f;
    for (int k = 0; k < TILE; k++)
        product += below[y][k] * right[k][x];
    a[row * n + col] -= product;
}
