/* Register masks of one, two and three words against one flag a register. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "sm/scoreboard.h"
#include "unit/random_bits.h"

enum { MAX_WORDS = 3, MAX_REGS = MAX_WORDS * 64, N_OPS = 24, N_STEPS = 4000 };

struct naive_op {
    bool touches[MAX_REGS], writes[MAX_REGS], drains;
};

struct masks {
    uint64_t touches[MAX_WORDS], waits_for[MAX_WORDS], writes[MAX_WORDS];
};

static void random_op(uint64_t *seed, uint32_t n_regs, struct naive_op *op, struct masks *m)
{
    memset(op, 0, sizeof *op);
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t reg = (uint32_t)(random_u64(seed) % n_regs);
        op->touches[reg] = true;
        op->writes[reg] |= i == 0;
    }
    op->drains = random_u64(seed) % 8 == 0;
    for (uint32_t reg = 0; reg < n_regs; reg++) {
        m->touches[reg / 64] |= (uint64_t)op->touches[reg] << reg % 64;
        m->writes[reg / 64] |= (uint64_t)op->writes[reg] << reg % 64;
        m->waits_for[reg / 64] |= (uint64_t)(op->touches[reg] || op->drains) << reg % 64;
    }
}

static enum stall_cause naive_hazard(const struct naive_op *op, const bool *pending,
                                     const bool *memory)
{
    bool waits = false, waits_for_memory = false;
    for (uint32_t reg = 0; reg < MAX_REGS; reg++) {
        waits |= pending[reg] && (op->touches[reg] || op->drains);
        waits_for_memory |= memory[reg] && op->touches[reg];
    }
    return waits_for_memory ? STALLED_MEMORY : waits ? STALLED_DATA : STALLED_NONE;
}

static void check(uint32_t words)
{
    uint64_t seed = words, pending_words[MAX_WORDS] = {0}, memory_words[MAX_WORDS] = {0};
    struct scoreboard s = {.wide_pending = pending_words, .wide_memory = memory_words};
    bool pending[MAX_REGS] = {false}, memory[MAX_REGS] = {false};
    struct naive_op ops[N_OPS];
    struct masks masks[N_OPS];
    struct op_registers all[N_OPS];
    struct op_timing timing[N_OPS];
    for (uint32_t i = 0; i < N_OPS; i++) {
        random_op(&seed, words * 64, &ops[i], &masks[i]);
        all[i] = (struct op_registers){.touches = masks[i].touches,
                                       .waits_for = masks[i].waits_for,
                                       .writes = masks[i].writes};
        timing[i] = (struct op_timing){.touches = masks[i].touches[0],
                                       .waits_for = masks[i].waits_for[0],
                                       .writes = masks[i].writes[0],
                                       .all = &all[i]};
    }
    for (uint32_t step = 0; step < N_STEPS; step++) {
        uint64_t r = random_u64(&seed);
        const struct naive_op *op = &ops[r % N_OPS];
        const struct op_timing *t = &timing[r % N_OPS];
        assert_int_equal(scoreboard_hazard(&s, t, words), naive_hazard(op, pending, memory));
        uint32_t any = (uint32_t)(r >> 40) % (words * 64);
        assert_int_equal(scoreboard_awaits_memory(&s, any), memory[any]);
        bool issues = r >> 32 & 1, loads = r >> 33 & 1;
        if (issues)
            scoreboard_set(&s, t, words, loads);
        else
            scoreboard_clear(&s, t, words);
        for (uint32_t reg = 0; reg < MAX_REGS; reg++)
            if (op->writes[reg]) {
                pending[reg] = issues;
                memory[reg] = issues && (loads || memory[reg]);
            }
    }
}

static void masks_say_what_flags_say(void **state)
{
    (void)state;
    for (uint32_t words = 1; words <= MAX_WORDS; words++)
        check(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(masks_say_what_flags_say)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
