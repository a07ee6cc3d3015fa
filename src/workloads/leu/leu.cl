/* White blood cells in a frame of a video: where they are, and the field that draws a contour to
 * one of them.
 *
 * Detection: one work-item per pixel takes it for the centre of circles of several radii and
 * compares mean and variance of the gradient across each circle (GICOV); then the best score of the
 * surroundings is found. Tracking: one work-group per cell relaxes a field over the cell's
 * surroundings, in local memory, step by step. */

#define CIRCLES 7
#define SAMPLES 150
#define DISC 6
#define TILE 41
#define TILE_PIXELS (TILE * TILE)
#define TRACK_GROUP 256
#define MU 0.5f
#define LAMBDA (8.0f * MU + 1.0f)
#define SHARPNESS 20.0f

/* Offsets of the samples from the centre (x, y) and the unit vectors that point to them. Pixels
 * whose circles leave the frame get no score. The mean and the variance of the samples so far are
 * kept up to date (Welford). */
__kernel void leu_gicov(__global const float *gradient_x, __global const float *gradient_y,
                        __constant const int2 *offsets, __constant const float2 *directions,
                        uint width, uint height, uint margin, __global float *scores)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x < margin || x + margin >= width || y < margin || y + margin >= height)
        return;
    float best = 0.0f;
    for (uint circle = 0; circle < CIRCLES; circle++) {
        float mean = 0.0f, squares = 0.0f;
        for (uint i = 0; i < SAMPLES; i++) {
            int2 offset = offsets[circle * SAMPLES + i];
            uint at = (uint)((int)y + offset.y) * width + (uint)((int)x + offset.x);
            float across = gradient_x[at] * directions[i].x + gradient_y[at] * directions[i].y;
            float difference = across - mean;
            mean += difference / (float)(i + 1);
            squares += difference * (across - mean);
        }
        best = fmax(best, mean * mean / (squares / (float)(SAMPLES - 1)));
    }
    scores[y * width + x] = best;
}

/* The best score within a disc around each pixel. */
__kernel void leu_dilate(__global const float *scores, uint width, uint height,
                         __global float *dilated)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x >= (int)width || y >= (int)height)
        return;
    float best = 0.0f;
    for (int dy = -DISC; dy <= DISC; dy++)
        for (int dx = -DISC; dx <= DISC; dx++) {
            int at_x = x + dx, at_y = y + dy;
            if (dx * dx + dy * dy > DISC * DISC || at_x < 0 || at_y < 0 || at_x >= (int)width ||
                at_y >= (int)height)
                continue;
            best = fmax(best, scores[at_y * (int)width + at_x]);
        }
    dilated[y * (int)width + x] = best;
}

/* What flows in from a neighbour whose value is higher by `rise`: more, the more it lies in the
 * direction of motion (mx, my). */
static float inflow(float rise, float towards)
{
    return rise * (0.5f + atan(SHARPNESS * rise * towards) * M_1_PI_F);
}

/* The field at (x, y) after one step; outside the tile it is as at the edge. */
static float relaxed(__local const float *field, float edge, int x, int y, float mx, float my)
{
    float old = field[y * TILE + x], sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int at_x = clamp(x + dx, 0, TILE - 1), at_y = clamp(y + dy, 0, TILE - 1);
            sum += inflow(field[at_y * TILE + at_x] - old, (float)dx * mx + (float)dy * my);
        }
    float spread = old + MU / LAMBDA * sum;
    return spread - 1.0f / LAMBDA * edge * (spread - edge);
}

/* The field starts as the edges of the tile (0 to 1) and is written back in the end; `changes` gets
 * the mean change of a pixel in the last step. */
__kernel __attribute__((reqd_work_group_size(TRACK_GROUP, 1, 1))) void
leu_track(__global const float *edges, __global const float2 *motions, uint steps,
          __global float *fields, __global float *changes)
{
    /* Both states of the field are what 16 KB hold; edges stay where they are. */
    __local float field[2][TILE_PIXELS], sums[TRACK_GROUP];
    uint lid = get_local_id(0), cell = get_group_id(0), now = 0;
    __global const float *edge = edges + cell * TILE_PIXELS;
    float2 motion = motions[cell];

    for (uint i = lid; i < TILE_PIXELS; i += TRACK_GROUP)
        field[0][i] = edge[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < steps; step++, now = 1 - now) {
        float change = 0.0f;
        for (uint i = lid; i < TILE_PIXELS; i += TRACK_GROUP) {
            float new_value = relaxed(field[now], edge[i], (int)(i % TILE), (int)(i / TILE),
                                      motion.x, motion.y);
            change += fabs(new_value - field[now][i]);
            field[1 - now][i] = new_value;
        }
        sums[lid] = change;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint half_size = TRACK_GROUP / 2; half_size > 0; half_size /= 2) {
            if (lid < half_size)
                sums[lid] += sums[lid + half_size];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid == 0)
            changes[cell] = sums[0] / (float)TILE_PIXELS;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = lid; i < TILE_PIXELS; i += TRACK_GROUP)
        fields[cell * TILE_PIXELS + i] = field[now][i];
}
