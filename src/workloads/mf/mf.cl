/* Median of 3x3 pixels for each of four channels, by a network of minima and maxima. */

#define SORT(a, b)                                                                                 \
    {                                                                                              \
        uchar4 least = min(a, b);                                                                  \
        b = max(a, b);                                                                             \
        a = least;                                                                                 \
    }

__kernel void median_filter(__global const uchar4 *in, __global uchar4 *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    int left = max(x - 1, 0), right = min(x + 1, width - 1);
    int up = max(y - 1, 0) * width, row = y * width, down = min(y + 1, height - 1) * width;
    uchar4 a = in[up + left], b = in[up + x], c = in[up + right];
    uchar4 d = in[row + left], e = in[row + x], f = in[row + right];
    uchar4 g = in[down + left], h = in[down + x], i = in[down + right];

    /* Sort three triples; the median is the middle one of the largest minimum, the median of the
     * medians and the smallest maximum. */
    SORT(a, b) SORT(b, c) SORT(a, b)
    SORT(d, e) SORT(e, f) SORT(d, e)
    SORT(g, h) SORT(h, i) SORT(g, h)
    uchar4 low = max(max(a, d), g), high = min(min(c, f), i);
    SORT(b, e) SORT(e, h) SORT(b, e)
    SORT(low, e) SORT(e, high) SORT(low, e)
    out[row + x] = e;
}
