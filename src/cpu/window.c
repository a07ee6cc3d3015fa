#include "cpu/window.h"

#include <assert.h>
#include <string.h>

#include "cpu/caches.h"

enum { WHEEL_CYCLES = 64 };
_Static_assert((int)CPU_MAX_L1_LATENCY < (int)WHEEL_CYCLES, "a load is ready within a turn");

/* --- sets of loads --- */

static inline uint32_t place_of(const struct cpu_window *w, uint64_t load)
{
    return (uint32_t)load & w->load_mask;
}

static inline uint64_t *wheel_at(struct cpu_window *w, uint64_t cycle)
{
    return w->wheel + cycle % WHEEL_CYCLES * w->n_words;
}

static inline void add_place(uint64_t *set, uint32_t place)
{
    set[place / 64] |= 1ull << place % 64;
}

static void block(struct cpu_window *w, uint32_t place)
{
    add_place(w->blocked, place);
    w->any_blocked = true;
}

/* --- dependences --- */

static void set_ready(struct cpu_window *w, struct cpu_load *l, uint64_t at);

/* The completion times of all its sources are known, and `known` is the latest of them. In that
 * cycle a load accesses L1; any other instruction is complete. */
static void schedule(struct cpu_window *w, uint32_t place)
{
    struct cpu_load *l = &w->loads[place];
    if (!l->n_lines) {
        set_ready(w, l, l->known);
        return;
    }
    add_place(wheel_at(w, l->known), place);
    w->wheel_used |= 1ull << l->known % WHEEL_CYCLES;
}

/* Complete from that cycle on: notifies the loads that wait for it. */
static void set_ready(struct cpu_window *w, struct cpu_load *l, uint64_t at)
{
    l->ready_at = at;
    for (uint32_t entry = l->waiters; entry;) {
        uint32_t place = (entry - 1) / CPU_SOURCES, source = (entry - 1) % CPU_SOURCES;
        struct cpu_load *waiter = &w->loads[place];
        entry = waiter->next_waiter[source];
        if (waiter->known < at)
            waiter->known = at;
        if (!--waiter->n_unknown)
            schedule(w, place);
    }
    l->waiters = 0;
}

/* MODEL: on a CPU core the stack pointer and the instruction pointer are known without waiting for
 * loads. */
static inline bool is_waited_for(uint8_t reg)
{
    return reg && reg != CPU_REG_STACK && reg != CPU_REG_IP;
}

/* The load waits for those that wrote its source registers last. */
static void wait_for_sources(struct cpu_window *w, uint32_t place, const struct cpu_inst *inst)
{
    struct cpu_load *l = &w->loads[place];
    for (uint32_t i = 0; i < CPU_SOURCES; i++) {
        uint64_t writer = w->writers[inst->source_regs[i]];
        if (writer <= w->first_load || !is_waited_for(inst->source_regs[i]))
            continue;
        struct cpu_load *source = &w->loads[place_of(w, writer - 1)];
        if (source->ready_at != CPU_NEVER) {
            l->known = l->known < source->ready_at ? source->ready_at : l->known;
        } else {
            l->n_unknown++;
            l->next_waiter[i] = source->waiters;
            source->waiters = (uint16_t)(1 + place * CPU_SOURCES + i);
        }
    }
}

/* --- entering --- */

static inline void write_registers(struct cpu_window *w, const struct cpu_inst *inst,
                                   uint64_t writer)
{
    for (uint32_t i = 0; i < CPU_DESTS; i++)
        w->writers[inst->dest_regs[i]] = writer;
}

static struct cpu_load *add_load(struct cpu_window *w, const struct cpu_inst *inst, uint64_t now)
{
    struct cpu_load *l = &w->loads[place_of(w, w->end_load)];
    l->inst = w->entered;
    l->ready_at = CPU_NEVER;
    l->known = now;
    l->n_lines = l->n_out = l->n_unknown = 0;
    l->waiters = 0;
    wait_for_sources(w, place_of(w, w->end_load), inst);
    write_registers(w, inst, ++w->end_load);
    return l;
}

static inline uint64_t line_of(uint64_t address, uint64_t application)
{
    uint64_t own = address & ((1ull << CPU_ADDRESS_BITS) - 1);
    return application | (own & ~(uint64_t)(CPU_LINE_BYTES - 1));
}

/* From the last to the first, so that the first is accessed first. */
static inline void add_lines(struct cpu_load *l, const struct cpu_inst *inst, uint64_t application)
{
    for (uint32_t i = CPU_SOURCES; i-- > 0;)
        if (inst->source_memory[i])
            l->lines[l->n_lines++] = line_of(inst->source_memory[i], application);
}

static void enter_load(struct cpu_window *w, const struct cpu_inst *inst, uint64_t application,
                       uint64_t now)
{
    add_lines(add_load(w, inst, now), inst, application);
}

