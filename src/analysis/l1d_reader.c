/* Reads recordings block by block. Implausible content is refused, with the offset of its frame. */
#include <stdlib.h>
#include <string.h>

#include "analysis/l1d_checks.h"
#include "analysis/l1d_frames.h"
#include "base/arena.h"

/* Far above any real machine. */
enum { MAX_SMS = 1 << 16, MAX_SETS = 1 << 16, MAX_WAYS = 64, MAX_MSHRS = 4096, MAX_MERGES = 64 };
enum { MAX_SECTORS = 8, MAX_PARAMS = 1024 };

struct l1d_reader {
    struct l1d_frames frames;
    size_t at; /* offset in the content of the current frame */
    struct l1d_header header;
    struct arena arena;
    uint64_t *n_accesses, *n_rest, *n_thread_insts; /* numbers read so far, per SM */
    bool skips_rest, skips_details, skips_insts;
    /* The current block. */
    uint32_t sm;
    struct l1d_table accesses, rest, insts;
    uint32_t next_access, next_rest, next_insts;
};

static enum l1d_read bad(const struct l1d_reader *r, struct strbuf *why, const char *what)
{
    return l1d_frames_bad(&r->frames, why, what);
}

/* --- fields of a frame; each function returns false where the frame ends --- */

static bool take_u32(struct l1d_reader *r, uint32_t *v)
{
    if (r->frames.n_content - r->at < 4)
        return false;
    *v = l1d_get_u32(r->frames.content + r->at);
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
    if (!take_u32(r, &n) || n > r->frames.n_content - r->at)
        return false;
    *text = arena_strndup(&r->arena, (const char *)r->frames.content + r->at, n);
    r->at += n;
    return true;
}

/* --- frames --- */

static void begin_tables(struct l1d_reader *r)
{
    const struct l1d_header *h = &r->header;
    r->n_accesses = ARENA_ARRAY(&r->arena, uint64_t, h->n_sms);
    r->n_rest = ARENA_ARRAY(&r->arena, uint64_t, h->n_sms);
    r->n_thread_insts = ARENA_ARRAY(&r->arena, uint64_t, h->n_sms);
    r->accesses.n_columns = N_L1D_ACCESS_COLUMNS - (h->criticality[0] == 0);
    r->rest.n_columns = N_L1D_REST_COLUMNS;
    r->insts.n_columns = N_L1D_INSTS_COLUMNS;
    r->skips_insts = !h->has_insts;
}

static bool take_l1d(struct l1d_reader *r, struct cache_config *c)
{
    uint32_t flags;
    bool ok = take_u32(r, &c->line_bytes) && take_u32(r, &c->sector_bytes) &&
              take_u32(r, &c->n_sets) && take_u32(r, &c->n_ways) && take_u32(r, &c->n_mshrs) &&
              take_u32(r, &c->mshr_merges) && take_u32(r, &flags);
    if (!ok || flags & ~(uint32_t)L1D_FLAGS_ALL)
        return false;
    c->index = flags & L1D_IS_HASHED ? INDEX_HASH : INDEX_LINEAR;
    c->allocate_on_fill = flags & L1D_ALLOCATES_ON_FILL;
    c->write_back = flags & L1D_WRITES_BACK;
    c->write_allocate = flags & L1D_WRITE_ALLOCATES;
    c->write_evict = flags & L1D_WRITE_EVICTS;
    return c->sector_bytes != 0 && c->line_bytes % c->sector_bytes == 0 &&
           c->line_bytes / c->sector_bytes - 1 < MAX_SECTORS && c->n_sets <= MAX_SETS &&
           c->n_ways <= MAX_WAYS && c->n_mshrs <= MAX_MSHRS && c->mshr_merges <= MAX_MERGES;
}

/* Optional; nothing follows them. */
static bool take_params(struct l1d_reader *r, struct l1d_params *p)
{
    p->are_told = r->header.version >= L1D_FIRST_WITH_PARAMS;
    if (!p->are_told)
        return true;
    if (!take_u32(r, &p->n) || p->n > MAX_PARAMS)
        return false;
    const char **items = ARENA_ARRAY(&r->arena, const char *, p->n + 1);
    p->items = items;
    for (uint32_t i = 0; i < p->n; i++)
        if (!take_text(r, &items[i]) || !strchr(items[i], '='))
            return false;
    return r->at == r->frames.n_content;
}

