#include "analysis/l1d_checks.h"

/* Do the positions never decrease, nor exceed the last one? */
static bool are_places(const struct l1d_table *t, uint32_t column, uint64_t last)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->columns[column][i] < before)
            return false;
        before = t->columns[column][i];
    }
    return before <= last;
}

bool l1d_are_accesses(const struct l1d_table *t, bool may_be_critical)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t kind = byte & L1D_KIND_MASK;
        uint32_t outcome = (byte & ~(uint32_t)L1D_CRITICAL) >> L1D_OUTCOME_SHIFT;
        bool is_known = kind <= L1D_ATOMIC || kind == L1D_FLUSH || kind == L1D_RESIZE;
        bool is_sound =
            is_known && outcome < N_L1D_OUTCOMES && (may_be_critical || !(byte & L1D_CRITICAL));
        if (t->n_of[byte] && !is_sound)
            return false;
    }
    return true;
}

bool l1d_are_details(const struct l1d_table *t, const struct cache_config *c)
{
    uint32_t n_sectors = c->line_bytes / c->sector_bytes;
    uint64_t all = n_sectors == 1 ? 0 : (1u << n_sectors) - 1;
    for (uint32_t i = 0; i < t->n; i++) {
        uint8_t kind = t->kinds[i] & L1D_KIND_MASK;
        uint64_t sectors = t->columns[L1D_SECTORS][i];
        if (sectors & ~all || t->columns[L1D_HOW][i] & ~(uint64_t)L1D_HOW_ALL)
            return false;
        if (all && !sectors && (kind == L1D_LOAD || kind == L1D_STORE))
            return false;
        if (kind == L1D_RESIZE && t->columns[L1D_LINE][i] - 1 >= c->n_ways)
            return false;
    }
    return true;
}

bool l1d_are_the_rest(const struct l1d_table *t, uint64_t n_accesses)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t kind = byte & L1D_KIND_MASK;
        bool is_sound =
            (kind == L1D_FILL || kind == L1D_EVICT) && byte >> L1D_OUTCOME_SHIFT < N_L1D_OUTCOMES;
        if (t->n_of[byte] && !is_sound)
            return false;
    }
    return are_places(t, L1D_PLACE, n_accesses);
}

bool l1d_are_insts(const struct l1d_table *t, uint64_t n_accesses, uint64_t n_rest)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->kinds[i] > L1D_MAX_LANES || t->columns[L1D_ISSUES][i] - 1 >= L1D_MAX_ISSUES)
            return false;
    return are_places(t, L1D_INSTS_PLACE, n_accesses) &&
           are_places(t, L1D_INSTS_REST_PLACE, n_rest);
}
