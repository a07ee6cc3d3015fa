/* European call options by the binomial model: one work-group per option.
 *
 * The option's values at expiry go to a buffer in global memory; walking back in time, tiles of
 * TILE values are taken DELTA steps back in local memory before they return to the buffer. A tile
 * loses a value per step, so tiles overlap by DELTA. */

#define TILE 256
#define DELTA 32

struct option {
    float price, strike; /* today's, and that of the contract */
    float step;          /* how far the logarithm of the price moves in a step */
    float up, down;      /* the probabilities, discounted by a step */
};

/* Takes values 0..last of the tile back DELTA steps: those up to last - DELTA are then final. */
static void walk_back(__local float *from, __local float *to, int last, float up, float down)
{
    int lid = (int)get_local_id(0);
    for (int k = last - 1; k >= last - DELTA; k -= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid <= k)
            to[lid] = up * from[lid + 1] + down * from[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < k)
            from[lid] = up * to[lid + 1] + down * to[lid];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
binomial(__global const struct option *options, __global float *buffer, __global float *value,
         int steps)
{
    __local float tile[TILE], other[TILE];
    int lid = (int)get_local_id(0);
    struct option o = options[get_group_id(0)];
    __global float *own = buffer + get_group_id(0) * (steps + 1);

    for (int i = lid; i <= steps; i += TILE) {
        float price = o.price * exp(o.step * (float)(2 * i - steps));
        own[i] = max(price - o.strike, 0.0f);
    }
    for (int now = steps; now > 0; now -= DELTA) {
        for (int first = 0; first < now; first += TILE - DELTA) {
            int last = min(TILE - 1, now - first);
            barrier(CLK_GLOBAL_MEM_FENCE);
            if (lid <= last)
                tile[lid] = own[first + lid];
            walk_back(tile, other, last, o.up, o.down);
            if (lid <= last - DELTA)
                own[first + lid] = tile[lid];
        }
    }
    if (lid == 0)
        value[get_group_id(0)] = tile[0];
}
