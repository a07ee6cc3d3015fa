#include "cpu/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/hash.h"

enum {
    ROOM = 1 << 16,
    LEVEL = 6,
    SKIPPABLE = 0x184D2A50, /* of zstd: magic number of a skippable frame */
    MAX_ORIGIN = 1 << 16,
};
static const char origin_head[] = "heddle cpu trace 1\n";
static const char end_head[] = "heddle cpu end 1\n"; /* SHA-256 of everything before this frame
                                                      * follows */
enum { END_BYTES = 8 + sizeof end_head - 1 + HASH_TEXT_BYTES - 1 };

enum packing { PACKED_NOT, PACKED_ZSTD, PACKED_XZ };

struct cpu_trace {
    FILE *file;
    enum packing packing;
    ZSTD_DCtx *zstd;
    lzma_stream xz;
    char *origin;
    /* Bytes of the file, how many were used, and how many came before. */
    uint8_t in[ROOM];
    size_t n_in, in_at;
    uint64_t offset;
    bool is_at_end, is_inside; /* of the file; of a compressed frame */
    bool is_damaged;           /* according to the checksum at its end */
    _Alignas(8) uint8_t out[ROOM];
    size_t n_out, out_at;
    uint64_t n_insts;
    struct strbuf error;
};

/* --- Reading --- */

static void fail(struct cpu_trace *t, const char *what)
{
    if (!t->error.len)
        strbuf_addf(&t->error, "%s at byte %" PRIu64 " of the file, after %" PRIu64 " instructions",
                    what, t->offset + t->in_at, t->n_insts);
}

static void refill(struct cpu_trace *t)
{
    t->offset += t->n_in;
    t->in_at = 0;
    t->n_in = fread(t->in, 1, sizeof t->in, t->file);
    t->is_at_end = t->n_in == 0;
    if (ferror(t->file))
        fail(t, strerror(errno));
}

static void unpack_zstd(struct cpu_trace *t)
{
    ZSTD_inBuffer in = {t->in, t->n_in, t->in_at};
    ZSTD_outBuffer out = {t->out, sizeof t->out, t->n_out};
    size_t left = ZSTD_decompressStream(t->zstd, &out, &in);
    t->in_at = in.pos;
    t->n_out = out.pos;
    if (ZSTD_isError(left))
        fail(t, ZSTD_getErrorName(left));
    else
        t->is_inside = left != 0;
}

static void unpack_xz(struct cpu_trace *t)
{
    t->xz.next_in = t->in + t->in_at;
    t->xz.avail_in = t->n_in - t->in_at;
    t->xz.next_out = t->out + t->n_out;
    t->xz.avail_out = sizeof t->out - t->n_out;
    lzma_ret status = lzma_code(&t->xz, t->is_at_end ? LZMA_FINISH : LZMA_RUN);
    t->in_at = t->n_in - t->xz.avail_in;
    t->n_out = sizeof t->out - t->xz.avail_out;
    t->is_inside = status != LZMA_STREAM_END;
    if (status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR)
        fail(t, "the xz data are broken");
}

static void copy(struct cpu_trace *t)
{
    size_t n = t->n_in - t->in_at, room = sizeof t->out - t->n_out;
    n = n < room ? n : room;
    memcpy(t->out + t->n_out, t->in + t->in_at, n);
    t->in_at += n;
    t->n_out += n;
}

/* Until a record is complete, or there is no more. */
static void unpack(struct cpu_trace *t)
{
    memmove(t->out, t->out + t->out_at, t->n_out - t->out_at);
    t->n_out -= t->out_at;
    t->out_at = 0;
    while (t->n_out < sizeof(struct cpu_inst) && !t->error.len) {
        if (t->in_at == t->n_in && !t->is_at_end)
            refill(t);
        if (t->is_at_end && !t->is_inside)
            return;
        size_t before = t->n_out;
        (t->packing == PACKED_ZSTD ? unpack_zstd : t->packing == PACKED_XZ ? unpack_xz : copy)(t);
        if (t->is_at_end && t->is_inside && t->n_out == before) {
            fail(t, "the file ends too early");
            return;
        }
    }
}

const struct cpu_inst *cpu_trace_read(struct cpu_trace *t, uint32_t most, uint32_t *n)
{
    if (t->n_out - t->out_at < sizeof(struct cpu_inst))
        unpack(t);
    size_t whole = (t->n_out - t->out_at) / sizeof(struct cpu_inst);
    const void *first = t->out + t->out_at;
    *n = whole < most ? (uint32_t)whole : most;
    t->out_at += *n * sizeof(struct cpu_inst);
    t->n_insts += *n;
    if (!whole && t->n_out != t->out_at && !t->error.len)
        fail(t, "the last record is incomplete, each has 64 bytes; the file ends");
    else if (!whole && t->is_damaged && !t->error.len)
        fail(t, "the checksum is missing or wrong");
    return first;
}

bool cpu_trace_next(struct cpu_trace *t, struct cpu_inst *inst)
{
    uint32_t n;
    const struct cpu_inst *first = cpu_trace_read(t, 1, &n);
    if (n)
        *inst = *first;
    return n == 1;
}

const char *cpu_trace_error(const struct cpu_trace *t)
{
    return t->error.len ? strbuf_text(&t->error) : NULL;
}

const char *cpu_trace_origin(const struct cpu_trace *t)
{
    return t->origin;
}

/* --- Opening --- */

