/* The file around the streams: modules, launches, pieces of warps' streams, an index, a footer.
 *
 * CTAs are written as they end and read as they are started, in any order, with memory for those
 * that are resident only. doc/traces.md has the bytes. */
#ifndef HEDDLE_TRACE_FILE_H
#define HEDDLE_TRACE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"
#include "base/strbuf.h"

#define TRACE_MAGIC     "HEDDLE\x1aTRACE" /* 12 bytes with the final zero */
#define TRACE_END_MAGIC "HEDDLEnd"
enum {
    TRACE_VERSION = 2,
    TRACE_FIRST_VERSION = 1,     /* which is read too: it has no notes */
    TRACE_HEAD_BYTES = 16,       /* magic, version */
    TRACE_TAIL_BYTES = 16,       /* where the footer begins, end magic */
    TRACE_CHUNK_HEAD = 9,        /* tag, packed bytes, content bytes */
    TRACE_INDEX_CTAS = 1024,     /* CTAs of a page of the index */
    TRACE_CHUNK_BYTES = 1 << 16, /* content at which a chunk of pieces is written */
    TRACE_MAX_PIECE = 1 << 22,   /* content a piece never exceeds */
    TRACE_MAX_CHUNK = 1 << 26,   /* content a chunk never exceeds */
    TRACE_MAX_LAUNCHES = 1 << 24,
};
enum trace_tag {
    TAG_MODULE = 'M',
    TAG_LAUNCH = 'L',
    TAG_PIECES = 'P',
    TAG_INDEX = 'I',
    TAG_LAUNCH_END = 'E',
    TAG_FOOTER = 'F',
};

/* Why a launch would do other things at other times: each with the first place where it was seen.
 * TRACE_REASON(id, "word", "sentence"). */
#define TRACE_REASONS(REASON)                                                                      \
    REASON(CLOCK, "clock", "a clock, or the number of the SM or of SMs, is read")                  \
    REASON(ATOMIC, "atomic", "the result of an atomic is used, and others change what it finds")   \
    REASON(HEAP, "heap", "the kernel allocates memory")                                            \
    REASON(LOAD, "load", "a load meets a store of other threads, without a barrier between them")  \
    REASON(STORE, "store", "two stores of different values meet, without a barrier between them")  \
    REASON(ORDER, "order", "atomics meet whose order matters: of floats, exchanges")
enum trace_reason {
#define REASON(id, word, sentence) REASON_##id,
    TRACE_REASONS(REASON)
#undef REASON
        N_TRACE_REASONS,
};
extern const char *const trace_reason_words[N_TRACE_REASONS];
extern const char *const trace_reason_texts[N_TRACE_REASONS];

/* Who recorded what on which machine. */
struct trace_about {
    const char *heddle_version, *origin; /* origin: "bfs, tiny, seed 1", or a file's name */
    const char *gpu, *machine;           /* the GPU's name; every parameter, a line each */
};

/* What was run, for programs: "workload" is "bfs". */
struct trace_note {
    const char *name, *value;
};

struct trace_module {
    const char *name, *text; /* PTX */
    size_t text_bytes;
    const uint64_t *addresses; /* of its variables */
    uint32_t n_addresses;
};

struct trace_launch {
    uint32_t module;
    const char *kernel;
    uint32_t grid[3], block[3], offset[3];
    uint32_t work_dim, shared_bytes, dynamic_shared_bytes;
};

/* What is known at a launch's end. */
struct trace_launch_end {
    uint64_t warp_insts;
    uint64_t piece_bytes;                 /* of the streams, before they are packed */
    const char *reasons[N_TRACE_REASONS]; /* where it was first seen; NULL = it was not */
};

/* --- writing --- */

struct trace_writer;
struct trace_writer *trace_writer_create(struct sink sink, const struct trace_about *about);
void trace_writer_destroy(struct trace_writer *w); /* NULL is fine */
/* At any time before the end. */
void trace_writer_note(struct trace_writer *w, const char *name, const char *value);
/* Returns the module's number. */
uint32_t trace_writer_module(struct trace_writer *w, const struct trace_module *m);
void trace_writer_begin_launch(struct trace_writer *w, const struct trace_launch *l);
void trace_writer_piece(struct trace_writer *w, uint64_t cta, uint32_t warp, const uint8_t *data,
                        size_t n);
/* All pieces of the CTA have been written. */
void trace_writer_end_cta(struct trace_writer *w, uint64_t cta);
void trace_writer_end_launch(struct trace_writer *w, const struct trace_launch_end *end);
/* False if anything could not be written. */
bool trace_writer_finish(struct trace_writer *w);

/* Where in the open file of so many bytes a whole trace ends; 0 if none does (file_end.c). */
uint64_t trace_find_end(int fd, uint64_t bytes);
/* Is there a whole footer, and then its place, before the magic that should end there? */
bool trace_footer_ends_at(int fd, uint64_t end);

/* --- reading. Messages name the byte of the file where the trouble is. --- */

struct trace_reader;
/* NULL if the file cannot be read (*status: an environment's failure) or is no sound trace. */
struct trace_reader *trace_reader_open(const char *path, bool *cannot_read, struct strbuf *why);
void trace_reader_close(struct trace_reader *r); /* NULL is fine */
const struct trace_about *trace_reader_about(const struct trace_reader *r);
uint32_t trace_reader_version(const struct trace_reader *r); /* of the format */
/* In the order in which they were written. */
const struct trace_note *trace_reader_notes(const struct trace_reader *r, uint32_t *n);
uint32_t trace_reader_modules(const struct trace_reader *r);
uint32_t trace_reader_launches(const struct trace_reader *r);
uint64_t trace_reader_bytes(const struct trace_reader *r);
/* Valid until the next module is read. */
bool trace_reader_module(struct trace_reader *r, uint32_t i, struct trace_module *m,
                         struct strbuf *why);
/* Both are valid until the next launch is read; it is the one whose CTAs can be read then. */
bool trace_reader_launch(struct trace_reader *r, uint32_t i, struct trace_launch *l,
                         struct trace_launch_end *end, struct strbuf *why);

/* Reads all of the file: every part is undamaged, and is of the kind that it is used as. What a
 * part says is not looked into; a replay does that. `progress`, unless NULL, is told now and then
 * how many bytes have been read. */
struct trace_check {
    uint64_t n_parts, content_bytes; /* unpacked */
};
bool trace_reader_check(struct trace_reader *r, struct trace_check *found,
                        void (*progress)(void *user, uint64_t bytes), void *user,
                        struct strbuf *why);

/* Where the pieces of a CTA of the present launch lie. A zeroed struct is valid. */
struct trace_place {
    uint64_t chunk;
    uint32_t at, n; /* in its content; pieces from there on */
};
struct trace_cta {
    uint64_t number;
    struct trace_place *places;
    uint32_t n, cap;
};
/* These two may be called by several threads at once. */
bool trace_reader_cta(struct trace_reader *r, uint64_t number, struct trace_cta *out,
                      struct strbuf *why);
/* The first piece of the warp after the `done` first pieces of the CTA, copied to `out`; *done then
 * counts it too. False with *why empty: there is none. */
struct bytes;
bool trace_reader_piece(struct trace_reader *r, const struct trace_cta *c, uint32_t warp,
                        uint64_t *done, struct bytes *out, struct strbuf *why);
void trace_cta_destroy(struct trace_cta *c);

#endif
