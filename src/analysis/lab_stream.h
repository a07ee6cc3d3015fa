/* The accesses that the cache laboratory works on: from a recording of a run (l1d_stream.h), from a
 * text file, or from a trace of another simulator. All of them are in memory, except for a
 * recording that has only been opened, which is read in parts.
 *
 * Left out on purpose: whether a store is to local memory, and which loads bypass the cache by
 * their cache operator. All stores count as global stores, all loads as ordinary loads. */
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
    uint8_t sectors; /* mask of requested sectors; 0 = the recorded lines have none */
    uint8_t op;      /* enum mem_operator: an annotation for L2 */
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

/* A run of consecutive instructions of an SM. */
struct lab_insts {
    size_t before; /* index in `items` of the access they precede */
    uint32_t sm;
    uint16_t n_issues;
    uint8_t n_lanes; /* of each */
};

/* The kind of a recorded event, from its first byte. */
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
    struct lab_access *items; /* in order for each SM */
    size_t n, cap;
    struct l1d_reader *reader; /* of an opened recording that has more; otherwise NULL */
    const char *path;          /* of a recording */
    bool has_criticality;      /* the recording has criticality; then, per access: */
    int64_t *criticality;      /* as long as `items` */
    bool tells_bytes;          /* the requested bytes of each line are known; then, per access: */
    struct lab_bytes *bytes;
    bool has_insts;          /* the file contains instructions; then, unless they are skipped: */
    struct lab_insts *insts; /* in order for each SM */
    size_t n_insts, cap_insts;
    /* Replaces `items` where only who loads which line is needed: the block read last, of one SM,
     * as it is in the recording. */
    bool is_lean;
    struct l1d_table block;
    uint32_t block_sm;
    uint32_t n_sms;
    /* From a recording: the cache it was made at, and the outcomes of its loads. Otherwise 0 and
     * NULL, except for the line size of some trace formats. */
    uint32_t n_sets, n_ways, line_bytes, sector_bytes;
    bool has_objects; /* addresses are object numbers, each a line without a size: lines of one
                       * "byte" */
    uint32_t index, stores_keep; /* as in struct lab_config */
    uint32_t least_ways; /* the least it had in what was read so far: shared memory may take some */
    const char *gpu, *policy;
    struct l1d_params params; /* parameters of the recorded policy */
    uint64_t recorded[N_L1D_OUTCOMES];
    struct arena arena;
};

/* All of these return false, with position and reason in `why`, if the file is not valid. */
bool lab_stream_open_recording(struct lab_stream *s, const char *path, struct strbuf *why);
/* Only who loads which line is needed from now on: an opened recording comes block by block. */
void lab_stream_spare(struct lab_stream *s);
/* Skips instructions from now on. */
void lab_stream_skip_insts(struct lab_stream *s);
/* Adds the next part of an opened recording, or replaces the block. Without a reader there is no
 * more. */
bool lab_stream_more(struct lab_stream *s, struct strbuf *why);
/* Reads all of it. */
bool lab_stream_load(struct lab_stream *s, struct strbuf *why);
bool lab_stream_read_recording(struct lab_stream *s, const char *path, struct strbuf *why);
/* ChampSim's instructions, and libCacheSim's requests (lab_records.c). */
bool lab_stream_read_champsim(struct lab_stream *s, const char *path, struct strbuf *why);
/* A program of `heddle cpu list`, a trace of `heddle cpu record`, or a compressed trace of
 * ChampSim. */
bool lab_stream_read_cpu(struct lab_stream *s, const char *program, struct strbuf *why);
bool lab_stream_read_oracle_general(struct lab_stream *s, const char *path, struct strbuf *why);
/* One access per line: `cycle sm warp thread pc kind address [bytes]`. Errors are in `diags`. */
bool lab_stream_read_text(struct lab_stream *s, const char *path, struct diag_list *diags);
/* The same for a text in memory; `path` is for messages. */
bool lab_stream_parse_text(struct lab_stream *s, const char *path, const char *text,
                           struct diag_list *diags);
void lab_stream_destroy(struct lab_stream *s);

void lab_stream_add(struct lab_stream *s, const struct lab_access *a);
/* The same for a stream with byte masks. */
void lab_stream_add_bytes(struct lab_stream *s, const struct lab_access *a, struct lab_bytes bytes);
/* Instructions issued before the access that is added next. */
void lab_stream_add_insts(struct lab_stream *s, uint32_t sm, uint32_t n_issues, uint32_t n_lanes);

#endif
