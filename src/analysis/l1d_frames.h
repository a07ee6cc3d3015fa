/* The frames of a recording, one after the other. A frame is unpacked and its checksum proved right
 * before anything of it is handed out; one that is skipped is in the checksum of all. Of the file
 * only the frame at hand, packed as it is, and some bytes more are in memory. */
#ifndef HEDDLE_ANALYSIS_L1D_FRAMES_H
#define HEDDLE_ANALYSIS_L1D_FRAMES_H

#include <zstd.h>

#include "analysis/l1d_stream.h"

/* The message about a file that does not begin like a recording. */
#define L1D_IS_NONE                                                                                \
    "this is no recording of an L1D (`heddle run --record-l1d`); --format reads other traces"

struct l1d_frames {
    int file;
    bool is_at_end;   /* all of it has been read */
    uint8_t *packed;  /* what has been read of it: the present frame, and bytes that follow */
    size_t packed_at; /* where the next frame begins in it */
    size_t n_packed, packed_cap;
    uint64_t packed_from;     /* the place of its first byte in the file */
    uint64_t frame_at;        /* where the present frame begins in the file */
    uint64_t sum, sum_before; /* l1d_checksum.h: with the present frame, and without */
    ZSTD_DCtx *zstd;
    uint8_t *content; /* of the present frame */
    size_t n_content, content_cap;
};

/* False, with the reason in `why`, if there is no such file; it is to be closed in any case. */
bool l1d_frames_open(struct l1d_frames *f, const char *path, struct strbuf *why);
void l1d_frames_close(struct l1d_frames *f);

/* Unpacks the next frame: EVENT if there is one, END at the end of the file. */
enum l1d_read l1d_frames_next(struct l1d_frames *f, struct strbuf *why);
/* The same without unpacking it: nothing but the checksum of all frames will tell if it is damaged.
 */
enum l1d_read l1d_frames_skip(struct l1d_frames *f, struct strbuf *why);
/* BAD, with that reason and the place of the present frame. */
enum l1d_read l1d_frames_bad(const struct l1d_frames *f, struct strbuf *why, const char *what);

#endif
