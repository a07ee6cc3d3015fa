#include "analysis/l1d_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd_errors.h>

#include "analysis/l1d_checksum.h"
#include "base/arena.h"

enum { READ_BYTES = 1 << 18 };

enum l1d_read l1d_frames_bad(const struct l1d_frames *f, struct strbuf *why, const char *what)
{
    strbuf_addf(why, "byte %" PRIu64 ": %s", f->frame_at, what);
    return L1D_READ_BAD;
}

static enum l1d_read bad_frame(const struct l1d_frames *f, struct strbuf *why, size_t error)
{
    if (ZSTD_getErrorCode(error) == ZSTD_error_srcSize_wrong)
        return l1d_frames_bad(f, why, "the file ends in the middle of this frame");
    if (ZSTD_getErrorCode(error) == ZSTD_error_prefix_unknown && f->frame_at == 0)
        return l1d_frames_bad(f, why, L1D_IS_NONE);
    strbuf_addf(why, "byte %" PRIu64 ": the frame is damaged: %s", f->frame_at,
                ZSTD_getErrorName(error));
    return L1D_READ_BAD;
}

/* Reads more, after the bytes not used yet; false, with the reason, on failure. */
static bool read_more(struct l1d_frames *f, struct strbuf *why)
{
    size_t left = f->n_packed - f->packed_at;
    if (left)
        memmove(f->packed, f->packed + f->packed_at, left);
    f->packed_from += f->packed_at;
    f->packed_at = 0;
    f->n_packed = left;
    ARRAY_RESERVE(f->packed, f->packed_cap, left + READ_BYTES);
    ssize_t n;
    do
        n = read(f->file, f->packed + left, f->packed_cap - left);
    while (n < 0 && errno == EINTR);
    if (n < 0) {
        strbuf_addf(why, "cannot read it: %s", strerror(errno));
        return false;
    }
    f->n_packed += (size_t)n;
    f->is_at_end = n == 0;
    return true;
}

/* Is the frame that begins there longer than what has been read, but not longer than the limit? */
static bool is_cut(const struct l1d_frames *f, size_t found)
{
    return ZSTD_isError(found) && ZSTD_getErrorCode(found) == ZSTD_error_srcSize_wrong &&
           !f->is_at_end && f->n_packed - f->packed_at <= ZSTD_COMPRESSBOUND(L1D_MAX_FRAME_BYTES);
}

/* Finds the next frame: EVENT if there is one, END at the end of the file. */
static enum l1d_read find_frame(struct l1d_frames *f, const uint8_t **packed, size_t *packed_bytes,
                                struct strbuf *why)
{
    size_t found;
    f->frame_at = f->packed_from + f->packed_at;
    for (;;) {
        size_t left = f->n_packed - f->packed_at;
        if (!left && f->is_at_end)
            return L1D_READ_END;
        if (left) { /* at first nothing has been read, and `packed` is NULL */
            found = ZSTD_findFrameCompressedSize(f->packed + f->packed_at, left);
            if (!is_cut(f, found))
                break;
        }
        if (!read_more(f, why))
            return L1D_READ_BAD;
    }
    if (ZSTD_isError(found))
        return bad_frame(f, why, found);
    *packed = f->packed + f->packed_at;
    *packed_bytes = found;
    f->sum_before = f->sum;
    f->sum = l1d_checksum(f->sum, *packed, found);
    f->packed_at += found;
    return L1D_READ_EVENT;
}

enum l1d_read l1d_frames_next(struct l1d_frames *f, struct strbuf *why)
{
    const uint8_t *packed;
    size_t packed_bytes;
    enum l1d_read found = find_frame(f, &packed, &packed_bytes, why);
    if (found != L1D_READ_EVENT)
        return found;
    unsigned long long bytes = ZSTD_getFrameContentSize(packed, packed_bytes);
    if (bytes > L1D_MAX_FRAME_BYTES)
        return l1d_frames_bad(f, why, "the frame exceeds the size limit, or this is not a frame");
    ARRAY_RESERVE(f->content, f->content_cap, bytes);
    size_t n = ZSTD_decompressDCtx(f->zstd, f->content, f->content_cap, packed, packed_bytes);
    if (ZSTD_isError(n))
        return bad_frame(f, why, n);
    f->n_content = n;
    return L1D_READ_EVENT;
}

enum l1d_read l1d_frames_skip(struct l1d_frames *f, struct strbuf *why)
{
    const uint8_t *packed;
    size_t packed_bytes;
    return find_frame(f, &packed, &packed_bytes, why);
}

bool l1d_frames_open(struct l1d_frames *f, const char *path, struct strbuf *why)
{
    *f = (struct l1d_frames){.file = open(path, O_RDONLY | O_CLOEXEC), .zstd = ZSTD_createDCtx()};
    if (f->file < 0)
        strbuf_addf(why, "cannot read it: %s", strerror(errno));
    return f->file >= 0;
}

void l1d_frames_close(struct l1d_frames *f)
{
    if (f->file >= 0)
        close(f->file);
    ZSTD_freeDCtx(f->zstd);
    free(f->packed);
    free(f->content);
}
