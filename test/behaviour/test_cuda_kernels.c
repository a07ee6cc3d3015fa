/* CUDA C on Heddle: test/cuda/intrinsics.cu against the definitions in the CUDA manual, written
 * here as plain loops, and against libm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "heddle/heddle.h"
#include "unit/random_bits.h"

struct fixture {
    struct heddle_sim *sim;
    struct heddle_module *module;
    struct strbuf printed;
    char cache[64];
};

static void collect(void *user, const char *text, size_t len)
{
    strbuf_add_n(user, text, len);
}

static int load(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->cache, "/tmp/test-cuda-kernels-XXXXXX");
    if (!mkdtemp(f->cache) || setenv("HEDDLE_CACHE", f->cache, 1) != 0)
        return -1;
    const struct heddle_options options = {
        .struct_size = sizeof options, .print = collect, .print_user = &f->printed};
    if (heddle_create(&options, &f->sim) != HEDDLE_OK)
        return -1;
    *state = f;
    if (heddle_load_file(f->sim, HEDDLE_SOURCE_DIR "/test/cuda/intrinsics.cu", NULL, &f->module) ==
        HEDDLE_OK)
        return 0;
    print_error("%s", heddle_error(f->sim));
    return -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st, (void)kind, (void)place;
    return remove(path);
}

static int unload(void **state)
{
    struct fixture *f = *state;
    heddle_destroy(f->sim);
    strbuf_destroy(&f->printed);
    nftw(f->cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(f);
    return 0;
}

static uint64_t upload(struct fixture *f, const void *data, size_t bytes)
{
    uint64_t address;
    assert_int_equal(heddle_alloc(f->sim, bytes, "buffer", &address), HEDDLE_OK);
    assert_int_equal(heddle_write(f->sim, address, data, bytes), HEDDLE_OK);
    return address;
}

/* Launches with buffers only. */
static void launch(struct fixture *f, const char *kernel, uint32_t grid, uint32_t block,
                   const uint64_t *buffers, uint32_t n)
{
    struct heddle_arg args[8];
    for (uint32_t i = 0; i < n; i++)
        args[i] = (struct heddle_arg){.data = &buffers[i], .bytes = sizeof buffers[i]};
    const struct heddle_launch l = {
        .grid = {grid, 1, 1}, .block = {block, 1, 1}, .args = args, .n_args = n};
    if (heddle_launch(f->sim, f->module, kernel, &l) != HEDDLE_OK)
        fail_msg("%s: %s", kernel, heddle_error(f->sim));
}

static void download(struct fixture *f, uint64_t address, void *data, size_t bytes)
{
    assert_int_equal(heddle_read(f->sim, address, data, bytes), HEDDLE_OK);
}

/* --- Integers, from their definitions --- */

static uint32_t count_ones(uint64_t x)
{
    uint32_t n = 0;
    for (; x; x >>= 1)
        n += x & 1;
    return n;
}

static uint32_t leading_zeros(uint64_t x, uint32_t bits)
{
    uint32_t n = 0;
    while (n < bits && !(x >> (bits - 1 - n) & 1))
        n++;
    return n;
}

static uint32_t first_set(uint64_t x)
{
    for (uint32_t i = 0; i < 64; i++)
        if (x >> i & 1)
            return i + 1;
    return 0;
}

