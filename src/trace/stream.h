/* The stream of one warp: answers to the questions of trace_op.h, in the order of execution.
 *
 * It is cut into pieces, so that neither side needs all of it at once. A piece alternates between a
 * count of answers that the model predicts and an answer that it does not; it ends with a count. An
 * answer never spans two pieces. doc/traces.md specifies the bytes. */
#ifndef HEDDLE_TRACE_STREAM_H
#define HEDDLE_TRACE_STREAM_H

#include "trace/bytes.h"
#include "trace/model.h"

/* Encoding of an unpredicted guard or set of lanes. */
enum lanes_form { LANES_ALL, LANES_NONE, LANES_SOME };

/* Encoding of unpredicted addresses: the low bits of their first byte. */
enum address_form {
    ADDRESS_STEP,   /* all lanes moved by the same distance */
    ADDRESS_GRID,   /* a regular grid: rows of 1 << (byte >> 3) lanes */
    ADDRESS_LIKE,   /* arranged like the lanes of recent[byte >> 3] */
    ADDRESS_APART,  /* distances from the lowest address */
    ADDRESS_MOVED,  /* the distance that each lane moved */
    ADDRESS_SORTED, /* in ascending order, where it does not matter which lane has which */
};
enum { MAX_GAP_BITS = 40 }; /* of the low part of a gap between sorted addresses */
enum { ADDRESS_FORM_BITS = 3 };

/* --- writing --- */

enum { PIECE_BYTES = 16 * 1024 }; /* a piece of this size is ended */

struct stream_writer {
    struct warp_model model;
    struct bytes out;    /* the current piece */
    uint64_t n_expected; /* answers since the last unpredicted one */
};

void stream_write_guard(struct stream_writer *w, const struct op *op, uint32_t pc, uint32_t active,
                        uint32_t mask);
void stream_write_address(struct stream_writer *w, uint32_t pc, uint32_t mask,
                          const uint64_t *address);
/* Where an indirect jump goes (its lanes are in `mask`), or the number and threads of a barrier. */
void stream_write_value(struct stream_writer *w, uint32_t pc, uint32_t mask, uint64_t value,
                        uint32_t lanes);
/* How many lanes divided by zero; the prediction is none. */
void stream_write_zeros(struct stream_writer *w, uint32_t n);
/* What was printed; the prediction is nothing. */
void stream_write_text(struct stream_writer *w, const char *text, size_t n);
/* Ends the piece: `out` is complete. */
void stream_write_piece_end(struct stream_writer *w);

/* --- reading --- */

struct stream_reader {
    struct warp_model model;
    struct cursor in;
    uint64_t n_expected; /* answers before the next unpredicted one */
    uint64_t most;       /* the most answers that a stream of this launch can have */
    bool failed;         /* the stream is not valid, or has ended too early */
    /* Puts the next piece into `in`; false if there is none. */
    bool (*refill)(struct stream_reader *r);
};

/* Another warp begins; its first piece is read on demand. */
void stream_read_begin(struct stream_reader *r);
/* Nothing may be left when the warp has ended. */
bool stream_read_is_over(struct stream_reader *r);

uint32_t stream_read_guard(struct stream_reader *r, const struct op *op, uint32_t pc,
                           uint32_t active);
/* All 32 addresses; only those in the mask are new. Valid until the next call. */
const uint64_t *stream_read_address(struct stream_reader *r, uint32_t pc, uint32_t mask);
uint64_t stream_read_value(struct stream_reader *r, uint32_t pc, uint32_t mask, uint32_t *lanes);
uint32_t stream_read_zeros(struct stream_reader *r);
/* The text, valid until the next question; NULL = nothing was printed. */
const char *stream_read_text(struct stream_reader *r, size_t *n);

#endif
