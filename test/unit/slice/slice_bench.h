/* A memory slice on a bench: nothing around it but two SMs that send what a script says and note
 * when the answers come. All clocks are alike, ports are one flit wide unless a test says
 * otherwise.
 *
 * Every script runs under the per-cycle engine and under the skipping one, with quanta of several
 * lengths, with and without fast paths; all of them must see the same cycles. */
#ifndef HEDDLE_TEST_SLICE_BENCH_H
#define HEDDLE_TEST_SLICE_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "noc/ticker.h"
#include "slice/slice.h"

enum { N_SMS = 2, MAX_ASKS = 160, LINE = 128, LATENCY = 6, PERIOD = 2, VISIBILITY = 64 };
/* Of a message without data, and of one with a line. */
enum { HEADER_FLITS = 1, LINE_FLITS = 2 };

/* --- a script and what became of it --- */

struct ask {
    uint64_t from; /* the cycle in which it is sent, if it can be; after those before it */
    enum mem_kind kind;
    uint32_t line;     /* its number */
    uint32_t segments; /* 0 = the whole line */
    uint32_t lanes;    /* of an atomic, which adds `add` to the first word of a segment in each */
    uint32_t add;
    /* Cycles; 0 = it has not happened. */
    uint64_t sent, answered, freed;
    uint32_t order; /* of its answer, counted from 1 in its SM */
    struct mem_request request;
    struct atomic_request atomic;
};

struct script {
    struct slice_config config;
    uint32_t port_flits; /* of the slice's ports */
    uint32_t credits;    /* flits, as in struct part_link */
    uint64_t hold_until; /* SMs take no reply before that cycle */
    uint64_t end;        /* the run is cut off there; 0 = it runs until nothing is left to do */
    struct ask asks[N_SMS][MAX_ASKS];
    uint32_t n_asks[N_SMS];
};

struct bench_manner {
    uint32_t quantum; /* cycles; 0 = as long as the links allow */
    bool every_cycle, no_fast_paths;
};

struct bench {
    struct script s;
    struct clock_domain clock;
    struct address_map map;
    struct dev_mem mem;
    uint64_t memory; /* the first address of line 0 */
    uint32_t sms, slices;
    struct bench_manner manner;
    struct part_graph graph;
    struct engine engine;
};

/* An SM that does what the script says. */
struct mock_sm {
    struct ticker ticker; /* first */
    struct bench *bench;
    struct tx_port up;
    struct rx_port down;
    struct ask *asks;
    uint32_t n, n_sent, n_back, n_answered;
};

/* --- slice_bench.c --- */

const struct slice *slice_of(const struct bench *b);
const struct mock_sm *sm_of(const struct bench *b, uint32_t i);
void bench_open(struct bench *b, const struct script *s, struct bench_manner manner);
void bench_run(struct bench *b);
void bench_close(struct bench *b);
/* In every manner; leaves the bench of the last one for the test to look at. */
void run_script(struct bench *b, const struct script *s);

/* --- slice_script.c --- */

/* A small slice in which nothing is short. The script is the same place every time: it is large. */
struct script *new_script(void);
/* These return the number of what they add. */
uint32_t add_ask(struct script *s, uint32_t sm, struct ask a);
uint32_t add_load(struct script *s, uint32_t sm, uint64_t from, uint32_t line);
uint32_t add_atomic(struct script *s, uint32_t sm, uint64_t from, uint32_t line, uint32_t lanes);
/* From then on all of them hit. The lines of even numbers are in bank 0. */
enum { WARM = 1500 };
void warm_lines(struct script *s, uint32_t n);
const struct ask *ask_of(const struct bench *b, uint32_t sm, uint32_t i);
uint64_t latency(const struct bench *b, uint32_t sm, uint32_t i);
/* Two ports, the network and the way to the bank. */
uint64_t way_up(uint32_t flits, const struct script *s);
uint64_t way_down(uint32_t flits, const struct script *s);
uint64_t hit_latency(const struct script *s);

#endif