static uint64_t reversed(uint64_t x, uint32_t bits)
{
    uint64_t r = 0;
    for (uint32_t i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

static uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t s = selector >> (4 * i) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 0xff;
        if (s & 8)
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

static uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, bool is_signed)
{
    uint32_t sum = c;
    for (uint32_t i = 0; i < 32; i += 8)
        sum += is_signed ? (uint32_t)((int8_t)(a >> i) * (int8_t)(b >> i))
                         : (a >> i & 0xff) * (b >> i & 0xff);
    return sum;
}

static int32_t low_24_signed(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

static void expect_integers(uint32_t a, uint32_t b, uint32_t c, uint32_t r[24])
{
    uint64_t l = (uint64_t)b << 32 | a;
    int64_t sa = (int32_t)a, sb = (int32_t)b;
    uint32_t n = c & 31, clamped = c < 32 ? c : 32;
    const uint32_t expected[24] = {
        count_ones(a),
        leading_zeros(a, 32),
        first_set(a),
        (uint32_t)reversed(a, 32),
        permuted(a, b, c),
        (uint32_t)((uint64_t)(sa * sb) >> 32),
        (uint32_t)((uint64_t)a * b >> 32),
        (uint32_t)((int64_t)low_24_signed(a) * low_24_signed(b)),
        (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff)),
        (uint32_t)(l << n >> 32),
        (uint32_t)(l >> n),
        dot4(a, b, c, true),
        dot4(a, b, c, false),
        count_ones(l),
        leading_zeros(l, 64),
        first_set(l),
        (uint32_t)(sa > sb ? sa - sb : sb - sa) + c,
        (uint32_t)((sa + sb) >> 1),
        (uint32_t)(((uint64_t)a + b + 1) >> 1),
        (uint32_t)(reversed(l, 64) >> 32),
        clamped == 32 ? a : (uint32_t)(l << clamped >> 32),
        (uint32_t)((unsigned __int128)l * l >> 96),
        (a > 5 ? a : 5) + (uint32_t)(sa < sb ? sa : sb),
        (uint32_t)(sa < 0 ? -sa : sa),
    };
    memcpy(r, expected, sizeof expected);
}

static void integer_intrinsics_follow_their_definitions(void **state)
{
    struct fixture *f = *state;
    enum { N = 256 };
    static uint32_t in[N * 4], out[N * 24];
    uint64_t seed = 1;
    for (size_t i = 0; i < N * 4; i++) {
        uint64_t r = random_u64(&seed);
        in[i] = (r >> 32 & 7) == 0 ? 0x80000000u * (r & 1) : (uint32_t)r >> (r >> 40 & 31);
    }
    const uint64_t buffers[] = {upload(f, in, sizeof in), upload(f, out, sizeof out)};
    launch(f, "integers", 4, N / 4, buffers, 2);
    download(f, buffers[1], out, sizeof out);
    for (size_t i = 0; i < N; i++) {
        uint32_t expected[24];
        expect_integers(in[4 * i], in[4 * i + 1], in[4 * i + 2], expected);
        for (size_t k = 0; k < 24; k++)
            if (out[24 * i + k] != expected[k])
                fail_msg("r[%zu] of %08x, %08x, %08x is %08x instead of %08x", k, in[4 * i],
                         in[4 * i + 1], in[4 * i + 2], out[24 * i + k], expected[k]);
    }
}

/* --- Warps --- */

static void expect_warp(const uint32_t v[32], uint32_t lane, uint32_t all_odd, uint32_t r[16])
{
    uint32_t odd = 0, twos = 0, alike = 0, has_one = 0, tile = lane & ~7u;
    for (uint32_t i = 0; i < 32; i++) {
        odd |= (v[i] & 1) << i;
        twos |= (v[i] >> 1 & 1) << i;
        alike |= (uint32_t)((v[i] & 3) == (v[lane] & 3)) << i;
        has_one |= v[i] == 1;
    }
    const uint32_t expected[16] = {
        v[3],
        lane >= 2 ? v[lane - 2] : v[lane],
        lane + 5 < 32 ? v[lane + 5] : v[lane],
        v[lane ^ 9],
        (lane & 7) + 3 < 8 ? v[lane + 3] : v[lane],
        (lane & 3) >= 1 ? v[lane - 1] : v[lane],
        odd,
        has_one ? 1 : 2,
        alike,
        0xffffffffu + 1,
        v[lane ^ 16],
        all_odd,
        0,
        lane < 5 ? 0x1f : 0,
        v[tile + 2] + (lane & 7),
        twos >> tile & 0xff,
    };
    memcpy(r, expected, sizeof expected);
}

static void warp_operations_exchange_what_they_should(void **state)
{
    struct fixture *f = *state;
    enum { N = 64 };
    uint32_t in[N], out[N * 16] = {0}, n_odd = 0, n_zero = 0;
    uint64_t seed = 2;
    for (size_t i = 0; i < N; i++) {
        in[i] = (uint32_t)random_u64(&seed) % 50;
        n_odd += in[i] & 1;
        n_zero += in[i] == 0;
    }
    const uint64_t buffers[] = {upload(f, in, sizeof in), upload(f, out, sizeof out)};
    launch(f, "warp", 1, N, buffers, 2);
    download(f, buffers[1], out, sizeof out);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t expected[16];
        expect_warp(in + (i & ~31u), i & 31, n_odd, expected);
        expected[12] = n_zero ? 1 : 2;
        expected[14] += 100 * (i / 8);
        for (size_t k = 0; k < 16; k++)
            if (out[16 * i + k] != expected[k])
                fail_msg("thread %u, r[%zu] is %08x instead of %08x", i, k, out[16 * i + k],
                         expected[k]);
    }
}

/* --- Atomics --- */

static void atomics_add_up(void **state)
{
    struct fixture *f = *state;
    enum { N = 96 };
    uint32_t in[N], out[16] = {[2] = 1000, [4] = 0xffff, [13] = 77, [15] = 5}, sum = 0, most = 0;
    uint32_t least = 1000, ands = 0xffff, ors = 0, xors = 0;
    uint64_t seed = 3, wide[2] = {0};
    float single[1] = {1};
    double twice[1] = {1};
    for (size_t i = 0; i < N; i++) {
        in[i] = 100 + (uint32_t)random_u64(&seed) % 800;
        sum += in[i];
        most = in[i] > most ? in[i] : most;
        least = in[i] < least ? in[i] : least;
        ands &= in[i], ors |= in[i], xors ^= in[i];
    }
    const uint64_t buffers[] = {upload(f, in, sizeof in), upload(f, out, sizeof out),
                                upload(f, wide, sizeof wide), upload(f, single, sizeof single),
                                upload(f, twice, sizeof twice)};
    launch(f, "atomics", 1, N, buffers, 5);
    download(f, buffers[1], out, sizeof out);
    download(f, buffers[2], wide, sizeof wide);
    download(f, buffers[3], single, sizeof single);
    download(f, buffers[4], twice, sizeof twice);
    /* 96 steps of a counter that runs 0 .. 9: up to 6; downwards from 0, to 4. */
    const uint32_t expected[16] = {sum,  -sum, least, most, ands, ors,
                                   xors, 6,    4,     sum,  most, 24 * (10 + 20 + 30 + 40),
                                   77,   78,   5,     79};
    for (size_t k = 0; k < 16; k++)
        assert_int_equal(out[k], expected[k]);
    assert_int_equal(wide[0], (uint64_t)sum << 8);
    assert_int_equal(wide[1], (uint64_t)most << 16);
    assert_float_equal(single[0], 1 + N * 0.5f, 0);
    assert_true(twice[0] == 1 + N * 0.25);
}

