#include "cache/set_index.h"

#include <stdbool.h>

#include "cache/cache.h"

static bool is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

struct set_indexer set_indexer_make(uint32_t n_sets, uint32_t line_bytes, uint32_t index)
{
    struct set_indexer x = {.kind = SET_LINEAR_MODULO,
                            .n_sets = n_sets,
                            .line_shift = (uint32_t)__builtin_ctz(line_bytes)};
    if (!is_power_of_two(n_sets))
        return x;
    x.set_bits = (uint32_t)__builtin_ctz(n_sets);
    if (index != INDEX_HASH || n_sets == 1)
        x.kind = SET_LINEAR_MASK;
    else if (line_bytes == 128 && (n_sets == 32 || n_sets == 64))
        x.kind = SET_FERMI;
    else
        x.kind = SET_XOR_FOLD;
    return x;
}

static uint32_t fermi_set(uint64_t address, uint32_t n_sets)
{
    uint64_t low = address >> 7 & 31;
    uint64_t high = (address >> 13 & 7) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4;
    uint64_t top = n_sets == 64 ? (address >> 12 & 1) << 5 : 0;
    return (uint32_t)((low ^ high) | top);
}

static uint32_t folded_set(uint64_t number, uint32_t set_bits)
{
    uint64_t folded = 0;
    for (; number; number >>= set_bits)
        folded ^= number;
    return (uint32_t)(folded & ((1u << set_bits) - 1));
}

uint32_t set_index_of(const struct set_indexer *x, uint64_t line)
{
    uint64_t number = line >> x->line_shift;
    switch (x->kind) {
    case SET_LINEAR_MASK:
        return (uint32_t)(number & (x->n_sets - 1));
    case SET_LINEAR_MODULO:
        return (uint32_t)(number % x->n_sets);
    case SET_FERMI:
        return fermi_set(line, x->n_sets);
    case SET_XOR_FOLD:
        break;
    }
    return folded_set(number, x->set_bits);
}
