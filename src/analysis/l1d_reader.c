/* Reads recordings frame by frame. A frame is unpacked and its checksum proved right before
 * anything of it is handed out. The file itself is held in memory, packed as it is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "analysis/l1d_format.h"
#include "analysis/l1d_stream.h"
#include "base/arena.h"

/* Far more than there ever were. */
enum { MAX_SMS = 1 << 16, MAX_SETS = 1 << 16, MAX_WAYS = 64 };

struct l1d_reader {
    struct strbuf file;
    size_t file_at, frame_at; /* what comes next, and where the present frame began */
    ZSTD_DCtx *zstd;
    uint8_t *frame; /* its content */
    size_t frame_bytes, frame_cap, at;
    struct l1d_header header;
    struct arena arena;
    uint64_t *n_accesses, *n_rest; /* read, of each SM */
    bool skips_rest;
    /* The present block. */
    uint32_t sm;
    struct l1d_table accesses, rest;
    uint32_t next_access, next_rest;
};

static enum l1d_read bad(const struct l1d_reader *r, struct strbuf *why, const char *what)
{
    strbuf_addf(why, "byte %zu: %s", r->frame_at, what);
    return L1D_READ_BAD;
}

static enum l1d_read bad_frame(const struct l1d_reader *r, struct strbuf *why, size_t error)
{
    if (ZSTD_getErrorCode(error) == ZSTD_error_srcSize_wrong)
        return bad(r, why, "the file ends in the middle of this frame");
    strbuf_addf(why, "byte %zu: the frame is damaged: %s", r->frame_at, ZSTD_getErrorName(error));
    return L1D_READ_BAD;
}

/* Goes to the next frame, and says how long it is: EVENT if there is one, END at the end. */
static enum l1d_read find_frame(struct l1d_reader *r, size_t *packed_bytes, struct strbuf *why)
{
    r->frame_at = r->file_at;
    if (r->file_at == r->file.len)
        return L1D_READ_END;
    *packed_bytes =
        ZSTD_findFrameCompressedSize(r->file.text + r->file_at, r->file.len - r->file_at);
    if (ZSTD_isError(*packed_bytes))
        return bad_frame(r, why, *packed_bytes);
    r->file_at += *packed_bytes;
    return L1D_READ_EVENT;
}

