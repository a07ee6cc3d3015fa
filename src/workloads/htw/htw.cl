/* Tracking of points on a heart's walls through a video: one work-group per point. For every place
 * of a search window the normalised correlation with the point's template is computed; the point
 * moves to the best one.
 *
 * What a group works on lies in global memory, in a part of `scratch` of its own: the window, the
 * sums of columns of template height (running sums down the columns) and of whole templates
 * (running sums along the rows), each of the values and of their squares. */

#define GROUP 256

struct shape {
    int rows, cols;       /* of a frame */
    int template_radius;  /* a template is a square of two radii and one */
    int search_radius;    /* how far a point may move from frame to frame */
};

static int template_side(struct shape s)
{
    return 2 * s.template_radius + 1;
}

static int places_side(struct shape s)
{
    return 2 * s.search_radius + 1;
}

static int window_side(struct shape s)
{
    return 2 * (s.template_radius + s.search_radius) + 1;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
htw_template(int rows, int cols, int template_radius, int search_radius,
             __global const uchar *frame, __global const int2 *points, __global float *templates)
{
    struct shape s = {rows, cols, template_radius, search_radius};
    int side = template_side(s);
    int2 corner = points[get_group_id(0)] - s.template_radius;
    __global float *own = templates + get_group_id(0) * side * side;
    for (int i = (int)get_local_id(0); i < side * side; i += GROUP)
        own[i] = (float)frame[(corner.y + i / side) * s.cols + corner.x + i % side];
}

static void copy_window(struct shape s, __global const uchar *frame, int2 centre,
                        __global float *window)
{
    int side = window_side(s);
    int2 corner = centre - side / 2;
    for (int i = (int)get_local_id(0); i < side * side; i += GROUP)
        window[i] = (float)frame[(corner.y + i / side) * s.cols + corner.x + i % side];
}

/* sums[p][x]: of the `side` values of column x from row p on. */
static void sum_columns(struct shape s, __global const float *window, __global float2 *sums)
{
    int width = window_side(s), side = template_side(s);
    for (int x = (int)get_local_id(0); x < width; x += GROUP) {
        float2 sum = (float2)(0.0f);
        for (int y = 0; y < width; y++) {
            float value = window[y * width + x];
            sum += (float2)(value, value * value);
            if (y >= side) {
                float old = window[(y - side) * width + x];
                sum -= (float2)(old, old * old);
            }
            if (y >= side - 1)
                sums[(y - side + 1) * width + x] = sum;
        }
    }
}

/* totals[p][q]: of the `side` column sums of row p from column q on. */
static void sum_rows(struct shape s, __global const float2 *sums, __global float2 *totals)
{
    int width = window_side(s), side = template_side(s), places = places_side(s);
    for (int p = (int)get_local_id(0); p < places; p += GROUP) {
        float2 sum = (float2)(0.0f);
        for (int x = 0; x < width; x++) {
            sum += sums[p * width + x];
            if (x >= side)
                sum -= sums[p * width + x - side];
            if (x >= side - 1)
                totals[p * places + x - side + 1] = sum;
        }
    }
}

static float add_up(__local float *shared, float own)
{
    int lid = (int)get_local_id(0);
    shared[lid] = own;
    for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            shared[lid] += shared[lid + half_size];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

/* The correlation up to a factor that is the same for all places. */
static float score_at(struct shape s, __global const float *window, __global const float *own,
                      float template_sum, float2 total, int place)
{
    int width = window_side(s), side = template_side(s), places = places_side(s);
    __global const float *corner = window + place / places * width + place % places;
    float product = 0.0f, n = (float)(side * side);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            product += own[y * side + x] * corner[y * width + x];
    float variance = max(n * total.y - total.x * total.x, 1.0f);
    return (n * product - template_sum * total.x) / sqrt(variance);
}

/* The place with the best score of all work-items, which is left in scores[0]; of equal ones the
 * first. */
static int best_place(__local float *scores, __local int *places, float score, int place)
{
    int lid = (int)get_local_id(0);
    scores[lid] = score;
    places[lid] = place;
    for (int half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = lid + half_size;
        if (lid < half_size && (scores[other] > scores[lid] ||
                                (scores[other] == scores[lid] && places[other] < places[lid]))) {
            scores[lid] = scores[other];
            places[lid] = places[other];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return places[0];
}

/* With `renew`, a template becomes the mean of itself and what the point looks like now. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
htw_track(int rows, int cols, int template_radius, int search_radius,
          __global const uchar *frame, __global int2 *points, __global float *templates,
          __global float *scratch, __global float *best_scores, int renew)
{
    struct shape s = {rows, cols, template_radius, search_radius};
    __local float scores[GROUP];
    __local int chosen[GROUP];
    int lid = (int)get_local_id(0), point = (int)get_group_id(0);
    int width = window_side(s), side = template_side(s), places = places_side(s);
    __global float *own = templates + point * side * side;
    __global float *window = scratch + point * 6 * width * width;
    __global float2 *sums = (__global float2 *)(window + (width * width + 1) / 2 * 2);
    __global float2 *totals = sums + places * width;
    /* The window stays within the frame. */
    int2 centre = clamp(points[point], (int2)(width / 2), (int2)(cols, rows) - 1 - width / 2);

    copy_window(s, frame, centre, window);
    barrier(CLK_GLOBAL_MEM_FENCE);
    sum_columns(s, window, sums);
    barrier(CLK_GLOBAL_MEM_FENCE);
    sum_rows(s, sums, totals);
    barrier(CLK_GLOBAL_MEM_FENCE);

    float part = 0.0f;
    for (int i = lid; i < side * side; i += GROUP)
        part += own[i];
    float template_sum = add_up(scores, part);

    float best = -INFINITY;
    int best_own = places * places;
    for (int place = lid; place < places * places; place += GROUP) {
        float score = score_at(s, window, own, template_sum, totals[place], place);
        if (score > best) {
            best = score;
            best_own = place;
        }
    }
    int place = best_place(scores, chosen, best, best_own);
    int2 to = (int2)(place % places, place / places);
    if (lid == 0) {
        points[point] = centre + to - search_radius;
        best_scores[point] = scores[0];
    }
    for (int i = lid; renew && i < side * side; i += GROUP)
        own[i] = 0.5f * (own[i] + window[(to.y + i / side) * width + to.x + i % side]);
}
