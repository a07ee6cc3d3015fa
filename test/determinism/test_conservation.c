/* The identities checked after every launch hold for a run, and each notices a count that is off by
 * one: a real run's totals are doctored, field by field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/machine_config.h"
#include "gpu/machine_totals.h"
#include "gpu/sim.h"
#include "workloads/run.h"

#define FIELD(name, part)                                                                          \
    {                                                                                              \
#name, offsetof(struct machine_totals, name), part                                         \
    }
static const struct doctored {
    const char *name;
    size_t at;
    const char *part; /* of the complaint */
} fields[] = {
    FIELD(sm.issued, "issued"),
    FIELD(sm.load_requests, "line accesses of loads"),
    FIELD(sm.store_requests, "line accesses of stores"),
    FIELD(l1d.hits, "loads"),
    FIELD(l1d.bypasses, "loads"),
    FIELD(l1i.misses, "loads"),
    FIELD(l1c.hits, "loads"),
    FIELD(l2.store_misses, "stores"),
    FIELD(l2.fills, ""),
    FIELD(slice.accesses, "served by L2 once"),
    FIELD(up_tx.messages, ""),
    FIELD(up_rx.flits, ""),
    FIELD(down_tx.in_use, ""),
    FIELD(down_rx.flits, ""),
    FIELD(sm.bytes_asked[FROM_L1D], "L1D is filled"),
    FIELD(sm.bytes_asked[FROM_L1I], "L1I is filled"),
    FIELD(sm.bytes_asked[FROM_L1C], "L1C is filled"),
    FIELD(sm.bytes_asked[FROM_BYPASS], "they request"),
    FIELD(sm.bytes_asked[FROM_ATOMIC], "they request"),
    FIELD(sm.bytes_got, "they request"),
    FIELD(slice.bytes_sent, "that L2 sends"),
    FIELD(dram.bytes, "whole sectors"),
    FIELD(slice.sectors_written, "whole sectors"),
    FIELD(l2.sectors_fetched, "requests are read"),
    FIELD(dram.reads, "DRAM reads =="),
    FIELD(dram.writes, "DRAM writes =="),
    FIELD(l2.fills_dropped, "DRAM reads =="),
    FIELD(l2.writebacks, "DRAM writes =="),
    FIELD(slice.bypass_reads, "DRAM reads =="),
    FIELD(slice.bypass_writes, "DRAM writes =="),
    FIELD(slice.lines_flushed, "DRAM writes =="),
    FIELD(cycles, "elapsed_cycles =="),
    FIELD(wait_cycles, "elapsed_cycles =="),
    FIELD(elapsed_cycles, "elapsed_cycles =="),
    FIELD(l1_mshr_area, "MSHRs of L1"),
    FIELD(l1_mshr_stays, "MSHRs of L1"),
    FIELD(l2_mshr_area, "MSHRs of L2"),
    FIELD(l2_mshr_stays, "MSHRs of L2"),
    FIELD(ldst_area, "load/store queue"),
    FIELD(ldst_stays, "load/store queue"),
    FIELD(miss_stays, "miss queues"),
    FIELD(l2_stays, "L2 input queues"),
    FIELD(misses_under_way, "in flight between"),
    FIELD(latency.cycles[LATENCY_FETCH], "latencies sum to"),
    FIELD(latency.cycles[LATENCY_EXEC], "attribution.exec"),
    FIELD(latency.structural[UNIT_LDST], "structural hazards"),
    FIELD(latency.warps, "every warp"),
    FIELD(latency.broken, "lifetime"),
};

static void run_a_workload(struct machine_totals *t, uint32_t *sector_bytes)
{
    const struct workload *w = workload_find("nw");
    struct heddle_options o = {.struct_size = sizeof o, .timing = true, .attribute = true};
    struct heddle_sim *sim;
    struct workload_result result = {0};
    assert_int_equal(heddle_create(&o, &sim), HEDDLE_OK);
    struct device *d = device_create_heddle(sim);
    assert_true(workload_run(w, workload_find_size(w, "tiny"), WORKLOAD_DEFAULT_SEED, d, &result));
    machine_totals_take(sim->machine, machine_cycle(sim->machine), t);
    *sector_bytes = sim->machine->config->l2.sector_bytes;
    workload_result_destroy(&result);
    device_destroy(d);
    heddle_destroy(sim);
}

static void every_identity_notices_a_count_that_is_off_by_one(void **state)
{
    (void)state;
    struct machine_totals good;
    uint32_t sector_bytes;
    struct strbuf why = {0};
    run_a_workload(&good, &sector_bytes);
    assert_true(machine_totals_check(&good, sector_bytes, &why));
    assert_true(good.cycles > 0 && good.wait_cycles > 0);
    assert_true(good.ldst_area > 0 && good.miss_area > 0 && good.l2_area > 0);
    assert_true(good.l1_mshr_area > 0 && good.l2_mshr_area > 0 && good.slice.bytes_sent > 0);
    for (uint32_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct machine_totals t = good;
        uint64_t value;
        memcpy(&value, (char *)&t + fields[i].at, sizeof value);
        value++;
        memcpy((char *)&t + fields[i].at, &value, sizeof value);
        strbuf_clear(&why);
        if (machine_totals_check(&t, sector_bytes, &why))
            fail_msg("%s may be one more without a complaint", fields[i].name);
        if (!strstr(strbuf_text(&why), fields[i].part))
            fail_msg("%s: no '%s' in\n%s", fields[i].name, fields[i].part, strbuf_text(&why));
    }
    strbuf_destroy(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_identity_notices_a_count_that_is_off_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