static enum l1d_read next_frame(struct l1d_reader *r, struct strbuf *why)
{
    size_t packed_bytes = 0;
    enum l1d_read found = find_frame(r, &packed_bytes, why);
    if (found != L1D_READ_EVENT)
        return found;
    const char *packed = r->file.text + r->frame_at;
    unsigned long long bytes = ZSTD_getFrameContentSize(packed, packed_bytes);
    if (bytes > L1D_MAX_FRAME_BYTES)
        return bad(r, why, "the frame is larger than any that was ever written, or no frame");
    ARRAY_RESERVE(r->frame, r->frame_cap, bytes);
    size_t n = ZSTD_decompressDCtx(r->zstd, r->frame, r->frame_cap, packed, packed_bytes);
    if (ZSTD_isError(n))
        return bad_frame(r, why, n);
    r->frame_bytes = n;
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

static bool take_u64(struct l1d_reader *r, uint64_t *v)
{
    uint32_t low, high;
    bool ok = take_u32(r, &low) && take_u32(r, &high);
    *v = ok ? low | (uint64_t)high << 32 : 0;
    return ok;
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

static void begin_tables(struct l1d_reader *r)
{
    const struct l1d_header *h = &r->header;
    r->n_accesses = ARENA_ARRAY(&r->arena, uint64_t, h->n_sms);
    r->n_rest = ARENA_ARRAY(&r->arena, uint64_t, h->n_sms);
    r->accesses.n_columns = N_L1D_ACCESS_COLUMNS - (h->criticality[0] == 0);
    r->rest.n_columns = N_L1D_REST_COLUMNS;
}

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
    if (!ok || h->n_sms == 0 || h->n_sms > MAX_SMS || h->line_bytes == 0 || h->n_sets > MAX_SETS ||
        h->n_ways > MAX_WAYS) {
        bad(r, why, "the header makes no sense");
        return false;
    }
    begin_tables(r);
    return true;
}

/* Nothing may be missing, and nothing may follow. */
static enum l1d_read take_end(struct l1d_reader *r, struct strbuf *why)
{
    r->at = 1;
    for (uint32_t i = 0; i < r->header.n_sms; i++) {
        uint64_t n_accesses, n_rest;
        if (!take_u64(r, &n_accesses) || !take_u64(r, &n_rest))
            return bad(r, why, "the end mark is too short");
        if (r->n_accesses[i] != n_accesses || (!r->skips_rest && r->n_rest[i] != n_rest))
            return bad(r, why, "events are missing: their number is not that of the end mark");
    }
    size_t bytes;
    enum l1d_read more = find_frame(r, &bytes, why);
    return more == L1D_READ_EVENT ? bad(r, why, "something follows the end mark") : more;
}

/* Is each of them of a kind that belongs there, with an outcome there is? */
static bool are_accesses(const struct l1d_table *t, bool may_be_critical)
{
    uint8_t never = (uint8_t)(N_L1D_OUTCOMES << L1D_OUTCOME_SHIFT), wrong = 0;
    if (!may_be_critical)
        never |= L1D_CRITICAL;
    for (uint32_t i = 0; i < t->n; i++) {
        uint8_t kind = t->kinds[i] & L1D_KIND_MASK;
        wrong |= (uint8_t)(t->kinds[i] & never) | ((kind > L1D_ATOMIC) & (kind != L1D_FLUSH));
    }
    return !wrong;
}

static bool are_the_rest(const struct l1d_table *t)
{
    bool ok = true;
    for (uint32_t i = 0; i < t->n; i++) {
        uint8_t kind = t->kinds[i] & L1D_KIND_MASK;
        ok = ok && (kind == L1D_FILL || kind == L1D_EVICT) &&
             t->kinds[i] >> L1D_OUTCOME_SHIFT < N_L1D_OUTCOMES;
    }
    return ok;
}

static bool take_accesses(struct l1d_reader *r)
{
    uint32_t n;
    r->at = 1;
    if (!take_u32(r, &r->sm) || !take_u32(r, &n) || r->sm >= r->header.n_sms)
        return false;
    if (!l1d_table_unpack(&r->accesses, n, r->frame + r->at, r->frame + r->frame_bytes))
        return false;
    r->n_accesses[r->sm] += n;
    r->next_access = 0;
    return are_accesses(&r->accesses, r->header.criticality[0]);
}

static bool take_rest(struct l1d_reader *r)
{
    uint32_t n;
    r->at = 1;
    if (r->frame_bytes == 0 || r->frame[0] != L1D_TAG_REST || !take_u32(r, &n) ||
        !l1d_table_unpack(&r->rest, n, r->frame + r->at, r->frame + r->frame_bytes))
        return false;
    r->n_rest[r->sm] += n;
    r->next_rest = 0;
    uint64_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (r->rest.columns[L1D_PLACE][i] < before)
            return false;
        before = r->rest.columns[L1D_PLACE][i];
    }
    return before <= r->accesses.n && are_the_rest(&r->rest);
}

static enum l1d_read next_accesses(struct l1d_reader *r, struct strbuf *why)
{
    enum l1d_read frame = next_frame(r, why);
    if (frame == L1D_READ_END)
        return bad(r, why, "the file ends without an end mark");
    if (frame == L1D_READ_BAD)
        return frame;
    if (r->frame_bytes && r->frame[0] == L1D_TAG_END)
        return take_end(r, why);
    if (r->frame_bytes && r->frame[0] == L1D_TAG_ACCESSES && take_accesses(r))
        return L1D_READ_EVENT;
    return bad(r, why,
               "this frame is neither a block of accesses that makes sense nor the end "
               "mark");
}

