/* Reads recordings frame by frame. A frame is unpacked and its checksum proved right before
 * anything of it is handed out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "analysis/l1d_format.h"
#include "analysis/l1d_stream.h"
#include "base/arena.h"

enum { INPUT_BYTES = 64 * 1024, MAX_WINDOW_LOG = 22, MAX_SMS = 1 << 16 };

struct l1d_reader {
    FILE *file;
    ZSTD_DCtx *zstd;
    uint8_t input[INPUT_BYTES];
    ZSTD_inBuffer in;
    uint64_t input_at; /* where in the file the input begins */
    uint64_t frame_at; /* and the present frame */
    uint8_t *frame;    /* content, L1D_MAX_FRAME_BYTES, and room */
    size_t frame_bytes, at;
    struct l1d_header header;
    struct arena arena;
    uint64_t *n_read;       /* events of each SM */
    struct l1d_block block; /* the present one */
};

static enum l1d_read bad(const struct l1d_reader *r, struct strbuf *why, const char *what)
{
    strbuf_addf(why, "byte %llu: %s", (unsigned long long)r->frame_at, what);
    return L1D_READ_BAD;
}

/* Makes sure that there is input; false at the end of the file, or when it cannot be read. */
static bool refill(struct l1d_reader *r)
{
    if (r->in.pos < r->in.size)
        return true;
    r->input_at += r->in.size;
    r->in.pos = 0;
    r->in.size = fread(r->input, 1, INPUT_BYTES, r->file);
    return r->in.size > 0;
}

/* Unpacks the next frame: EVENT if there is one, END at the end of the file. */
static enum l1d_read next_frame(struct l1d_reader *r, struct strbuf *why)
{
    ZSTD_outBuffer out = {r->frame, L1D_MAX_FRAME_BYTES, 0};
    size_t left = 1;
    bool has_begun = refill(r);
    r->frame_at = r->input_at + r->in.pos;
    if (!has_begun)
        return ferror(r->file) ? bad(r, why, strerror(errno)) : L1D_READ_END;
    ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only);
    while (left) {
        if (!refill(r))
            return bad(r, why, "the file ends in the middle of this frame");
        size_t before = r->in.pos;
        left = ZSTD_decompressStream(r->zstd, &out, &r->in);
        if (ZSTD_isError(left)) {
            strbuf_addf(why, "byte %llu: the frame is damaged: %s", (unsigned long long)r->frame_at,
                        ZSTD_getErrorName(left));
            return L1D_READ_BAD;
        }
        if (left && out.pos == out.size && r->in.pos == before)
            return bad(r, why, "the frame is larger than any that was ever written");
    }
    r->frame_bytes = out.pos;
    r->at = 0;
    return L1D_READ_EVENT;
}

/* --- fields of a frame; each is false where the frame ends --- */

static bool take_u32(struct l1d_reader *r, uint32_t *v)
{
    if (r->frame_bytes - r->at < 4)
        return false;
    *v = get_u32(r->frame + r->at);
    r->at += 4;
    return true;
}

static bool take_text(struct l1d_reader *r, const char **text)
{
    uint32_t n;
    if (!take_u32(r, &n) || n > r->frame_bytes - r->at)
        return false;
    *text = arena_strndup(&r->arena, (const char *)r->frame + r->at, n);
    r->at += n;
    return true;
}

/* --- frames --- */

static bool take_header(struct l1d_reader *r, struct strbuf *why)
{
    struct l1d_header *h = &r->header;
    size_t magic = sizeof L1D_MAGIC - 1;
    if (r->frame_bytes < magic || memcmp(r->frame, L1D_MAGIC, magic) != 0) {
        bad(r, why, "this is no recording of an L1D");
        return false;
    }
    r->at = magic;
    bool has_version = take_u32(r, &h->version);
    if (has_version && h->version != L1D_STREAM_VERSION) {
        strbuf_addf(why, "version %u of the format; this Heddle reads version %d", h->version,
                    L1D_STREAM_VERSION);
        return false;
    }
    bool ok = has_version && take_u32(r, &h->n_sms) && take_u32(r, &h->line_bytes) &&
              take_u32(r, &h->n_sets) && take_u32(r, &h->n_ways) && take_text(r, &h->gpu) &&
              take_text(r, &h->scheduler) && take_text(r, &h->policy) &&
              take_text(r, &h->criticality);
    if (!ok || h->n_sms == 0 || h->n_sms > MAX_SMS || h->line_bytes == 0) {
        bad(r, why, "the header makes no sense");
        return false;
    }
    r->n_read = ARENA_ARRAY(&r->arena, uint64_t, h->n_sms);
    return true;
}

