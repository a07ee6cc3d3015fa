#include "cli/kernel_arg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/softfp.h"
#include "config/number.h"

static void set_value(struct kernel_arg *out, struct arena *arena, enum kernel_arg_type type,
                      const void *data, size_t bytes)
{
    uint8_t *copy = arena_alloc(arena, bytes);
    memcpy(copy, data, bytes);
    *out =
        (struct kernel_arg){.kind = KERNEL_ARG_VALUE, .type = type, .data = copy, .bytes = bytes};
}

static bool parse_integer(const struct kernel_arg_form *form, const char *rest, struct arena *arena,
                          struct kernel_arg *out, struct strbuf *why)
{
    bool is_signed = form->word[0] == 'i', is_negative = rest[0] == '-';
    unsigned bits = 8 * form->bytes;
    uint64_t all = UINT64_MAX >> (64 - bits), magnitude;
    /* Hexadecimal gives a bit pattern, so i8:0xff is -1. */
    bool is_pattern = rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X');
    uint64_t limit = !is_signed || is_pattern ? all : is_negative ? all / 2 + 1 : all / 2;
    if ((is_negative && !is_signed) || !number_parse_u64(rest + is_negative, &magnitude)) {
        strbuf_addf(why, "'%s' is not a whole number from %s%" PRIu64 " to %" PRIu64, rest,
                    is_signed ? "-" : "", is_signed ? all / 2 + 1 : 0, is_signed ? all / 2 : all);
        return false;
    }
    if (magnitude > limit) {
        strbuf_addf(why, "%s does not fit into %u bits", rest, bits);
        return false;
    }
    /* The host is little-endian, like the simulated GPU. */
    uint64_t value = is_negative ? 0 - magnitude : magnitude;
    set_value(out, arena, KERNEL_ARG_INTEGER, &value, form->bytes);
    return true;
}

static bool parse_float(const struct kernel_arg_form *form, const char *rest, struct arena *arena,
                        struct kernel_arg *out, struct strbuf *why)
{
    char *end;
    bool starts_well = *rest && !strchr(" \t\n\v\f\r", *rest);
    double d = strtod(rest, &end);
    if (!starts_well || end == rest || *end) {
        strbuf_addf(why, "'%s' is not a number", rest);
        return false;
    }
    if (form->bytes == 8) {
        set_value(out, arena, KERNEL_ARG_FLOAT, &d, sizeof d);
    } else if (form->bytes == 4) {
        float f = strtof(rest, NULL); /* rounded once, from the text */
        set_value(out, arena, KERNEL_ARG_FLOAT, &f, sizeof f);
    } else {
        uint64_t bits, half;
        memcpy(&bits, &d, sizeof bits);
        half = fp_convert(FP_F64, FP_F16, bits, (struct fp_mode){0});
        set_value(out, arena, KERNEL_ARG_FLOAT, &half, 2);
    }
    return true;
}

