/* The accesses that the cache laboratory works on: of a recording of a run (l1d_stream.h), of a
 * text anyone can write, or of a trace of another simulator. All of them are in memory, but for
 * those of a recording that has only been opened, which come some at a time.
 *
 * Left out on purpose: whether a store is to local memory, and which loads the program sends around
 * the cache. All stores count as global ones, all loads as loads. */
#ifndef HEDDLE_ANALYSIS_LAB_STREAM_H
#define HEDDLE_ANALYSIS_LAB_STREAM_H

#include "analysis/l1d_format.h"
#include "analysis/l1d_stream.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/mem_access.h"

/* A flush is not an access: the SM's cache was emptied between two kernels, or resized. */
enum lab_kind { LAB_LOAD, LAB_STORE, LAB_ATOMIC, LAB_FLUSH };
enum { LAB_MAX_SMS = 65536 };

struct lab_access {
    uint64_t cycle, warp, thread, address;
    uint32_t sm, pc, launch;
    uint8_t kind; /* enum lab_kind */
    bool is_critical;
    uint8_t sectors; /* asked for, as a mask; 0 = the recorded lines have none */
    uint8_t op;      /* enum mem_operator: a mark for L2 */
};

/* Bytes of a line, low ones first. */
enum { LAB_MAX_LINE = 128 };
struct lab_bytes {
    uint64_t mask[2];
};

/* All of a line. */
static inline struct lab_bytes lab_line_bytes(uint32_t line_bytes)
{
    return (struct lab_bytes){{line_bytes < 64 ? (1ull << line_bytes) - 1 : UINT64_MAX,
                               line_bytes <= 64   ? 0
                               : line_bytes < 128 ? (1ull << (line_bytes - 64)) - 1
                                                  : UINT64_MAX}};
}

/* A run of instructions that issued one after the other in an SM. */
struct lab_insts {
    size_t before; /* the place in `items` of the access they came before */
    uint32_t sm;
    uint16_t n_issues;
    uint8_t n_lanes; /* of each */
};

/* Of a recorded event, by its first byte. */
static inline uint8_t lab_kind_of(uint8_t first)
{
    static const uint8_t kinds[L1D_KIND_MASK + 1] = {
        [L1D_LOAD] = LAB_LOAD,   [L1D_STORE] = LAB_STORE,  [L1D_ATOMIC] = LAB_ATOMIC,
        [L1D_FLUSH] = LAB_FLUSH, [L1D_RESIZE] = LAB_FLUSH,
    };
    return kinds[first & L1D_KIND_MASK];
}

/* A zeroed struct is empty and valid. */
struct lab_stream {
    struct lab_access *items; /* those of an SM in order */
    size_t n, cap;
    struct l1d_reader *reader; /* of an opened recording that has more; else NULL */
    const char *path;          /* of a recording */
    bool has_criticality;      /* recorded with it */
    int64_t *criticality;      /* then of each, as large as `items` */
    bool tells_bytes;          /* which of a line each access asks for; then of each: */
    struct lab_bytes *bytes;
    bool has_insts;          /* the file tells of instructions; then, unless they are skipped: */
    struct lab_insts *insts; /* those of an SM in order */
    size_t n_insts, cap_insts;
    /* In place of `items`, where nobody wants more than who loads which line: what was read last, a
     * block of one SM as it is in the recording. */
    bool is_lean;
    struct l1d_table block;
    uint32_t block_sm;
    uint32_t n_sms;
    /* Of a recording: the cache it was made at, and what became of its loads; else 0 and NULL, but
     * for the lines that a kind of trace is of. */
    uint32_t n_sets, n_ways, line_bytes, sector_bytes;
    bool has_objects; /* addresses number objects, each a line of no size: lines of one "byte" */
    uint32_t index, stores_keep; /* as in struct lab_config */
    uint32_t least_ways; /* that it had in what was read so far: shared memory may take some */
    const char *gpu, *policy;
    struct l1d_params params; /* of the recorded policy */
    uint64_t recorded[N_L1D_OUTCOMES];
    struct arena arena;
};

/* Each is false, with the place and the reason in `why`, if the file is not what it should be. */
bool lab_stream_open_recording(struct lab_stream *s, const char *path, struct strbuf *why);
/* Of what an opened recording has yet to tell, nobody wants more than who loads which line: it
 * comes block by block. */
void lab_stream_spare(struct lab_stream *s);
/* The same of instructions: they will not be there. */
void lab_stream_skip_insts(struct lab_stream *s);
/* Adds some more of an opened recording, or replaces the block; without a reader there are no more.
 */
bool lab_stream_more(struct lab_stream *s, struct strbuf *why);
/* All there is. */
bool lab_stream_load(struct lab_stream *s, struct strbuf *why);
bool lab_stream_read_recording(struct lab_stream *s, const char *path, struct strbuf *why);
/* ChampSim's instructions, and libCacheSim's requests (lab_records.c). */
bool lab_stream_read_champsim(struct lab_stream *s, const char *path, struct strbuf *why);
/* A program of `heddle cpu list`, or a trace of `heddle cpu record`, or one of ChampSim that is
 * packed. */
bool lab_stream_read_cpu(struct lab_stream *s, const char *program, struct strbuf *why);
bool lab_stream_read_oracle_general(struct lab_stream *s, const char *path, struct strbuf *why);
/* One access a line: `cycle sm warp thread pc kind address [bytes]`. Mistakes are in `diags`. */
bool lab_stream_read_text(struct lab_stream *s, const char *path, struct diag_list *diags);
/* The same for a text at hand; `path` is for messages. */
bool lab_stream_parse_text(struct lab_stream *s, const char *path, const char *text,
                           struct diag_list *diags);
void lab_stream_destroy(struct lab_stream *s);

void lab_stream_add(struct lab_stream *s, const struct lab_access *a);
/* The same for a stream that tells bytes. */
void lab_stream_add_bytes(struct lab_stream *s, const struct lab_access *a, struct lab_bytes bytes);
/* Instructions that issued before the next access that is added. */
void lab_stream_add_insts(struct lab_stream *s, uint32_t sm, uint32_t n_issues, uint32_t n_lanes);

#endif