static bool begin_block(struct l1d_reader *r, struct l1d_block *b)
{
    r->at = 1;
    *b = (struct l1d_block){.line_bytes = r->header.line_bytes,
                            .has_criticality = r->header.criticality[0] != 0};
    if (!take_u32(r, &b->sm) || !take_u32(r, &b->n_left) || b->sm >= r->header.n_sms ||
        !b->n_left || b->n_left > (r->frame_bytes - r->at) / L1D_MIN_EVENT_BYTES)
        return false;
    b->at = r->frame + r->at;
    b->end = r->frame + r->frame_bytes;
    r->n_read[b->sm] += b->n_left;
    return true;
}

/* Nothing may be missing, and nothing may follow. */
static enum l1d_read take_end(struct l1d_reader *r, struct strbuf *why)
{
    r->at = 1;
    for (uint32_t i = 0; i < r->header.n_sms; i++) {
        uint32_t low, high;
        if (!take_u32(r, &low) || !take_u32(r, &high))
            return bad(r, why, "the end mark is too short");
        if (r->n_read[i] != (low | (uint64_t)high << 32))
            return bad(r, why, "events are missing: their number is not that of the end mark");
    }
    enum l1d_read more = next_frame(r, why);
    if (more == L1D_READ_EVENT)
        return bad(r, why, "something follows the end mark");
    return more;
}

enum l1d_read l1d_reader_next_block(struct l1d_reader *r, struct l1d_block *b, struct strbuf *why)
{
    enum l1d_read frame = next_frame(r, why);
    if (frame == L1D_READ_END)
        return bad(r, why, "the file ends without an end mark");
    if (frame == L1D_READ_BAD)
        return frame;
    if (r->frame_bytes && r->frame[0] == L1D_TAG_END)
        return take_end(r, why);
    if (r->frame_bytes && r->frame[0] == L1D_TAG_BLOCK && begin_block(r, b))
        return L1D_READ_EVENT;
    return bad(r, why, "this frame is neither a block of events nor the end mark");
}

enum l1d_read l1d_reader_bad_block(const struct l1d_reader *r, struct strbuf *why)
{
    return bad(r, why, "the events of this block make no sense");
}

enum l1d_read l1d_reader_next(struct l1d_reader *r, struct l1d_event *e, struct strbuf *why)
{
    struct l1d_block *b = &r->block;
    if (!b->n_left) {
        enum l1d_read block = l1d_reader_next_block(r, b, why);
        if (block != L1D_READ_EVENT)
            return block;
    }
    return l1d_get_event(b, e) ? L1D_READ_EVENT : l1d_reader_bad_block(r, why);
}

struct l1d_reader *l1d_reader_open(const char *path, struct strbuf *why)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        strbuf_addf(why, "cannot read it: %s", strerror(errno));
        return NULL;
    }
    struct l1d_reader *r = xcalloc(1, sizeof *r);
    r->file = file;
    r->in.src = r->input;
    r->zstd = ZSTD_createDCtx();
    ZSTD_DCtx_setParameter(r->zstd, ZSTD_d_windowLogMax, MAX_WINDOW_LOG);
    r->frame = xcalloc(1, L1D_MAX_FRAME_BYTES + L1D_ROOM_BYTES);
    enum l1d_read frame = next_frame(r, why);
    if (frame == L1D_READ_END)
        strbuf_add(why, "the file is empty");
    if (frame == L1D_READ_EVENT && take_header(r, why))
        return r;
    l1d_reader_close(r);
    return NULL;
}

const struct l1d_header *l1d_reader_header(const struct l1d_reader *r)
{
    return &r->header;
}

void l1d_reader_close(struct l1d_reader *r)
{
    if (!r)
        return;
    fclose(r->file);
    ZSTD_freeDCtx(r->zstd);
    arena_destroy(&r->arena);
    free(r->frame);
    free(r);
}
