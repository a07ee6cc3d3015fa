/* Back propagation between a wide input layer and a hidden layer of UNITS units.
 *
 * Work-groups of UNITS x UNITS work-items: y runs over the group's inputs, x over the hidden units.
 * Weights are stored input by input, hidden + 1 to a row; row and column 0 belong to the biases, so
 * no row starts at a line's start and each half warp's accesses straddle lines. */

#define UNITS 16
#define ROW (UNITS + 1)

/* The index of the weight between this work-item's input and hidden unit. */
static int own_weight(void)
{
    int input = (int)get_group_id(1) * UNITS + (int)get_local_id(1) + 1;
    return input * ROW + (int)get_local_id(0) + 1;
}

/* Each group adds up its inputs' contributions to every hidden unit, by a tree in local memory. */
__kernel __attribute__((reqd_work_group_size(UNITS, UNITS, 1))) void
layer_forward(__global const float *input, __global const float *weight, __global float *partial)
{
    __local float node[UNITS], product[UNITS][UNITS];
    int x = get_local_id(0), y = get_local_id(1), group = get_group_id(1);

    if (x == 0)
        node[y] = input[group * UNITS + y + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    product[y][x] = weight[own_weight()] * node[y];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int reach = 1; reach < UNITS; reach *= 2) {
        if (y % (2 * reach) == 0)
            product[y][x] += product[y + reach][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x == 0)
        partial[group * UNITS + y] = product[0][y];
}

/* Moves every weight along the error's gradient, with momentum from the previous change. */
__kernel __attribute__((reqd_work_group_size(UNITS, UNITS, 1))) void
adjust_weights(__global const float *delta, __global const float *input, __global float *weight,
               __global float *change, float rate, float momentum)
{
    int x = get_local_id(0) + 1, y = get_local_id(1);
    int w = own_weight();
    float step = rate * delta[x] * input[w / ROW] + momentum * change[w];
    weight[w] += step;
    change[w] = step;

    if (y == 0 && get_group_id(1) == 0) { /* the biases: weights from an input that is always 1 */
        step = rate * delta[x] + momentum * change[x];
        weight[x] += step;
        change[x] = step;
    }
}
