/* Compares a device's result with the reference, element by element. The message names the first
 * difference, because it is the one to debug, and the number of differences, because one wrong
 * element and all elements wrong are different bugs. */
#include <inttypes.h>
#include <math.h>

#include "workloads/workload.h"

struct differences {
    size_t first, n;
};

static struct differences compare_words(const uint32_t *got, const uint32_t *want, size_t n)
{
    struct differences d = {0};
    for (size_t i = n; i-- > 0;) {
        if (got[i] == want[i])
            continue;
        d.first = i;
        d.n++;
    }
    return d;
}

bool workload_check_u32(struct strbuf *why, const char *what, const uint32_t *got,
                        const uint32_t *want, size_t n)
{
    struct differences d = compare_words(got, want, n);
    if (d.n > 0)
        strbuf_addf(why, "%s[%zu] is %" PRIu32 ", should be %" PRIu32 " (%zu of %zu differ)", what,
                    d.first, got[d.first], want[d.first], d.n, n);
    return d.n == 0;
}

bool workload_check_i32(struct strbuf *why, const char *what, const int32_t *got,
                        const int32_t *want, size_t n)
{
    struct differences d = compare_words((const uint32_t *)got, (const uint32_t *)want, n);
    if (d.n > 0)
        strbuf_addf(why, "%s[%zu] is %" PRId32 ", should be %" PRId32 " (%zu of %zu differ)", what,
                    d.first, got[d.first], want[d.first], d.n, n);
    return d.n == 0;
}

static bool f32_agrees(float got, float want, float rel_tol, float abs_tol)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    if (isinf(got) || isinf(want))
        return got == want;
    return fabs((double)got - (double)want) <= abs_tol + rel_tol * fabs((double)want);
}

bool workload_check_f32(struct strbuf *why, const char *what, const float *got, const float *want,
                        size_t n, float rel_tol, float abs_tol)
{
    size_t first = 0, differences = 0;
    for (size_t i = n; i-- > 0;) {
        if (f32_agrees(got[i], want[i], rel_tol, abs_tol))
            continue;
        first = i;
        differences++;
    }
    if (differences > 0)
        strbuf_addf(why, "%s[%zu] is %.9g, should be %.9g (%zu of %zu differ)", what, first,
                    got[first], want[first], differences, n);
    return differences == 0;
}
