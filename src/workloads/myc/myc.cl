/* Heart muscle cells, one work-item per cell: the currents through the membrane and the gates that
 * open and close for them (Beeler and Reuter, 1977).
 *
 * A launch advances every cell by `steps` short steps. Each is a long stretch of exponentials
 * without a loop, for few warps: dependences and instruction fetch are all that is left to wait for.
 * Gates follow their exponential law exactly within a step, the potential goes by Euler's rule. */

enum { POTENTIAL, CALCIUM, GATE_X1, GATE_M, GATE_H, GATE_J, GATE_D, GATE_F };

/* x / (1 - exp(-x)), also where that is 0 / 0. */
static float ramp(float x)
{
    return fabs(x) < 0.01f ? 1.0f + 0.5f * x : x / (1.0f - exp(-x));
}

/* A gate that opens and closes at these rates, after `dt`. */
static float relax(float gate, float opening, float closing, float dt)
{
    float both = opening + closing, rest = opening / both;
    return rest + (gate - rest) * exp(-dt * both);
}

static float potassium_current(float v, float x1)
{
    float k1 = 4.0f * (exp(0.04f * (v + 85.0f)) - 1.0f) /
               (exp(0.08f * (v + 53.0f)) + exp(0.04f * (v + 53.0f)));
    float outward = 0.2f / 0.04f * ramp(0.04f * (v + 23.0f));
    float slow = 0.8f * x1 * (exp(0.04f * (v + 77.0f)) - 1.0f) / exp(0.04f * (v + 35.0f));
    return 0.35f * (k1 + outward) + slow;
}

/* state: variable by variable, all cells of one next to each other. `stimulus_steps` counts the
 * steps of this launch during which current is driven into the cells. */
__kernel void myc_advance(__global float *state, __global const float *sodium_conductance,
                          __global const float *stimulus, uint n_cells, uint steps,
                          uint stimulus_steps, float dt)
{
    uint cell = get_global_id(0);
    if (cell >= n_cells)
        return;
    float v = state[POTENTIAL * n_cells + cell], calcium = state[CALCIUM * n_cells + cell];
    float x1 = state[GATE_X1 * n_cells + cell], m = state[GATE_M * n_cells + cell];
    float h = state[GATE_H * n_cells + cell], j = state[GATE_J * n_cells + cell];
    float d = state[GATE_D * n_cells + cell], f = state[GATE_F * n_cells + cell];
    float sodium_max = sodium_conductance[cell], driven = stimulus[cell];

    for (uint i = 0; i < steps; i++) {
        float sodium = (sodium_max * m * m * m * h * j + 0.003f) * (v - 50.0f);
        float slow_inward = 0.09f * d * f * (v + 82.3f + 13.0287f * log(calcium));
        float current = potassium_current(v, x1) + sodium + slow_inward -
                        (i < stimulus_steps ? driven : 0.0f);

        x1 = relax(x1, 5e-4f * exp(0.083f * (v + 50.0f)) / (exp(0.057f * (v + 50.0f)) + 1.0f),
                   1.3e-3f * exp(-0.06f * (v + 20.0f)) / (exp(-0.04f * (v + 20.0f)) + 1.0f), dt);
        m = relax(m, 10.0f * ramp(0.1f * (v + 47.0f)), 40.0f * exp(-0.056f * (v + 72.0f)), dt);
        h = relax(h, 0.126f * exp(-0.25f * (v + 77.0f)),
                  1.7f / (exp(-0.082f * (v + 22.5f)) + 1.0f), dt);
        j = relax(j, 0.055f * exp(-0.25f * (v + 78.0f)) / (exp(-0.2f * (v + 78.0f)) + 1.0f),
                  0.3f / (exp(-0.1f * (v + 32.0f)) + 1.0f), dt);
        d = relax(d, 0.095f * exp(-0.01f * (v - 5.0f)) / (exp(-0.072f * (v - 5.0f)) + 1.0f),
                  0.07f * exp(-0.017f * (v + 44.0f)) / (exp(0.05f * (v + 44.0f)) + 1.0f), dt);
        f = relax(f, 0.012f * exp(-0.008f * (v + 28.0f)) / (exp(0.15f * (v + 28.0f)) + 1.0f),
                  6.5e-3f * exp(-0.02f * (v + 30.0f)) / (exp(-0.2f * (v + 30.0f)) + 1.0f), dt);
        calcium += dt * (-1e-7f * slow_inward + 0.07f * (1e-7f - calcium));
        v -= dt * current;
    }
    state[POTENTIAL * n_cells + cell] = v;
    state[CALCIUM * n_cells + cell] = calcium;
    state[GATE_X1 * n_cells + cell] = x1;
    state[GATE_M * n_cells + cell] = m;
    state[GATE_H * n_cells + cell] = h;
    state[GATE_J * n_cells + cell] = j;
    state[GATE_D * n_cells + cell] = d;
    state[GATE_F * n_cells + cell] = f;
}
