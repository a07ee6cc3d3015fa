/* BP: one training step of a neural network with one hidden layer of 16 units, by back propagation.
 *
 * Used by S2 (65,536), S3 (65,536 nodes) and S4 (as BACKP, no size given): the number of input
 * units. As in Rodinia: the forward pass and the weight update between input and hidden layer run
 * on the device in 16x16 work-groups, the small rest on the host; weights are stored with their
 * biases in row and column 0.
 *
 * Simplified: weights are drawn around zero and scaled to the layer, since with Rodinia's weights
 * of 0 to 1 every unit saturates and nothing is learnt; the previous changes are drawn too, so that
 * the momentum matters in a single step; the forward kernel leaves the weights alone (Rodinia's
 * stores its products over them and loads them again). */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "workloads/workload.h"

extern const char workload_bp_source[];

enum { HIDDEN = 16 /* as in bp.cl */, ROW = HIDDEN + 1 };
static const float RATE = 0.3f, MOMENTUM = 0.3f;
static const double TARGET = 0.1; /* the target of the output unit */

struct bp {
    struct arena memory;
    uint32_t inputs;
    size_t weights;         /* (inputs + 1) x ROW */
    float *input;           /* [0] is the bias input, 1 */
    float *weight, *change; /* before the step */
    float out_weight[ROW];  /* from the hidden units to the only output, bias first */
    float *new_weight, *new_change, *expected_weight, *expected_change;
    float hidden[HIDDEN], expected_hidden[HIDDEN];
};

static float centred(struct workload_rng *rng, float scale)
{
    return scale * (2.0f * workload_rng_unit(rng) - 1.0f);
}

static void bp_setup(void *state, const struct workload_size *size, uint64_t seed)
{
    struct bp *s = state;
    struct workload_rng rng = {seed};
    s->inputs = device_round_up((uint32_t)size->p[0], HIDDEN);
    s->weights = (size_t)(s->inputs + 1) * ROW;
    s->input = ARENA_ARRAY(&s->memory, float, s->inputs + 1);
    s->weight = ARENA_ARRAY(&s->memory, float, s->weights);
    s->change = ARENA_ARRAY(&s->memory, float, s->weights);
    s->new_weight = ARENA_ARRAY(&s->memory, float, s->weights);
    s->new_change = ARENA_ARRAY(&s->memory, float, s->weights);
    s->expected_weight = ARENA_ARRAY(&s->memory, float, s->weights);
    s->expected_change = ARENA_ARRAY(&s->memory, float, s->weights);

    float scale = 4.0f / sqrtf((float)s->inputs);
    s->input[0] = 1.0f;
    for (uint32_t i = 1; i <= s->inputs; i++)
        s->input[i] = workload_rng_unit(&rng);
    for (size_t i = 0; i < s->weights; i++) {
        s->weight[i] = centred(&rng, scale);
        s->change[i] = centred(&rng, 0.1f * scale);
    }
    for (uint32_t j = 0; j < ROW; j++)
        s->out_weight[j] = centred(&rng, 1.0f);
}

