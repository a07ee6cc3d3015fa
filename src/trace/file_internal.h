/* Shared by the files that read a trace: the reader itself, and how a chunk is unpacked. */
#ifndef HEDDLE_TRACE_FILE_INTERNAL_H
#define HEDDLE_TRACE_FILE_INTERNAL_H

#include <pthread.h>
#include <zstd.h>

#include "trace/bytes.h"
#include "trace/file.h"

enum { CACHED_CHUNKS = 16 };

struct chunk {
    uint64_t at;   /* offset in the file; 0 = empty */
    uint64_t end;  /* offset of the next one */
    uint64_t used; /* time of last use */
    struct bytes content;
};

struct trace_reader {
    int fd;
    uint64_t bytes;
    ZSTD_DCtx *zstd;
    struct bytes packed;
    struct arena arena; /* holds the footer */
    struct trace_about about;
    uint32_t version;
    struct trace_note *notes;
    uint32_t n_notes;
    uint64_t *modules, *launches; /* their offsets */
    uint32_t n_modules, n_launches;
    struct chunk module, launch, launch_end; /* the current ones */
    uint64_t *module_addresses;
    char *texts[4 + N_TRACE_REASONS]; /* terminated copies of the names in the current ones */
    uint64_t n_ctas;
    uint64_t *pages;
    uint32_t n_pages;
    pthread_mutex_t lock; /* protects what follows and the unpacker */
    struct chunk page;
    uint64_t page_number, page_next; /* page_next: the CTA that page_cursor will read next */
    struct cursor page_cursor;
    uint64_t page_chunk; /* the first chunk of the previous CTA */
    struct chunk cache[CACHED_CHUNKS];
    uint64_t clock;
};

/* Reports an error at that byte of the file; returns false. */
bool trace_bad(uint64_t at, struct strbuf *why, const char *what);
bool trace_read_at(const struct trace_reader *r, uint64_t at, void *to, size_t n,
                   struct strbuf *why);

/* Unpacks the chunk at that offset and verifies its checksum. */
bool trace_load_chunk(struct trace_reader *r, uint64_t at, enum trace_tag tag, struct chunk *c,
                      struct strbuf *why);

/* The same for a chunk of any kind, which is returned. */
bool trace_load_any_chunk(struct trace_reader *r, uint64_t at, uint8_t *tag, struct chunk *c,
                          struct strbuf *why);

static inline struct cursor content_of(const struct chunk *c)
{
    return (struct cursor){c->content.data, c->content.data + c->content.n, false};
}

#endif