static bool take_header(struct l1d_reader *r, struct strbuf *why)
{
    struct l1d_header *h = &r->header;
    size_t magic = sizeof L1D_MAGIC - 1;
    if (r->frames.n_content < magic || memcmp(r->frames.content, L1D_MAGIC, magic) != 0) {
        bad(r, why, L1D_IS_NONE);
        return false;
    }
    r->at = magic;
    bool has_version = take_u32(r, &h->version);
    if (has_version && (h->version < L1D_OLDEST_VERSION || h->version > L1D_STREAM_VERSION)) {
        strbuf_addf(why,
                    "version %u of the format; this Heddle reads versions %d to %d: record the run "
                    "again",
                    h->version, L1D_OLDEST_VERSION, L1D_STREAM_VERSION);
        return false;
    }
    h->has_insts = has_version && h->version >= L1D_FIRST_WITH_INSTS;
    bool ok = has_version && take_u32(r, &h->n_sms) && take_l1d(r, &h->l1d) &&
              take_text(r, &h->gpu) && take_text(r, &h->scheduler) && take_text(r, &h->policy) &&
              take_text(r, &h->criticality) && take_params(r, &h->params);
    if (!ok || h->n_sms == 0 || h->n_sms > MAX_SMS) {
        bad(r, why, "the header is not valid");
        return false;
    }
    begin_tables(r);
    return true;
}

/* Were as many events read of that SM as the end mark says, except for those that were skipped? */
static bool are_all_there(const struct l1d_reader *r, uint32_t sm, const uint64_t told[3])
{
    return r->n_accesses[sm] == told[0] && (r->skips_rest || r->n_rest[sm] == told[1]) &&
           (r->skips_insts || r->n_thread_insts[sm] == told[2]);
}

static bool has_checksum(const struct l1d_reader *r)
{
    return r->header.version >= L1D_FIRST_WITH_CHECKSUM;
}

/* Nothing may be missing, and nothing may follow. */
static enum l1d_read take_end(struct l1d_reader *r, struct strbuf *why)
{
    r->at = 1;
    for (uint32_t i = 0; i < r->header.n_sms; i++) {
        uint64_t told[3] = {0};
        for (int k = 0; k < (r->header.has_insts ? 3 : 2); k++)
            if (!take_u64(r, &told[k]))
                return bad(r, why, "the end mark is too short");
        if (!are_all_there(r, i, told))
            return bad(r, why, "events are missing: their number differs from the end mark's");
    }
    uint64_t sum = r->frames.sum_before;
    if (has_checksum(r) && !take_u64(r, &sum))
        return bad(r, why, "the end mark is too short");
    if (sum != r->frames.sum_before)
        return bad(r, why,
                   "the file is damaged before its end mark, whose checksum differs; `zstd -t` may "
                   "find where");
    enum l1d_read more = l1d_frames_skip(&r->frames, why);
    return more == L1D_READ_EVENT ? bad(r, why, "something follows the end mark") : more;
}

static bool take_accesses(struct l1d_reader *r)
{
    uint32_t n;
    r->at = 1;
    if (!take_u32(r, &r->sm) || !take_u32(r, &n) || r->sm >= r->header.n_sms)
        return false;
    if (!l1d_table_unpack(&r->accesses, n, 0, L1D_FIRST_DETAIL, r->frames.content + r->at,
                          r->frames.content + r->frames.n_content))
        return false;
    r->n_accesses[r->sm] += n;
    r->next_access = 0;
    return l1d_are_accesses(&r->accesses, r->header.criticality[0]);
}

static bool take_details(struct l1d_reader *r)
{
    return l1d_table_unpack(&r->accesses, r->accesses.n, L1D_FIRST_DETAIL, r->accesses.n_columns,
                            r->frames.content + L1D_DETAILS_HEAD_BYTES,
                            r->frames.content + r->frames.n_content) &&
           l1d_are_details(&r->accesses, &r->header.l1d);
}

/* A table after its number of rows. */
static bool take_table(struct l1d_reader *r, struct l1d_table *t)
{
    uint32_t n;
    r->at = 1;
    return take_u32(r, &n) && l1d_table_unpack(t, n, 0, t->n_columns, r->frames.content + r->at,
                                               r->frames.content + r->frames.n_content);
}