/* The load's own lines are accessed first. */
static void join_load(struct cpu_window *w, const struct cpu_inst *inst, uint64_t application)
{
    struct cpu_load *l = &w->loads[place_of(w, w->end_load - 1)];
    uint64_t own[CPU_MAX_LINES];
    uint32_t n_own = l->n_lines;
    assert(l->inst == w->entered - 1);
    memcpy(own, l->lines, n_own * sizeof *own);
    l->n_lines = 0;
    add_lines(l, inst, application);
    assert(l->n_lines + n_own <= CPU_MAX_LINES);
    memcpy(l->lines + l->n_lines, own, n_own * sizeof *own);
    l->n_lines = (uint8_t)(l->n_lines + n_own);
}

static void add_stores(struct cpu_window *w, uint64_t number, const struct cpu_inst *inst,
                       uint64_t application)
{
    for (uint32_t i = 0; i < CPU_DESTS; i++)
        if (inst->dest_memory[i])
            w->stores[w->end_store++ & w->store_mask] =
                (struct cpu_store){number, line_of(inst->dest_memory[i], application)};
}

void cpu_window_join(struct cpu_window *w, const struct cpu_inst *inst, uint64_t application)
{
    if (inst->source_memory[0])
        join_load(w, inst, application);
    add_stores(w, w->entered - 1, inst, application);
}

/* Does any of its sources come from a load that is not complete? */
static bool waits(const struct cpu_window *w, const struct cpu_inst *inst, uint64_t now)
{
    for (uint32_t i = 0; i < CPU_SOURCES; i++) {
        uint64_t writer = w->writers[inst->source_regs[i]];
        if (writer > w->first_load && is_waited_for(inst->source_regs[i]) &&
            w->loads[place_of(w, writer - 1)].ready_at > now)
            return true;
    }
    return false;
}

static void enter_other(struct cpu_window *w, const struct cpu_inst *inst, uint64_t now)
{
    if (!w->follow_registers || !waits(w, inst, now)) {
        write_registers(w, inst, 0);
        return;
    }
    struct cpu_load *l = add_load(w, inst, now);
    if (!l->n_unknown)
        set_ready(w, l, l->known);
}

void cpu_window_enter(struct cpu_window *w, const struct cpu_inst *inst, uint64_t application,
                      uint64_t now)
{
    const unsigned long long *from = inst->source_memory, *to = inst->dest_memory;
    if (from[0] | from[1] | from[2] | from[3])
        enter_load(w, inst, application, now);
    else
        enter_other(w, inst, now);
    if (to[0] | to[1])
        add_stores(w, w->entered, inst, application);
    w->entered++;
}

/* --- loads --- */

/* Accesses its remaining lines, in order. */
static void access_lines(struct cpu_window *w, struct cpu_caches *caches, uint32_t place,
                         uint64_t now)
{
    struct cpu_load *l = &w->loads[place];
    while (l->n_lines) {
        enum cpu_answer answer = cpu_caches_load(caches, l->lines[l->n_lines - 1], l, now);
        if (answer == CPU_BLOCKED) {
            block(w, place);
            return;
        }
        l->n_lines--;
        if (answer == CPU_HIT)
            l->known = now + w->l1_latency;
        else
            l->n_out++;
    }
    if (!l->n_out)
        set_ready(w, l, l->known);
}

void cpu_window_data(struct cpu_window *w, struct cpu_load *l, uint64_t now)
{
    if (l->known < now)
        l->known = now;
    if (!--l->n_out && !l->n_lines)
        set_ready(w, l, l->known);
}

/* Those of one word of the set, in order. */
static void access_word(struct cpu_window *w, struct cpu_caches *caches, uint32_t word,
                        uint64_t mask, uint64_t now)
{
    for (; mask; mask &= mask - 1)
        access_lines(w, caches, word * 64 + (uint32_t)__builtin_ctzll(mask), now);
}

/* Those whose sources are complete now, and those that may have room now, oldest first. */
static void access_waiting(struct cpu_window *w, struct cpu_caches *caches, bool retry,
                           uint64_t now)
{
    uint64_t due[CPU_MAX_ROB / 64];
    uint64_t *ready = wheel_at(w, now);
    for (uint32_t i = 0; i < w->n_words; i++) {
        due[i] = ready[i] | (retry ? w->blocked[i] : 0);
        ready[i] = 0;
        if (retry)
            w->blocked[i] = 0;
    }
    w->wheel_used &= ~(1ull << now % WHEEL_CYCLES);
    w->any_blocked = w->any_blocked && !retry;
    uint32_t first = place_of(w, w->first_load), word = first / 64;
    uint64_t before = (1ull << first % 64) - 1;
    access_word(w, caches, word, due[word] & ~before, now);
    for (uint32_t i = 1; i < w->n_words; i++)
        access_word(w, caches, (word + i) % w->n_words, due[(word + i) % w->n_words], now);
    access_word(w, caches, word, due[word] & before, now);
}