/* --- Reals --- */

static void assert_near(const char *what, double x, double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%s at %a: %a instead of %a", what, x, got, expected);
}

/* Half precision by definition: 11 bits, ties to even (x is far from the format's edges). */
static float rounded_to_half(float x)
{
    int exponent;
    frexpf(x, &exponent);
    return (float)ldexp(nearbyint(ldexp(x, 11 - exponent)), exponent - 11);
}

static void real_functions_agree_with_libm(void **state)
{
    struct fixture *f = *state;
    enum { N = 64 };
    float in[N], out[N * 16] = {0};
    double din[N], dout[N * 4] = {0};
    uint64_t seed = 4;
    for (size_t i = 0; i < N; i++) {
        din[i] = 0.01 + 8 * (double)(random_u64(&seed) >> 11) * 0x1p-53;
        in[i] = (float)din[i];
    }
    const uint64_t buffers[] = {upload(f, in, sizeof in), upload(f, out, sizeof out),
                                upload(f, din, sizeof din), upload(f, dout, sizeof dout)};
    launch(f, "reals", 1, N, buffers, 4);
    download(f, buffers[1], out, sizeof out);
    download(f, buffers[3], dout, sizeof dout);
    const double ulp = 0x1p-23, wide_ulp = 0x1p-52;
    for (size_t i = 0; i < N; i++) {
        const float *r = out + 16 * i;
        const double x = in[i], y = din[i];
        assert_near("sinf", x, r[0], sin(x), 4 * ulp);
        assert_near("expf", x, r[1], exp(x), 4 * ulp);
        assert_near("logf", x, r[2], log(x), 4 * ulp);
        assert_near("powf", x, r[3], pow(x, 1.5), 16 * ulp);
        assert_near("sqrtf", x, r[4], sqrt(x), ulp / 2);
        assert_near("tanhf", x, r[5], tanh(x), 5 * ulp);
        float hundred = in[i] * 100;
        assert_true(r[6] == rintf(hundred) + ceilf(hundred) / 1024);
        assert_true(r[7] == fmodf(in[i] * 10, 3));
        assert_true(r[8] == floorf(in[i]) + ceilf(in[i]) * 16 + truncf(-in[i]) * 256 +
                                roundf(in[i]) * 4096);
        assert_true(r[9] == rounded_to_half(in[i]));
        assert_near("erff", x, r[10], erf(x), 16 * ulp);
        assert_near("cbrtf", x, r[11], cbrt(x), 2 * ulp);
        assert_near("atan2f", x, r[12], atan2(x, 2), 6 * ulp);
        assert_true(r[13] == nextafterf(in[i], INFINITY));
        assert_true(r[14] == in[i] + 1);
        assert_near("rsqrtf", x, r[15], 1 / sqrt(x), 4 * ulp);
        assert_near("exp + sqrt", y, dout[4 * i], exp(y) + sqrt(2), 4 * wide_ulp);
        assert_near("pow", y, dout[4 * i + 1], pow(y, 3), 16 * wide_ulp);
        assert_near("sin", y, dout[4 * i + 2], sin(y), 4 * wide_ulp);
        assert_true(dout[4 * i + 3] == fma(y, y, 1));
    }
}

static void printf_formats_every_kind_of_argument(void **state)
{
    struct fixture *f = *state;
    int32_t n = -42;
    const struct heddle_arg arg = {.data = &n, .bytes = sizeof n};
    const struct heddle_launch l = {.block = {32, 1, 1}, .args = &arg, .n_args = 1};
    strbuf_clear(&f->printed);
    assert_int_equal(heddle_launch(f->sim, f->module, "prints", &l), HEDDLE_OK);
    assert_string_equal(strbuf_text(&f->printed), "-42 word 2.50 x 1099511627776\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_intrinsics_follow_their_definitions),
        cmocka_unit_test(warp_operations_exchange_what_they_should),
        cmocka_unit_test(atomics_add_up),
        cmocka_unit_test(real_functions_agree_with_libm),
        cmocka_unit_test(printf_formats_every_kind_of_argument),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
