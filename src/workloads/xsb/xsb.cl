/* Macroscopic cross sections at random energies in random materials, one look-up per work-item. A
 * binary search in the united grid of all nuclides gives the place in the grid of each of them;
 * then the cross sections of every nuclide of the material are interpolated and added up. */

#define KINDS 5
#define MATERIALS 12

/* An energy, and a cross section of each kind at it. */
struct point {
    float energy, section[KINDS];
};

static uint mix32(uint x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* The last point of the united grid that is not above the energy. */
static uint find(__global const float *united, uint n, float energy)
{
    uint low = 0, high = n;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (united[middle] > energy)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* `first[m]`..`first[m + 1]` are the nuclides of material m; `share` says how often materials are
 * drawn, in 65536ths, summed up. */
__kernel void look_up(uint seed, __global const float *united, uint n_united,
                      __global const uint *places, __global const struct point *grid,
                      uint n_nuclides, uint points, __global const uint *first,
                      __global const uint *nuclides, __global const float *densities,
                      __constant uint *share, __global float *sections)
{
    uint i = get_global_id(0), n = get_global_size(0);
    float energy = (float)(mix32(seed + 2 * i) >> 8) * 0x1p-24f;
    uint drawn = mix32(seed + 2 * i + 1) & 65535, material = 0;
    while (share[material] <= drawn)
        material++;

    __global const uint *place = places + (size_t)find(united, n_united, energy) * n_nuclides;
    float sum[KINDS];
    for (int k = 0; k < KINDS; k++)
        sum[k] = 0.0f;
    for (uint j = first[material]; j < first[material + 1]; j++) {
        uint nuclide = nuclides[j];
        __global const struct point *low = grid + nuclide * points + place[nuclide];
        float part = (energy - low[0].energy) / (low[1].energy - low[0].energy);
        for (int k = 0; k < KINDS; k++)
            sum[k] += densities[j] *
                      (low[0].section[k] + part * (low[1].section[k] - low[0].section[k]));
    }
    for (int k = 0; k < KINDS; k++)
        sections[k * n + i] = sum[k];
}