static enum l1d_read next_block(struct l1d_reader *r, struct strbuf *why)
{
    enum l1d_read got = next_accesses(r, why);
    if (got != L1D_READ_EVENT)
        return got;
    got = next_frame(r, why);
    if (got == L1D_READ_END)
        return bad(r, why, "the file ends without an end mark");
    if (got == L1D_READ_EVENT && !take_rest(r))
        return bad(r, why, "this frame is not what followed the accesses before it");
    return got;
}

enum l1d_read l1d_reader_next_accesses(struct l1d_reader *r, uint32_t *sm,
                                       const struct l1d_table **accesses, struct strbuf *why)
{
    size_t bytes;
    r->skips_rest = true;
    enum l1d_read got = next_accesses(r, why);
    if (got != L1D_READ_EVENT)
        return got;
    *sm = r->sm;
    *accesses = &r->accesses;
    got = find_frame(r, &bytes, why);
    return got == L1D_READ_END ? bad(r, why, "the file ends without an end mark") : got;
}

/* --- event by event --- */

static void get_access(const struct l1d_reader *r, uint32_t i, struct l1d_event *e)
{
    uint64_t *const *c = r->accesses.columns;
    uint8_t first = r->accesses.kinds[i];
    *e = (struct l1d_event){.sm = r->sm, .kind = first & L1D_KIND_MASK, .cycle = c[L1D_CYCLE][i]};
    if (e->kind == L1D_FLUSH)
        return;
    e->outcome = (first & ~L1D_CRITICAL) >> L1D_OUTCOME_SHIFT;
    e->line = c[L1D_LINE][i] * r->header.line_bytes;
    e->launch = (uint32_t)c[L1D_LAUNCH][i];
    e->pc = (uint32_t)c[L1D_PC][i];
    e->warp_uid = c[L1D_WARP][i];
    e->thread = c[L1D_THREAD][i];
    e->address = e->line + c[L1D_OFFSET][i];
    e->is_critical = first & L1D_CRITICAL;
    e->criticality = r->header.criticality[0] ? (int64_t)c[L1D_CRITICALITY][i] : 0;
}

static void get_rest(const struct l1d_reader *r, uint32_t i, struct l1d_event *e)
{
    uint8_t first = r->rest.kinds[i];
    *e = (struct l1d_event){.sm = r->sm,
                            .kind = first & L1D_KIND_MASK,
                            .outcome = first >> L1D_OUTCOME_SHIFT,
                            .cycle = r->rest.columns[L1D_REST_CYCLE][i],
                            .line = r->rest.columns[L1D_REST_LINE][i] * r->header.line_bytes};
}

enum l1d_read l1d_reader_next(struct l1d_reader *r, struct l1d_event *e, struct strbuf *why)
{
    while (r->next_access == r->accesses.n && r->next_rest == r->rest.n) {
        enum l1d_read block = next_block(r, why);
        if (block != L1D_READ_EVENT)
            return block;
    }
    bool is_rest =
        r->next_rest < r->rest.n && r->rest.columns[L1D_PLACE][r->next_rest] <= r->next_access;
    if (is_rest)
        get_rest(r, r->next_rest++, e);
    else
        get_access(r, r->next_access++, e);
    return L1D_READ_EVENT;
}

struct l1d_reader *l1d_reader_open(const char *path, struct strbuf *why)
{
    struct l1d_reader *r = xcalloc(1, sizeof *r);
    int error = strbuf_read_file(&r->file, path);
    r->zstd = ZSTD_createDCtx();
    enum l1d_read frame = L1D_READ_BAD;
    if (error)
        strbuf_addf(why, "cannot read it: %s", strerror(error));
    else
        frame = next_frame(r, why);
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
    strbuf_destroy(&r->file);
    ZSTD_freeDCtx(r->zstd);
    l1d_table_destroy(&r->accesses);
    l1d_table_destroy(&r->rest);
    arena_destroy(&r->arena);
    free(r->frame);
    free(r);
}
