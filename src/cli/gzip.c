#include "cli/gzip.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/arena.h"

enum { CHUNK_BYTES = 1 << 16, GZIP_WINDOW_BITS = 15 + 16, MEMORY_LEVEL = 8 };

struct gzip {
    struct sink to;
    z_stream stream;
    bool failed;
    unsigned char chunk[CHUNK_BYTES];
};

struct gzip *gzip_create(struct sink to)
{
    struct gzip *g = xcalloc(1, sizeof *g);
    g->to = to;
    if (deflateInit2(&g->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        abort(); /* the parameters are valid, so memory is exhausted, on which xcalloc() aborts
                  * too */
    return g;
}

/* Compresses the stream's input and passes the output on. */
static bool squeeze(struct gzip *g, int flush)
{
    do {
        g->stream.next_out = g->chunk;
        g->stream.avail_out = CHUNK_BYTES;
        deflate(&g->stream, flush);
        size_t bytes = CHUNK_BYTES - g->stream.avail_out;
        if (bytes && !g->to.write(g->to.user, g->chunk, bytes))
            g->failed = true;
    } while (!g->failed && g->stream.avail_out == 0);
    return !g->failed;
}

bool gzip_add(void *gzip, const void *data, size_t bytes)
{
    struct gzip *g = gzip;
    const unsigned char *at = data;
    while (bytes && !g->failed) {
        uInt n = bytes < UINT_MAX ? (uInt)bytes : UINT_MAX;
        g->stream.next_in = (unsigned char *)(uintptr_t)at;
        g->stream.avail_in = n;
        squeeze(g, Z_NO_FLUSH);
        at += n;
        bytes -= n;
    }
    return !g->failed;
}

bool gzip_finish(struct gzip *g)
{
    g->stream.avail_in = 0;
    return !g->failed && squeeze(g, Z_FINISH);
}

void gzip_destroy(struct gzip *g)
{
    if (!g)
        return;
    deflateEnd(&g->stream);
    free(g);
}
