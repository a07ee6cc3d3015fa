/* Register banks, which plan by masks, against a bank at a time that looks at every cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sm/register_bank.h"
#include "unit/random_bits.h"

enum { N_CYCLES = 4000, MAX_ROWS = 4, END = N_CYCLES + 1000 };

/* What each bank does in each cycle. */
struct naive {
    uint32_t n_results[REGISTER_BANKS_MAX][END]; /* that are known to come */
    uint64_t read_next[REGISTER_BANKS_MAX];
};

/* A read that is planned more than 64 cycles ahead is kept off by a result of one of those before:
 * banks know a cycle by its place among 64. */
static bool has_result(const struct naive *b, uint32_t bank, uint64_t at, uint64_t from)
{
    while (at >= from + 64 && !b->n_results[bank][at])
        at -= 64;
    return b->n_results[bank][at];
}

static uint64_t naive_read(struct naive *b, uint32_t bank, uint64_t from)
{
    uint64_t at = b->read_next[bank] > from ? b->read_next[bank] : from;
    while (has_result(b, bank, at, from))
        at++;
    b->read_next[bank] = at + 1;
    return at;
}

static void naive_late(struct naive *b, uint32_t bank, uint64_t now)
{
    uint64_t next = b->read_next[bank];
    b->read_next[bank] = (next > now ? next : now) + 1;
}

/* An instruction as the SM does it: at once where masks allow that, the others one by one. */
static uint64_t read_rows(struct register_banks *b, const uint32_t *banks, uint32_t n, uint64_t at)
{
    uint32_t again[MAX_ROWS], n_again = 0;
    uint64_t mask = 0, last = at;
    for (uint32_t i = 0; i < n; i++) {
        if (mask & b->first << banks[i] || !banks_go_round(b->n))
            again[n_again++] = banks[i];
        else
            mask |= b->first << banks[i];
    }
    uint64_t later = banks_read_later(b, banks_read_at_once(b, mask, at), at);
    last = later > last ? later : last;
    for (uint32_t i = 0; i < n_again; i++) {
        uint64_t read = bank_read(b, again[i], at);
        last = read > last ? read : last;
    }
    return last;
}

static void sm_issue_cycle(struct register_banks *b, struct naive *naive, uint64_t now,
                           uint64_t random)
{
    uint32_t banks[MAX_ROWS], n = (uint32_t)(random >> 60) % (MAX_ROWS + 1);
    uint64_t last = now + 1;
    for (uint32_t i = 0; i < n; i++) {
        banks[i] = (uint32_t)(random >> 8 * i & 0xff) % b->n;
        uint64_t read = naive_read(naive, banks[i], now + 1);
        last = read > last ? read : last;
    }
    assert_int_equal(read_rows(b, banks, n, now + 1), last);
}

/* `planned`: of the results of a cycle the first is never heard of again, else all are written. */
static void expect(struct register_banks *b, struct naive *naive, uint64_t now, uint64_t random)
{
    uint32_t bank = (uint32_t)(random & 0xff) % b->n;
    uint64_t at = now + 2 + (random >> 8) % (BANK_LOOKS_AHEAD - 1);
    assert_int_equal(bank_expect(b, b->first << bank, at), !naive->n_results[bank][at]);
    naive->n_results[bank][at]++;
}

static void write_results(struct register_banks *b, struct naive *naive, uint64_t now, bool planned)
{
    for (uint32_t bank = 0; bank < b->n; bank++)
        for (uint32_t i = 0; i < naive->n_results[bank][now]; i++) {
            if (i)
                naive_late(naive, bank, now);
            if (!planned)
                bank_write(b, bank, now);
            else if (i)
                bank_write_late(b, bank, now);
        }
}

static void check(uint32_t n_banks, bool planned)
{
    static struct naive naive;
    struct register_banks b;
    uint64_t seed = n_banks;
    memset(&naive, 0, sizeof naive);
    banks_init(&b, n_banks);
    for (uint64_t now = 1; now < N_CYCLES; now++) {
        write_results(&b, &naive, now, planned);
        uint64_t r = random_u64(&seed);
        if (r % 8 == 0) { /* something from memory */
            uint32_t bank = (uint32_t)(r >> 8) % n_banks;
            naive_late(&naive, bank, now);
            bank_write_late(&b, bank, now);
        }
        bool crowded = now / 64 % 8 == 0; /* or there is time for what waits */
        for (uint32_t i = 0; i < 2 && (crowded || (r >> 40) % 4 == 0); i++) {
            sm_issue_cycle(&b, &naive, now, random_u64(&seed));
            expect(&b, &naive, now, random_u64(&seed));
        }
    }
}

static void operands_are_read_as_one_by_one(void **state)
{
    (void)state;
    static const uint32_t n_banks[] = {2, 3, 4, 16, 24, 64};
    for (uint32_t i = 0; i < sizeof n_banks / sizeof n_banks[0]; i++) {
        check(n_banks[i], false);
        check(n_banks[i], true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_are_read_as_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
