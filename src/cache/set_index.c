#include "cache/set_index.h"

#include "base/power_of_two.h"
#include "cache/cache.h"

struct set_indexer set_indexer_make(uint32_t n_sets, uint32_t line_bytes, uint32_t index)
{
    struct set_indexer x = {.kind = SET_LINEAR_MODULO,
                            .n_sets = n_sets,
                            .line_shift = (uint32_t)__builtin_ctz(line_bytes)};
    if (!is_power_of_two(n_sets))
        return x;
    x.set_bits = (uint32_t)__builtin_ctz(n_sets);
    x.fold_bits = x.set_bits;
    while (x.fold_bits && x.fold_bits < 32)
        x.fold_bits *= 2;
    if (index != INDEX_HASH || n_sets == 1)
        x.kind = SET_LINEAR_MASK;
    else if (line_bytes == 128 && (n_sets == 32 || n_sets == 64))
        x.kind = SET_FERMI;
    else
        x.kind = n_sets == 16 ? SET_XOR_16 : SET_XOR_FOLD;
    return x;
}

/* One loop for each common kind, so that the compiler can vectorise it. */
void set_index_many(const struct set_indexer *x, const uint64_t *lines, uint32_t n, uint32_t *sets)
{
    if (x->kind == SET_LINEAR_MASK) {
        for (uint32_t i = 0; i < n; i++)
            sets[i] = (uint32_t)(lines[i] >> x->line_shift) & (x->n_sets - 1);
    } else if (x->kind == SET_FERMI && x->n_sets == 32) {
        for (uint32_t i = 0; i < n; i++)
            sets[i] = set_index_fermi(lines[i], 32);
    } else {
        for (uint32_t i = 0; i < n; i++)
            sets[i] = set_index_of(x, lines[i]);
    }
}