static double squash(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

/* The error of the output propagated to the hidden units: delta[1..HIDDEN]. */
static void propagate_back(const struct bp *s, float delta[ROW])
{
    double sum = (double)s->out_weight[0];
    for (uint32_t j = 0; j < HIDDEN; j++)
        sum += (double)s->out_weight[j + 1] * (double)s->hidden[j];
    double output = squash(sum);
    double output_delta = output * (1 - output) * (TARGET - output);
    delta[0] = 0;
    for (uint32_t j = 0; j < HIDDEN; j++) {
        double h = (double)s->hidden[j];
        delta[j + 1] = (float)(h * (1 - h) * output_delta * (double)s->out_weight[j + 1]);
    }
}

static void forward(struct bp *s, struct device *d, device_buffer input, device_buffer weight)
{
    uint32_t groups = s->inputs / HIDDEN;
    size_t n = (size_t)groups * HIDDEN;
    struct arena scratch = {0};
    float *sums = ARENA_ARRAY(&scratch, float, n);
    device_buffer partial = device_alloc(d, n * sizeof *sums, "partial sums");
    DEVICE_LAUNCH_2D(d, "layer_forward", HIDDEN, s->inputs, HIDDEN, HIDDEN,
                     device_arg_buffer(input), device_arg_buffer(weight),
                     device_arg_buffer(partial));
    device_download(d, partial, 0, sums, n * sizeof *sums);
    for (uint32_t j = 0; j < HIDDEN; j++) {
        double sum = (double)s->weight[j + 1];
        for (uint32_t group = 0; group < groups; group++)
            sum += (double)sums[(size_t)group * HIDDEN + j];
        s->hidden[j] = (float)squash(sum);
    }
    arena_destroy(&scratch);
}

static void bp_run(void *state, struct device *d)
{
    struct bp *s = state;
    size_t bytes = s->weights * sizeof(float);
    float delta[ROW];
    device_buffer input = device_alloc_from(d, s->input, (s->inputs + 1) * sizeof(float), "input");
    device_buffer weight = device_alloc_from(d, s->weight, bytes, "weight");
    device_buffer change = device_alloc_from(d, s->change, bytes, "change");

    forward(s, d, input, weight);
    propagate_back(s, delta);
    device_buffer deltas = device_alloc_from(d, delta, sizeof delta, "delta");
    DEVICE_LAUNCH_2D(d, "adjust_weights", HIDDEN, s->inputs, HIDDEN, HIDDEN,
                     device_arg_buffer(deltas), device_arg_buffer(input), device_arg_buffer(weight),
                     device_arg_buffer(change), device_arg_f32(RATE), device_arg_f32(MOMENTUM));
    device_download(d, weight, 0, s->new_weight, bytes);
    device_download(d, change, 0, s->new_change, bytes);
}

/* Unit by unit in double precision: the gradient of half the squared error with respect to each
 * weight, by the chain rule. */
static void bp_reference(void *state)
{
    struct bp *s = state;
    double net = (double)s->out_weight[0], activation[HIDDEN];
    for (uint32_t j = 0; j < HIDDEN; j++) {
        double sum = 0;
        for (size_t i = 0; i <= s->inputs; i++)
            sum += (double)s->weight[i * ROW + j + 1] * (double)s->input[i];
        activation[j] = squash(sum);
        s->expected_hidden[j] = (float)activation[j];
        net += (double)s->out_weight[j + 1] * activation[j];
    }
    double output = squash(net);
    double error_by_net = (output - TARGET) * output * (1 - output);

    memcpy(s->expected_weight, s->weight, s->weights * sizeof(float));
    memcpy(s->expected_change, s->change, s->weights * sizeof(float));
    for (uint32_t j = 0; j < HIDDEN; j++) {
        double slope = activation[j] * (1 - activation[j]);
        double error_by_sum = error_by_net * (double)s->out_weight[j + 1] * slope;
        for (size_t i = 0; i <= s->inputs; i++) {
            size_t w = i * ROW + j + 1;
            double step = (double)MOMENTUM * (double)s->change[w] -
                          (double)RATE * error_by_sum * (double)s->input[i];
            s->expected_change[w] = (float)step;
            s->expected_weight[w] = (float)((double)s->weight[w] + step);
        }
    }
}

/* A hidden unit's sum of products of size 1/sqrt(inputs) is rounded in groups of 16 only, the rest
 * is added in double precision: an error of some 1e-7. It passes to the changes through the deltas.
 */
static bool bp_check(const void *state, struct strbuf *why)
{
    const struct bp *s = state;
    const float rel = 2e-6f;
    float abs_tol = 1e-6f / sqrtf((float)s->inputs);
    return workload_check_f32(why, "hidden unit", s->hidden, s->expected_hidden, HIDDEN, rel,
                              0.0f) &&
           workload_check_f32(why, "change", s->new_change, s->expected_change, s->weights, rel,
                              abs_tol) &&
           workload_check_f32(why, "weight", s->new_weight, s->expected_weight, s->weights, rel,
                              abs_tol);
}

static void bp_teardown(void *state)
{
    struct bp *s = state;
    arena_destroy(&s->memory);
}

static const struct workload_size sizes[] = {
    {"tiny", {4096}}, {"small", {65536}}, {"paper-s2", {65536}}, {"paper-s3", {65536}}, {NULL, {0}},
};

const struct workload workload_bp = {
    .name = "bp",
    .paper_name = "BP",
    .title = "Back propagation",
    .summary = "One training step of a network with 16 hidden units: tree reductions in local "
               "memory forward, one streaming update of all weights backward.",
    .origin = "Rodinia",
    .categories = {.s2 = "cache-sufficient",
                   .s3_ch3 = "memory-intensive",
                   .s3_ch4 = "non-sensitive",
                   .s3_ch5 = "not cache-sensitive",
                   .s4 = "insensitive"},
    .source = workload_bp_source,
    .param_names = {"inputs"},
    .sizes = sizes,
    .state_bytes = sizeof(struct bp),
    .setup = bp_setup,
    .run = bp_run,
    .reference = bp_reference,
    .check = bp_check,
    .teardown = bp_teardown,
};