static bool parse_hex_bytes(const struct kernel_arg_form *form, const char *rest,
                            struct arena *arena, struct kernel_arg *out, struct strbuf *why)
{
    (void)form;
    size_t n = strlen(rest);
    if (n == 0 || n % 2 || strspn(rest, "0123456789abcdefABCDEF") != n) {
        strbuf_addf(why, "'%s' is not an even number of hexadecimal digits", rest);
        return false;
    }
    uint8_t *data = arena_alloc(arena, n / 2);
    for (size_t i = 0; i < n / 2; i++) {
        const char pair[3] = {rest[2 * i], rest[2 * i + 1], 0};
        data[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    *out = (struct kernel_arg){.kind = KERNEL_ARG_VALUE, .data = data, .bytes = n / 2};
    return true;
}

/* Reads a size that ends at ':' or at the end; *rest then points after the colon, or is NULL. */
static bool take_size(const char **rest, struct arena *arena, uint64_t *bytes, struct strbuf *why)
{
    size_t n = strcspn(*rest, ":");
    const char *text = arena_strndup(arena, *rest, n);
    if (!number_parse_bytes(text, bytes) || *bytes == 0) {
        strbuf_addf(why, "'%s' is not a number of bytes from 1 to %" PRIu64 ", such as 4096 or 4K",
                    text, UINT64_MAX);
        return false;
    }
    *rest = (*rest)[n] ? *rest + n + 1 : NULL;
    return true;
}

static bool take_file(const char *text, struct arena *arena, const char **file, struct strbuf *why)
{
    if (!text || !*text) {
        strbuf_add(why, "the file name is missing");
        return false;
    }
    *file = arena_strdup(arena, text);
    return true;
}

static bool parse_buffer(const struct kernel_arg_form *form, const char *rest, struct arena *arena,
                         struct kernel_arg *out, struct strbuf *why)
{
    (void)form;
    *out = (struct kernel_arg){.kind = KERNEL_ARG_BUFFER};
    if (rest[0] == '@')
        return take_file(rest + 1, arena, &out->in_file, why);
    if (!take_size(&rest, arena, &out->bytes, why))
        return false;
    if (!rest)
        return true;
    if (rest[0] != '@') {
        strbuf_addf(why, "'%s' should be @FILE", rest);
        return false;
    }
    return take_file(rest + 1, arena, &out->in_file, why);
}

static bool parse_random(const struct kernel_arg_form *form, const char *rest, struct arena *arena,
                         struct kernel_arg *out, struct strbuf *why)
{
    (void)form;
    *out = (struct kernel_arg){.kind = KERNEL_ARG_BUFFER, .is_random = true};
    if (!take_size(&rest, arena, &out->bytes, why))
        return false;
    if (!rest || !number_parse_u64(rest, &out->seed)) {
        strbuf_addf(why, "%s%s%s, a whole number from 0 to %" PRIu64,
                    rest ? "'" : "the seed is missing", rest ? rest : "",
                    rest ? "' is not a seed" : "", UINT64_MAX);
        return false;
    }
    return true;
}

static bool parse_out(const struct kernel_arg_form *form, const char *rest, struct arena *arena,
                      struct kernel_arg *out, struct strbuf *why)
{
    (void)form;
    *out = (struct kernel_arg){.kind = KERNEL_ARG_BUFFER};
    return take_size(&rest, arena, &out->bytes, why) && take_file(rest, arena, &out->out_file, why);
}

static bool parse_inout(const struct kernel_arg_form *form, const char *rest, struct arena *arena,
                        struct kernel_arg *out, struct strbuf *why)
{
    (void)form;
    *out = (struct kernel_arg){.kind = KERNEL_ARG_BUFFER};
    const char *colon = strrchr(rest, ':');
    if (rest[0] != '@' || !colon) {
        strbuf_addf(why, "'%s' should be @INPUT:OUTPUT", rest);
        return false;
    }
    const char *in = arena_strndup(arena, rest + 1, (size_t)(colon - rest - 1));
    return take_file(in, arena, &out->in_file, why) &&
           take_file(colon + 1, arena, &out->out_file, why);
}

static bool parse_local(const struct kernel_arg_form *form, const char *rest, struct arena *arena,
                        struct kernel_arg *out, struct strbuf *why)
{
    (void)form;
    *out = (struct kernel_arg){.kind = KERNEL_ARG_LOCAL};
    if (!take_size(&rest, arena, &out->bytes, why))
        return false;
    if (rest)
        strbuf_addf(why, "nothing may follow the size, but there is ':%s'", rest);
    return !rest;
}

/* clang-format off */
const struct kernel_arg_form kernel_arg_forms[] = {
    {"i8", "N", "integer of 8 bits", parse_integer, 1},
    {"i16", "N", "integer of 16 bits", parse_integer, 2},
    {"i32", "N", "integer of 32 bits: i32:-5, i32:0xff", parse_integer, 4},
    {"i64", "N", "integer of 64 bits", parse_integer, 8},
    {"u8", "N", "unsigned integer of 8 bits", parse_integer, 1},
    {"u16", "N", "unsigned integer of 16 bits", parse_integer, 2},
    {"u32", "N", "unsigned integer of 32 bits", parse_integer, 4},
    {"u64", "N", "unsigned integer of 64 bits", parse_integer, 8},
    {"f16", "X", "half precision", parse_float, 2},
    {"f32", "X", "single precision: f32:1.5, f32:0x1p-3, f32:inf", parse_float, 4},
    {"f64", "X", "double precision", parse_float, 8},
    {"bytes", "HEX", "a struct by value, byte by byte: bytes:0100000000002040", parse_hex_bytes, 0},
    {"buf", "BYTES | @FILE | BYTES:@FILE", "buffer: zeros, a file's contents, or both", parse_buffer, 0},
    {"rand", "BYTES:SEED", "buffer of random bits, the same for the same seed", parse_random, 0},
    {"out", "BYTES:FILE", "buffer of zeros, written to FILE after the run", parse_out, 0},
    {"inout", "@INPUT:OUTPUT", "buffer with INPUT's contents, written to OUTPUT after the run", parse_inout, 0},
    {"local", "BYTES", "shared memory for a __local pointer", parse_local, 0},
};
/* clang-format on */
const uint32_t n_kernel_arg_forms = sizeof kernel_arg_forms / sizeof kernel_arg_forms[0];

static void report_unknown(const char *word, struct strbuf *why)
{
    const char *words[sizeof kernel_arg_forms / sizeof kernel_arg_forms[0]];
    for (uint32_t i = 0; i < n_kernel_arg_forms; i++)
        words[i] = kernel_arg_forms[i].word;
    const char *nearest = suggest_nearest(word, words, n_kernel_arg_forms);
    strbuf_addf(why, "there is no argument kind '%s'", word);
    if (nearest)
        strbuf_addf(why, "; did you mean '%s'?", nearest);
}

bool kernel_arg_parse(const char *text, struct arena *arena, struct kernel_arg *out,
                      struct strbuf *why)
{
    size_t n = strcspn(text, ":");
    if (!text[n]) {
        strbuf_addf(why, "'%s' has no ':'; write an argument like i32:5 or buf:4K", text);
        return false;
    }
    for (uint32_t i = 0; i < n_kernel_arg_forms; i++) {
        const struct kernel_arg_form *form = &kernel_arg_forms[i];
        if (strlen(form->word) == n && strncmp(form->word, text, n) == 0)
            return form->parse(form, text + n + 1, arena, out, why);
    }
    report_unknown(arena_strndup(arena, text, n), why);
    return false;
}

static enum kernel_arg_fit value_fits(const struct kernel_arg *arg,
                                      const struct heddle_param_info *param, bool declares_pointers,
                                      struct strbuf *why)
{
    bool may_be_pointer = !declares_pointers && param->bytes == 8;
    unsigned long long bits = 8 * param->bytes;
    if (param->space == HEDDLE_PARAM_SHARED)
        strbuf_add(why, "the parameter is a __local pointer; write local:BYTES");
    else if (param->space == HEDDLE_PARAM_GLOBAL)
        strbuf_add(why, "the parameter is a pointer; write a buffer, such as buf:4K");
    else if (arg->type == KERNEL_ARG_INTEGER && param->type == HEDDLE_PARAM_FLOAT)
        strbuf_addf(why, "the parameter is a floating-point number; write f%llu:X", bits);
    else if (arg->type == KERNEL_ARG_FLOAT && param->type == HEDDLE_PARAM_INTEGER)
        strbuf_addf(why, "the parameter is an integer; write i%llu:N", bits);
    if (why->len > 0)
        return KERNEL_ARG_MISFIT;
    if (arg->type != KERNEL_ARG_INTEGER || !may_be_pointer)
        return KERNEL_ARG_FITS;
    strbuf_add(why, "the parameter may be a pointer, which the PTX does not declare; the number is "
                    "passed as it is");
    return KERNEL_ARG_DOUBTFUL;
}

enum kernel_arg_fit kernel_arg_fits(const struct kernel_arg *arg,
                                    const struct heddle_param_info *param, bool declares_pointers,
                                    struct strbuf *why)
{
    if (arg->kind == KERNEL_ARG_VALUE)
        return value_fits(arg, param, declares_pointers, why);
    bool is_local = arg->kind == KERNEL_ARG_LOCAL;
    if (is_local && param->space == HEDDLE_PARAM_GLOBAL)
        strbuf_add(why, "the parameter is a pointer to global memory; write a buffer, such as "
                        "buf:4K");
    else if (!is_local && param->space == HEDDLE_PARAM_SHARED)
        strbuf_add(why, "the parameter is a __local pointer; write local:BYTES");
    else if (param->space == HEDDLE_PARAM_VALUE && param->type == HEDDLE_PARAM_FLOAT)
        strbuf_addf(why, "the parameter is a floating-point number; write f%llu:X",
                    (unsigned long long)(8 * param->bytes));
    return why->len > 0 ? KERNEL_ARG_MISFIT : KERNEL_ARG_FITS;
}
