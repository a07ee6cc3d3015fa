/* Correctly rounded floating point in integer arithmetic, for every format and rounding mode that a
 * GPU has and the host may lack: directed rounding, half precision, fused multiply-add without an
 * FMA unit. Values are passed as bit patterns in the low bits of a uint64_t. No host floating point
 * is used, so results are the same on every host.
 *
 * A NaN result is the canonical NaN of its format: 0x7fff for f16 and bf16, 0x7fffffff for f32,
 * 0x7ff8000000000000 for f64. PTX specifies this for the narrow formats. MODEL: a GPU propagates
 * the payload of an f64 NaN. Which operand's payload is not specified, so Heddle drops it, here and
 * in emu/lanes_float.h. */
#ifndef HEDDLE_BASE_SOFTFP_H
#define HEDDLE_BASE_SOFTFP_H

#include <stdbool.h>
#include <stdint.h>

enum fp_format { FP_F16, FP_BF16, FP_F32, FP_F64 };
enum fp_round { FP_RN, FP_RZ, FP_RM, FP_RP, FP_RNA /* nearest, ties away */ };

struct fp_mode {
    enum fp_round round;
    bool ftz; /* subnormal inputs and results become zero of the same sign */
    bool sat; /* result clamped to [+0, 1], NaN becomes +0 */
};

uint64_t fp_add(enum fp_format f, uint64_t a, uint64_t b, struct fp_mode m);
uint64_t fp_sub(enum fp_format f, uint64_t a, uint64_t b, struct fp_mode m);
uint64_t fp_mul(enum fp_format f, uint64_t a, uint64_t b, struct fp_mode m);
uint64_t fp_fma(enum fp_format f, uint64_t a, uint64_t b, uint64_t c, struct fp_mode m);
uint64_t fp_div(enum fp_format f, uint64_t a, uint64_t b, struct fp_mode m);
uint64_t fp_sqrt(enum fp_format f, uint64_t a, struct fp_mode m);

/* Converts between formats. Here and in conversions to integers, ftz affects f32 only, as in
 * PTX. */
uint64_t fp_convert(enum fp_format from, enum fp_format to, uint64_t a, struct fp_mode m);
/* Rounds to an integral value in the same format (cvt.rni.f32.f32). */
uint64_t fp_round_integral(enum fp_format f, uint64_t a, struct fp_mode m);
/* To an integer of `bits` (8..64), saturating; returned sign- or zero-extended to 64 bits. PTX: a
 * NaN gives 0, or only the top bit set if the source is f64 or the result has 64 bits. */
uint64_t fp_to_int(enum fp_format from, uint64_t a, unsigned bits, bool is_signed,
                   struct fp_mode m);
/* From a 64-bit integer (signed: two's complement). */
uint64_t fp_from_int(enum fp_format to, uint64_t v, bool is_signed, struct fp_mode m);

bool fp_is_nan(enum fp_format f, uint64_t a);
/* -1, 0, 1, or 2 when unordered. */
int fp_compare(enum fp_format f, uint64_t a, uint64_t b, bool ftz);

#endif