static bool take_rest(struct l1d_reader *r)
{
    if (!take_table(r, &r->rest))
        return false;
    r->n_rest[r->sm] += r->rest.n;
    r->next_rest = 0;
    return l1d_are_the_rest(&r->rest, r->accesses.n);
}

static bool take_insts(struct l1d_reader *r)
{
    const struct l1d_table *t = &r->insts;
    if (!take_table(r, &r->insts) ||
        !l1d_are_insts(t, r->accesses.n, r->skips_rest ? UINT64_MAX : r->rest.n))
        return false;
    for (uint32_t i = 0; i < t->n; i++)
        r->n_thread_insts[r->sm] += t->kinds[i] * t->columns[L1D_ISSUES][i];
    r->next_insts = 0;
    return true;
}

/* A frame that belongs to the accesses before it. A frame that is not wanted is skipped. If the end
 * mark has no checksum of all frames, it is unpacked, which verifies its own checksum: nothing of a
 * damaged file is trusted. */
static enum l1d_read next_part(struct l1d_reader *r, uint8_t tag,
                               bool (*take)(struct l1d_reader *r), bool is_wanted,
                               struct strbuf *why)
{
    bool is_skipped = !is_wanted && has_checksum(r);
    enum l1d_read got = (is_skipped ? l1d_frames_skip : l1d_frames_next)(&r->frames, why);
    if (got == L1D_READ_END)
        return bad(r, why, "the file ends without an end mark");
    if (got == L1D_READ_BAD || is_skipped)
        return got;
    bool is_it = r->frames.n_content && r->frames.content[0] == tag;
    if (!is_it || (is_wanted && !take(r)))
        return bad(r, why, "this frame does not belong to the accesses before it");
    return got;
}

/* The frames after a frame of accesses. */
static enum l1d_read next_parts(struct l1d_reader *r, struct strbuf *why)
{
    enum l1d_read got = next_part(r, L1D_TAG_DETAILS, take_details, !r->skips_details, why);
    if (got == L1D_READ_EVENT)
        got = next_part(r, L1D_TAG_REST, take_rest, !r->skips_rest, why);
    if (got == L1D_READ_EVENT && r->header.has_insts)
        got = next_part(r, L1D_TAG_INSTS, take_insts, !r->skips_insts, why);
    return got;
}

static enum l1d_read next_block(struct l1d_reader *r, struct strbuf *why)
{
    enum l1d_read frame = l1d_frames_next(&r->frames, why);
    if (frame == L1D_READ_END)
        return bad(r, why, "the file ends without an end mark");
    if (frame == L1D_READ_BAD)
        return frame;
    if (r->frames.n_content && r->frames.content[0] == L1D_TAG_END)
        return take_end(r, why);
    if (r->frames.n_content && r->frames.content[0] == L1D_TAG_ACCESSES && take_accesses(r))
        return next_parts(r, why);
    return bad(r, why, "this frame is neither a valid block of accesses nor the end mark");
}

enum l1d_read l1d_reader_next_accesses(struct l1d_reader *r, uint32_t *sm,
                                       const struct l1d_table **accesses,
                                       const struct l1d_table **insts, struct strbuf *why)
{
    r->skips_rest = true;
    enum l1d_read got = next_block(r, why);
    *sm = r->sm;
    *accesses = &r->accesses;
    *insts = &r->insts;
    return got;
}

void l1d_reader_trade(struct l1d_reader *r, struct l1d_table *t)
{
    struct l1d_table read = r->accesses;
    r->accesses = *t;
    r->accesses.n_columns = read.n_columns;
    *t = read;
}

void l1d_reader_skip_details(struct l1d_reader *r)
{
    r->skips_details = true;
}

void l1d_reader_skip_insts(struct l1d_reader *r)
{
    r->skips_insts = true;
    r->insts.n = r->next_insts = 0; /* of the current block */
}

/* --- event by event --- */

