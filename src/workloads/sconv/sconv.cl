/* Convolution of an image with a separable filter: along the rows, then along the columns, with
 * zeros beyond the image. Each work-group loads a strip of STEPS tiles and one more at either end
 * into local memory; a work-item then computes one pixel of every tile. The filter is in constant
 * memory. */

#define RADIUS 8
#define STEPS 8
#define ROW_X 16
#define ROW_Y 4
#define COL_X 16
#define COL_Y 8

__kernel __attribute__((reqd_work_group_size(ROW_X, ROW_Y, 1))) void
sconv_rows(__global const float *in, __global float *out, __constant float *filter, int width)
{
    __local float strip[ROW_Y][(STEPS + 2) * ROW_X];
    int x = (int)get_local_id(0), y = (int)get_local_id(1);
    int first = (int)get_group_id(0) * STEPS * ROW_X - ROW_X + x;
    int row = (int)get_global_id(1) * width;

    for (int i = 0; i < STEPS + 2; i++) {
        int col = first + i * ROW_X;
        strip[y][i * ROW_X + x] = col >= 0 && col < width ? in[row + col] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; i <= STEPS; i++) {
        float sum = 0.0f;
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += filter[RADIUS - k] * strip[y][i * ROW_X + x + k];
        out[row + first + i * ROW_X] = sum;
    }
}

/* Local memory holds columns one after another, each with a word to spare, so that work-items side
 * by side use different banks. */
__kernel __attribute__((reqd_work_group_size(COL_X, COL_Y, 1))) void
sconv_columns(__global const float *in, __global float *out, __constant float *filter, int width,
              int height)
{
    __local float strip[COL_X][(STEPS + 2) * COL_Y + 1];
    int x = (int)get_local_id(0), y = (int)get_local_id(1);
    int col = (int)get_global_id(0);
    int first = (int)get_group_id(1) * STEPS * COL_Y - COL_Y + y;

    for (int i = 0; i < STEPS + 2; i++) {
        int row = first + i * COL_Y;
        strip[x][i * COL_Y + y] = row >= 0 && row < height ? in[row * width + col] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; i <= STEPS; i++) {
        float sum = 0.0f;
        for (int k = -RADIUS; k <= RADIUS; k++)
            sum += filter[RADIUS - k] * strip[x][i * COL_Y + y + k];
        out[(first + i * COL_Y) * width + col] = sum;
    }
}