static uint32_t read_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void find_packing(struct cpu_trace *t)
{
    static const uint8_t xz_magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    uint32_t magic = t->n_in >= 4 ? read_u32(t->in) : 0;
    size_t head = sizeof origin_head - 1;
    if (magic == ZSTD_MAGICNUMBER || magic == SKIPPABLE)
        t->packing = PACKED_ZSTD;
    else if (t->n_in >= sizeof xz_magic && memcmp(t->in, xz_magic, sizeof xz_magic) == 0)
        t->packing = PACKED_XZ;
    if (magic != SKIPPABLE || t->n_in < 8 + head || memcmp(t->in + 8, origin_head, head) != 0)
        return;
    size_t n = read_u32(t->in + 4);
    if (n >= head && n <= MAX_ORIGIN && n <= t->n_in - 8 && !t->origin)
        t->origin = strndup((const char *)t->in + 8 + head, n - head);
}

static bool begin(struct cpu_trace *t)
{
    t->n_in = t->in_at = t->n_out = t->out_at = 0;
    t->offset = t->n_insts = 0;
    t->is_at_end = t->is_inside = false;
    refill(t);
    find_packing(t);
    if (t->packing == PACKED_ZSTD && !t->zstd)
        t->zstd = ZSTD_createDCtx();
    if (t->packing == PACKED_ZSTD)
        ZSTD_DCtx_reset(t->zstd, ZSTD_reset_session_only);
    if (t->packing == PACKED_XZ)
        return lzma_stream_decoder(&t->xz, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK;
    return true;
}

struct cpu_trace *cpu_trace_open(const char *path, int *error, struct strbuf *why)
{
    struct cpu_trace *t = xcalloc(1, sizeof *t);
    t->file = fopen(path, "rb");
    *error = t->file ? 0 : errno;
    if (t->file && begin(t) && !t->error.len) {
        t->is_damaged = t->origin && !cpu_trace_is_intact(path);
        return t;
    }
    strbuf_add(why, t->file && t->error.len ? strbuf_text(&t->error) : strerror(errno));
    cpu_trace_close(t);
    return NULL;
}

bool cpu_trace_is_damaged(const struct cpu_trace *t)
{
    return t->is_damaged;
}

void cpu_trace_rewind(struct cpu_trace *t)
{
    rewind(t->file);
    strbuf_clear(&t->error);
    begin(t);
}

void cpu_trace_close(struct cpu_trace *t)
{
    if (!t)
        return;
    if (t->file)
        fclose(t->file);
    ZSTD_freeDCtx(t->zstd);
    lzma_end(&t->xz);
    strbuf_destroy(&t->error);
    free(t->origin);
    free(t);
}

/* --- Writing --- */

struct cpu_trace_writer {
    struct sink out;
    ZSTD_CCtx *zstd;
    uint64_t n_bytes;
    struct hash hash; /* of the output */
    bool failed;
    uint8_t room[ROOM];
};

static void put(struct cpu_trace_writer *w, const void *data, size_t bytes)
{
    hash_add(&w->hash, data, bytes);
    w->failed = w->failed || !w->out.write(w->out.user, data, bytes);
}

static void put_u32(struct cpu_trace_writer *w, uint32_t v)
{
    uint8_t bytes[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    put(w, bytes, sizeof bytes);
}

struct cpu_trace_writer *cpu_trace_write_begin(struct sink out, const char *origin)
{
    struct cpu_trace_writer *w = xcalloc(1, sizeof *w);
    size_t head = sizeof origin_head - 1, n = strlen(origin);
    if (n > MAX_ORIGIN - head)
        n = MAX_ORIGIN - head;
    w->out = out;
    hash_init(&w->hash);
    w->zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
    put_u32(w, SKIPPABLE);
    put_u32(w, (uint32_t)(head + n));
    put(w, origin_head, head);
    put(w, origin, n);
    return w;
}

static void pack(struct cpu_trace_writer *w, const void *data, size_t bytes, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {data, bytes, 0};
    size_t left = 1;
    while (!w->failed && (how == ZSTD_e_end ? left != 0 : in.pos < in.size)) {
        ZSTD_outBuffer out = {w->room, sizeof w->room, 0};
        left = ZSTD_compressStream2(w->zstd, &out, &in, how);
        w->failed = w->failed || ZSTD_isError(left);
        if (out.pos)
            put(w, w->room, out.pos);
    }
}

bool cpu_trace_write(struct cpu_trace_writer *w, const void *data, size_t bytes)
{
    w->n_bytes += bytes;
    pack(w, data, bytes, ZSTD_e_continue);
    return !w->failed;
}

bool cpu_trace_write_end(struct cpu_trace_writer *w)
{
    char sum[HASH_TEXT_BYTES];
    pack(w, NULL, 0, ZSTD_e_end);
    hash_finish(&w->hash, sum);
    put_u32(w, SKIPPABLE);
    put_u32(w, END_BYTES - 8);
    put(w, end_head, sizeof end_head - 1);
    put(w, sum, HASH_TEXT_BYTES - 1);
    bool ok = !w->failed && w->n_bytes % sizeof(struct cpu_inst) == 0;
    ZSTD_freeCCtx(w->zstd);
    free(w);
    return ok;
}

bool cpu_trace_is_intact(const char *path)
{
    struct strbuf file = {0};
    char sum[HASH_TEXT_BYTES];
    bool ok = strbuf_read_file(&file, path) == 0 && file.len > END_BYTES;
    if (ok) {
        const char *end = file.text + file.len - END_BYTES;
        hash_of(file.text, file.len - END_BYTES, sum);
        ok = memcmp(end + 8, end_head, sizeof end_head - 1) == 0 &&
             memcmp(end + 8 + sizeof end_head - 1, sum, HASH_TEXT_BYTES - 1) == 0;
    }
    strbuf_destroy(&file);
    return ok;
}