static void get_access(const struct l1d_reader *r, uint32_t i, struct l1d_event *e)
{
    uint64_t *const *c = r->accesses.columns;
    uint8_t first = r->accesses.kinds[i];
    *e = (struct l1d_event){.sm = r->sm, .kind = first & L1D_KIND_MASK, .cycle = c[L1D_CYCLE][i]};
    if (e->kind == L1D_RESIZE)
        e->n_ways = (uint32_t)c[L1D_LINE][i];
    if (e->kind == L1D_FLUSH || e->kind == L1D_RESIZE)
        return;
    e->outcome = (first & ~L1D_CRITICAL) >> L1D_OUTCOME_SHIFT;
    e->line = c[L1D_LINE][i] * r->header.l1d.line_bytes;
    e->launch = (uint32_t)c[L1D_LAUNCH][i];
    e->pc = (uint32_t)c[L1D_PC][i];
    e->warp_uid = c[L1D_WARP][i];
    e->thread = c[L1D_THREAD][i];
    e->address = e->line + c[L1D_OFFSET][i];
    e->sectors = (uint32_t)c[L1D_SECTORS][i];
    e->is_local = c[L1D_HOW][i] & L1D_HOW_LOCAL;
    e->goes_around = c[L1D_HOW][i] & L1D_HOW_AROUND;
    e->is_whole = c[L1D_HOW][i] & L1D_HOW_WHOLE;
    e->had_to_wait = c[L1D_HOW][i] & L1D_HOW_STALLED;
    e->is_critical = first & L1D_CRITICAL;
    e->criticality = r->header.criticality[0] ? (int64_t)c[L1D_CRITICALITY][i] : 0;
}

static void get_rest(const struct l1d_reader *r, uint32_t i, struct l1d_event *e)
{
    uint64_t *const *c = r->rest.columns;
    uint8_t first = r->rest.kinds[i];
    *e = (struct l1d_event){.sm = r->sm,
                            .kind = first & L1D_KIND_MASK,
                            .outcome = first >> L1D_OUTCOME_SHIFT,
                            .cycle = c[L1D_REST_CYCLE][i],
                            .line = c[L1D_REST_LINE][i] * r->header.l1d.line_bytes};
    e->answers_oldest = e->kind == L1D_FILL && !c[L1D_ANSWERED][i];
    if (e->kind == L1D_FILL && !e->answers_oldest)
        e->asked = e->cycle + 1 - c[L1D_ANSWERED][i];
}

static void get_insts(const struct l1d_reader *r, uint32_t i, struct l1d_event *e)
{
    *e = (struct l1d_event){.sm = r->sm,
                            .kind = L1D_INSTS,
                            .n_issues = (uint32_t)r->insts.columns[L1D_ISSUES][i],
                            .n_lanes = r->insts.kinds[i]};
}

/* Have all the accesses been returned that precede the next fill or eviction? */
static bool is_rest_due(const struct l1d_reader *r)
{
    return r->next_rest < r->rest.n && r->rest.columns[L1D_PLACE][r->next_rest] <= r->next_access;
}

/* The same for the next run of instructions, which also follows fills and evictions. */
static bool are_insts_due(const struct l1d_reader *r)
{
    return r->next_insts < r->insts.n &&
           r->insts.columns[L1D_INSTS_PLACE][r->next_insts] <= r->next_access &&
           r->insts.columns[L1D_INSTS_REST_PLACE][r->next_insts] <= r->next_rest;
}

enum l1d_read l1d_reader_next(struct l1d_reader *r, struct l1d_event *e, struct strbuf *why)
{
    while (r->next_access == r->accesses.n && r->next_rest == r->rest.n &&
           r->next_insts == r->insts.n) {
        enum l1d_read block = next_block(r, why);
        if (block != L1D_READ_EVENT)
            return block;
    }
    if (are_insts_due(r))
        get_insts(r, r->next_insts++, e);
    else if (is_rest_due(r))
        get_rest(r, r->next_rest++, e);
    else
        get_access(r, r->next_access++, e);
    return L1D_READ_EVENT;
}

struct l1d_reader *l1d_reader_open(const char *path, struct strbuf *why)
{
    struct l1d_reader *r = xcalloc(1, sizeof *r);
    enum l1d_read frame = L1D_READ_BAD;
    if (l1d_frames_open(&r->frames, path, why))
        frame = l1d_frames_next(&r->frames, why);
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
    l1d_frames_close(&r->frames);
    l1d_table_destroy(&r->accesses);
    l1d_table_destroy(&r->rest);
    l1d_table_destroy(&r->insts);
    arena_destroy(&r->arena);
    free(r);
}
