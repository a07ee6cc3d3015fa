/* Rates of a chemical mechanism in each cell of a grid, one cell per work-item. Arrays have one
 * value per cell side by side, so every access is coalesced; what describes the mechanism is the
 * same for all cells. */

#define SPECIES 22

/* Free energy of each species over RT: a polynomial in T and its logarithm. */
__kernel void free_energies(__global const float *temperature, __global const float4 *thermo,
                            __global float *energy)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float t = temperature[i], log_t = log(t);
    for (uint s = 0; s < SPECIES; s++) {
        float4 a = thermo[s];
        energy[s * n + i] = a.x + a.y * t + a.z * log_t + a.w / t;
    }
}

/* Arrhenius rates forwards; backwards by the equilibrium. The species of a reaction are
 * two reactants and two products. */
__kernel void rate_constants(__global const float *temperature, __global const float4 *arrhenius,
                             __global const int4 *reaction, uint reactions,
                             __global const float *energy, __global float *forwards,
                             __global float *backwards)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float t = temperature[i], log_t = log(t);
    for (uint r = 0; r < reactions; r++) {
        float4 a = arrhenius[r];
        int4 s = reaction[r];
        float rate = exp(a.x + a.y * log_t - a.z / t);
        float gain = energy[s.z * n + i] + energy[s.w * n + i] - energy[s.x * n + i] -
                     energy[s.y * n + i];
        forwards[r * n + i] = rate;
        backwards[r * n + i] = rate * exp(gain);
    }
}

/* What all reactions together do to each species. */
__kernel void production_rates(__global const float *concentration, __global const int4 *reaction,
                               uint reactions, __global const float *forwards,
                               __global const float *backwards, __global float *production)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    float made[SPECIES];
    for (uint s = 0; s < SPECIES; s++)
        made[s] = 0.0f;
    for (uint r = 0; r < reactions; r++) {
        int4 s = reaction[r];
        float net = forwards[r * n + i] * concentration[s.x * n + i] * concentration[s.y * n + i] -
                    backwards[r * n + i] * concentration[s.z * n + i] * concentration[s.w * n + i];
        made[s.x] -= net;
        made[s.y] -= net;
        made[s.z] += net;
        made[s.w] += net;
    }
    for (uint s = 0; s < SPECIES; s++)
        production[s * n + i] = made[s];
}
