/* What the files that read a trace share: the reader itself, and how a chunk is unpacked. */
#ifndef HEDDLE_TRACE_FILE_INTERNAL_H
#define HEDDLE_TRACE_FILE_INTERNAL_H

#include <pthread.h>
#include <zstd.h>

#include "trace/bytes.h"
#include "trace/file.h"

enum { CACHED_CHUNKS = 16 };

struct chunk {
    uint64_t at;   /* in the file; 0 = empty */
    uint64_t end;  /* where the next one begins */
    uint64_t used; /* when it was used last */
    struct bytes content;
};

struct trace_reader {
    int fd;
    uint64_t bytes;
    ZSTD_DCtx *zstd;
    struct bytes packed;
    struct arena arena; /* of the footer */
    struct trace_about about;
    uint32_t version;
    struct trace_note *notes;
    uint32_t n_notes;
    uint64_t *modules, *launches; /* where they are */
    uint32_t n_modules, n_launches;
    struct chunk module, launch, launch_end; /* the present ones */
    uint64_t *module_addresses;
    char *texts[4 + N_TRACE_REASONS]; /* terminated copies of what the present ones name */
    uint64_t n_ctas;
    uint64_t *pages;
    uint32_t n_pages;
    pthread_mutex_t lock; /* of what follows and of the unpacker */
    struct chunk page;
    uint64_t page_number, page_next; /* page_next: the CTA that page_cursor stands before */
    struct cursor page_cursor;
    uint64_t page_chunk; /* the first of the CTA before it */
    struct chunk cache[CACHED_CHUNKS];
    uint64_t clock;
};

/* Says what is wrong at that byte of the file; false. */
bool trace_bad(uint64_t at, struct strbuf *why, const char *what);
bool trace_read_at(const struct trace_reader *r, uint64_t at, void *to, size_t n,
                   struct strbuf *why);

/* Unpacks the chunk at that place and proves its checksum right. */
bool trace_load_chunk(struct trace_reader *r, uint64_t at, enum trace_tag tag, struct chunk *c,
                      struct strbuf *why);

/* The same, whatever its kind, which is told. */
bool trace_load_any_chunk(struct trace_reader *r, uint64_t at, uint8_t *tag, struct chunk *c,
                          struct strbuf *why);

static inline struct cursor content_of(const struct chunk *c)
{
    return (struct cursor){c->content.data, c->content.data + c->content.n, false};
}

#endif