void cpu_window_load(struct cpu_window *w, struct cpu_caches *caches, bool unblocked, uint64_t now)
{
    bool retry = unblocked && w->any_blocked;
    if (retry || w->wheel_used >> now % WHEEL_CYCLES & 1)
        access_waiting(w, caches, retry, now);
    for (; w->first_new_load != w->end_load; w->first_new_load++) {
        uint32_t place = place_of(w, w->first_new_load);
        const struct cpu_load *l = &w->loads[place];
        if (!l->n_lines || l->n_unknown)
            continue;
        if (l->known <= now)
            access_lines(w, caches, place, now);
        else
            schedule(w, place);
    }
}

/* --- retiring --- */

/* The end of the stores of the oldest instruction that has some. */
static uint64_t stores_until(const struct cpu_window *w)
{
    uint64_t inst = w->stores[w->kept_store & w->store_mask].inst, next = w->kept_store + 1;
    while (next != w->end_store && w->stores[next & w->store_mask].inst == inst)
        next++;
    return next;
}

/* A store needs a free entry in the store buffer: returns the first instruction without one. */
static uint64_t retire_stores(struct cpu_window *w, uint64_t end)
{
    while (w->kept_store != w->end_store) {
        uint64_t inst = w->stores[w->kept_store & w->store_mask].inst;
        uint64_t next = stores_until(w);
        if (inst >= end)
            return end;
        if (next - w->done_store > w->store_buffer)
            return inst;
        w->kept_store = next;
    }
    return end;
}

void cpu_window_retire(struct cpu_window *w, uint64_t now)
{
    uint64_t end = w->retired + w->width;
    end = end < w->entered ? end : w->entered;
    for (; w->first_load != w->end_load; w->first_load++) {
        const struct cpu_load *l = &w->loads[place_of(w, w->first_load)];
        if (l->inst >= end)
            break;
        if (l->ready_at > now) {
            end = l->inst;
            break;
        }
    }
    w->retired = retire_stores(w, end);
    w->first_new_load = w->end_load;
}

void cpu_window_store(struct cpu_window *w, struct cpu_caches *caches, uint64_t now)
{
    while (w->done_store != w->kept_store &&
           cpu_caches_store(caches, w->stores[w->done_store & w->store_mask].line, now))
        w->done_store++;
}

/* --- time --- */

/* When the oldest instruction may retire. */
static uint64_t next_retire(const struct cpu_window *w, uint64_t now)
{
    const struct cpu_load *l = &w->loads[place_of(w, w->first_load)];
    const struct cpu_store *s = &w->stores[w->kept_store & w->store_mask];
    bool is_load = w->first_load != w->end_load && l->inst == w->retired;
    bool is_store = w->kept_store != w->end_store && s->inst == w->retired;
    if (w->retired == w->entered)
        return CPU_NEVER; /* there is none */
    if (is_store && stores_until(w) - w->done_store > w->store_buffer)
        return CPU_NEVER;
    return is_load && l->ready_at > now ? l->ready_at : now + 1;
}

uint64_t cpu_window_next(const struct cpu_window *w, uint64_t now)
{
    uint64_t next = next_retire(w, now);
    if (w->wheel_used) {
        uint64_t shift = (now + 1) % WHEEL_CYCLES;
        uint64_t turned = shift ? w->wheel_used >> shift | w->wheel_used << (WHEEL_CYCLES - shift)
                                : w->wheel_used;
        uint64_t due = now + 1 + (uint64_t)__builtin_ctzll(turned);
        next = due < next ? due : next;
    }
    return next;
}

void cpu_window_create(struct cpu_window *w, const struct cpu_config *c, struct arena *arena)
{
    uint32_t loads = 64, stores = 1;
    while (loads < c->rob)
        loads *= 2;
    uint32_t stores_of_one = c->simd_width > CPU_DESTS ? c->simd_width : CPU_DESTS;
    while (stores < stores_of_one * c->rob + c->store_buffer)
        stores *= 2;
    *w = (struct cpu_window){.width = c->width,
                             .rob = c->rob,
                             .l1_latency = c->l1_latency,
                             .follow_registers = c->follow_registers,
                             .loads = ARENA_ARRAY(arena, struct cpu_load, loads),
                             .load_mask = loads - 1,
                             .stores = ARENA_ARRAY(arena, struct cpu_store, stores),
                             .store_mask = stores - 1,
                             .store_buffer = c->store_buffer,
                             .n_words = loads / 64,
                             .blocked = ARENA_ARRAY(arena, uint64_t, loads / 64),
                             .wheel = ARENA_ARRAY(arena, uint64_t, loads / 64 * WHEEL_CYCLES)};
}
