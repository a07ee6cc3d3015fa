/* The file around the streams: modules, launches, pieces of warps' streams, an index, a footer.
 *
 * CTAs are written as they end and read as they start, in any order; memory holds only the resident
 * ones. doc/traces.md specifies the bytes. */
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
    TRACE_FIRST_VERSION = 1,     /* still readable; has no notes */
    TRACE_HEAD_BYTES = 16,       /* magic, version */
    TRACE_TAIL_BYTES = 16,       /* offset of the footer, end magic */
    TRACE_CHUNK_HEAD = 9,        /* tag, packed bytes, content bytes */
    TRACE_INDEX_CTAS = 1024,     /* CTAs per page of the index */
    TRACE_CHUNK_BYTES = 1 << 16, /* a chunk of pieces with this much content is written */
    TRACE_MAX_PIECE = 1 << 22,   /* a piece's content is never longer */
    TRACE_MAX_CHUNK = 1 << 26,   /* a chunk's content is never longer */
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

/* Why a launch's behaviour depends on timing, each with the place where it was first seen.
 * TRACE_REASON(id, "word", "sentence"). */
#define TRACE_REASONS(REASON)                                                                      \
    REASON(CLOCK, "clock", "a clock, the number of the SM, or the number of SMs is read")          \
    REASON(ATOMIC, "atomic",                                                                       \
           "the result of an atomic is used, and other threads change its variable")               \
    REASON(HEAP, "heap", "the kernel allocates memory")                                            \
    REASON(LOAD, "load",                                                                           \
           "a load and a store of different threads access the same bytes without a barrier "      \
           "between them")                                                                         \
    REASON(STORE, "store",                                                                         \
           "two stores write different values to the same bytes without a barrier between them")   \
    REASON(ORDER, "order",                                                                         \
           "atomics whose order matters access the same bytes: on floats, or exchanges")
enum trace_reason {
#define REASON(id, word, sentence) REASON_##id,
    TRACE_REASONS(REASON)
#undef REASON
        N_TRACE_REASONS,
};
extern const char *const trace_reason_words[N_TRACE_REASONS];
extern const char *const trace_reason_texts[N_TRACE_REASONS];

/* What was recorded, on which machine, by which version. */
struct trace_about {
    const char *heddle_version, *origin; /* origin: "bfs, tiny, seed 1", or a file's name */
    const char *gpu, *machine;           /* the GPU's name; all parameters, one per line */
};

/* What was run, for programs to read: "workload" is "bfs". */
struct trace_note {
    const char *name, *value;
};

struct trace_module {
    const char *name, *text; /* PTX */
    size_t text_bytes;
    const uint64_t *addresses; /* addresses of its variables */
    uint32_t n_addresses;
};

struct trace_launch {
    uint32_t module;
    const char *kernel;
    uint32_t grid[3], block[3], offset[3];
    uint32_t work_dim, shared_bytes, dynamic_shared_bytes;
};

/* What is known when a launch has ended. */
struct trace_launch_end {
    uint64_t warp_insts;
    uint64_t piece_bytes;                 /* of the streams, before compression */
    const char *reasons[N_TRACE_REASONS]; /* where it was first seen; NULL = not seen */
};

/* --- writing --- */

struct trace_writer;
struct trace_writer *trace_writer_create(struct sink sink, const struct trace_about *about);
void trace_writer_destroy(struct trace_writer *w); /* NULL is fine */
/* Any time before the end. */
void trace_writer_note(struct trace_writer *w, const char *name, const char *value);
/* Returns the module's number. */
uint32_t trace_writer_module(struct trace_writer *w, const struct trace_module *m);
void trace_writer_begin_launch(struct trace_writer *w, const struct trace_launch *l);
void trace_writer_piece(struct trace_writer *w, uint64_t cta, uint32_t warp, const uint8_t *data,
                        size_t n);
/* All pieces of the CTA have been written. */
void trace_writer_end_cta(struct trace_writer *w, uint64_t cta);
void trace_writer_end_launch(struct trace_writer *w, const struct trace_launch_end *end);
/* False if a write failed. */
bool trace_writer_finish(struct trace_writer *w);

/* Where a complete trace ends in an open file of that many bytes; 0 if there is none
 * (file_end.c). */
uint64_t trace_find_end(int fd, uint64_t bytes);
/* Do a complete footer and its offset precede the magic that should end there? */
bool trace_footer_ends_at(int fd, uint64_t end);

/* --- reading. Messages name the byte offset of the error. --- */

struct trace_reader;
/* NULL if the file cannot be read (*cannot_read is then set) or is not a valid trace. */
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
/* Both are valid until the next launch is read. Only the CTAs of this launch can be read. */
bool trace_reader_launch(struct trace_reader *r, uint32_t i, struct trace_launch *l,
                         struct trace_launch_end *end, struct strbuf *why);

/* Reads the whole file and checks that every part is undamaged and of the kind that its users
 * expect. The content of the parts is not checked; a replay does that. `progress`, unless NULL, is
 * called from time to time with the number of bytes read. */
struct trace_check {
    uint64_t n_parts, content_bytes; /* unpacked */
};
bool trace_reader_check(struct trace_reader *r, struct trace_check *found,
                        void (*progress)(void *user, uint64_t bytes), void *user,
                        struct strbuf *why);

/* Where the pieces of a CTA of the current launch are. A zeroed struct is valid. */
struct trace_place {
    uint64_t chunk;
    uint32_t at, n; /* offset in its content; number of consecutive pieces from there */
};
struct trace_cta {
    uint64_t number;
    struct trace_place *places;
    uint32_t n, cap;
};
/* Several threads may call these two at once. */
bool trace_reader_cta(struct trace_reader *r, uint64_t number, struct trace_cta *out,
                      struct strbuf *why);
/* Copies the first piece of the warp after the first `done` pieces of the CTA to `out`, and updates
 * *done. False with *why empty: there is none. */
struct bytes;
bool trace_reader_piece(struct trace_reader *r, const struct trace_cta *c, uint32_t warp,
                        uint64_t *done, struct bytes *out, struct strbuf *why);
void trace_cta_destroy(struct trace_cta *c);

#endif
