#include "emu/hostcall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Argument `n` of the call in the caller's frame, or 0 if the call passes fewer. */
static uint64_t argument(const struct emu_warp *w, const struct call_site *site, uint32_t lane,
                         uint32_t n, uint32_t bytes)
{
    if (n >= site->n_args)
        return 0;
    uint32_t frame = w->frames[w->n_frames - 1].local_at;
    if (bytes > site->args[n].bytes)
        bytes = site->args[n].bytes;
    return local_read(w, lane, frame + site->args[n].from, bytes);
}

static void give_result(struct emu_warp *w, const struct call_site *site, uint32_t lane, uint64_t v)
{
    if (!site->n_rets)
        return;
    uint32_t frame = w->frames[w->n_frames - 1].local_at;
    uint32_t bytes = site->rets[0].bytes < 8 ? site->rets[0].bytes : 8;
    local_write(w, lane, frame + site->rets[0].to, bytes, v);
}

/* --- printf --- */

/* Where the values come from: a packed buffer (vprintf), or the call's own parameters (OpenCL). */
struct arg_source {
    struct emu_warp *w;
    const struct call_site *site;
    uint32_t lane;
    bool packed;
    uint64_t at;    /* packed: generic address of the next value */
    uint32_t param; /* otherwise: the next parameter */
};

static bool read_generic(struct emu_warp *w, uint32_t lane, uint64_t address, uint32_t bytes,
                         uint64_t *v)
{
    *v = 0;
    if (address >= GENERIC_LOCAL_BASE && address < GENERIC_LOCAL_END) {
        uint64_t at = address - GENERIC_LOCAL_BASE;
        if (at + bytes > w->frames[w->n_frames - 1].local_end)
            return false;
        *v = local_read(w, lane, (uint32_t)at, bytes);
        return true;
    }
    if (!mem_find(w->emu->mem, address, bytes))
        return false;
    global_read(w, address, v, bytes);
    return true;
}

/* A value, or an element of a vector. */
struct value {
    uint64_t bits;
    uint32_t bytes;
};

static struct value next_packed(struct arg_source *s, uint32_t bytes)
{
    struct value v = {.bytes = bytes};
    s->at = (s->at + bytes - 1) / bytes * bytes;
    read_generic(s->w, s->lane, s->at, bytes, &v.bits);
    s->at += bytes;
    return v;
}

/* Element `k` of the `n` elements of the next parameter; its last element consumes the parameter.
 * The parameter's size gives their width; a vector of three has the size of four. */
static struct value next_parameter(struct arg_source *s, uint32_t k, uint32_t n)
{
    struct value v = {.bytes = 4};
    if (s->param >= s->site->n_args)
        return v;
    const struct call_copy *arg = &s->site->args[s->param];
    uint32_t frame = s->w->frames[s->w->n_frames - 1].local_at;
    v.bytes = arg->bytes / (n == 3 ? 4 : n);
    if (v.bytes == 1 || v.bytes == 2 || v.bytes == 4 || v.bytes == 8)
        v.bits = local_read(s->w, s->lane, frame + arg->from + k * v.bytes, v.bytes);
    s->param += k + 1 == n;
    return v;
}

struct conversion {
    char text[48];  /* "%-8.3", without length modifier and letter */
    uint32_t bytes; /* of an integer, as far as it is printed */
    uint32_t n;     /* elements: 1, or those of a vector */
    char letter;
};

/* Where nothing else says how wide a value is, C's promotions do. */
static struct value next_value(struct arg_source *s, const struct conversion *c, uint32_t k)
{
    if (!s->packed)
        return next_parameter(s, k, c->n);
    bool is_word = c->letter == 'c' || (strchr("diuxXo", c->letter) && c->bytes < 8);
    return next_packed(s, is_word ? 4 : 8);
}

static const char *parse_flags(const char *f, struct arg_source *source, struct conversion *c)
{
    static const struct conversion number = {.bytes = 4, .n = 1, .letter = 'd'};
    size_t n = 0;
    c->text[n++] = '%';
    while (*f && strchr("-+ #0123456789.*", *f)) {
        if (n + 12 >= sizeof c->text)
            return NULL;
        if (*f == '*')
            n += (size_t)snprintf(c->text + n, 12, "%d", (int)next_value(source, &number, 0).bits);
        else
            c->text[n++] = *f;
        f++;
    }
    c->text[n] = 0;
    return f;
}

/* The length modifiers: h, hh, l and OpenCL's hl, for vectors of 32-bit elements. */
static const char *parse_length(const char *f, struct conversion *c)
{
    while (*f && strchr("hlLqjzt", *f)) {
        if (*f == 'h' && f[1] == 'l')
            f++;
        else if (*f == 'h')
            c->bytes = c->bytes == 2 ? 1 : 2;
        else
            c->bytes = 8;
        f++;
    }
    return f;
}

/* Parses one conversion after its '%'. Returns the rest of the format, or NULL if it is
 * malformed. */
static const char *parse_conversion(const char *f, struct arg_source *source, struct conversion *c)
{
    *c = (struct conversion){.bytes = 4, .n = 1};
    f = parse_flags(f, source, c);
    if (!f)
        return NULL;
    if (*f == 'v') { /* OpenCL: %v4f, %v2hlx */
        c->n = (uint32_t)strtoul(f + 1, (char **)&f, 10);
        if (c->n < 2 || c->n > 16)
            return NULL;
    }
    f = parse_length(f, c);
    c->letter = *f;
    return *f && strchr("diuxXocpsaAeEfFgG", *f) ? f + 1 : NULL;
}

static void print_integer(struct strbuf *out, const struct conversion *c, struct value v)
{
    char format[64];
    uint32_t bytes = v.bytes < c->bytes ? v.bytes : c->bytes;
    uint32_t unused = 64 - bytes * 8;
    snprintf(format, sizeof format, "%sll%c", c->text, c->letter);
    if (c->letter == 'd' || c->letter == 'i')
        strbuf_addf(out, format, (long long)(v.bits << unused) >> unused);
    else
        strbuf_addf(out, format, (unsigned long long)(v.bits << unused) >> unused);
}

static double real_of(struct value v)
{
    double d;
    float f;
    uint32_t word = (uint32_t)v.bits;
    if (v.bytes == 8) {
        memcpy(&d, &v.bits, sizeof d);
        return d;
    }
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

static void print_string(struct strbuf *out, const char *format, struct emu_warp *w, uint64_t at)
{
    struct strbuf s = {0};
    if (!lane_read_string(w, at, &s))
        strbuf_add(&s, "(unreadable string)");
    strbuf_addf(out, format, strbuf_text(&s));
    strbuf_destroy(&s);
}

static void print_value(struct strbuf *out, const struct conversion *c, struct emu_warp *w,
                        struct value v)
{
    char format[64];
    snprintf(format, sizeof format, "%s%c", c->text, c->letter);
    switch (c->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        print_integer(out, c, v);
        break;
    case 'c':
        strbuf_addf(out, format, (int)v.bits);
        break;
    case 'p':
        strbuf_addf(out, format, (void *)(uintptr_t)v.bits);
        break;
    case 's':
        print_string(out, format, w, v.bits);
        break;
    default: /* a, e, f, g */
        strbuf_addf(out, format, real_of(v));
    }
}

/* Returns the number of conversions. */
static int print_formatted(struct strbuf *out, const char *f, struct arg_source *source)
{
    int n = 0;
    while (*f) {
        const char *percent = strchr(f, '%');
        if (!percent) {
            strbuf_add(out, f);
            return n;
        }
        strbuf_add_n(out, f, (size_t)(percent - f));
        f = percent + 1;
        if (*f == '%') {
            strbuf_add_char(out, '%');
            f++;
            continue;
        }
        struct conversion c;
        const char *after = parse_conversion(f, source, &c);
        if (!after) {
            strbuf_add_char(out, '%'); /* not a conversion: printed as it is */
            continue;
        }
        for (uint32_t k = 0; k < c.n; k++) {
            if (k)
                strbuf_add_char(out, ',');
            print_value(out, &c, source->w, next_value(source, &c, k));
        }
        f = after;
        n++;
    }
    return n;
}

/* CUDA's vprintf returns the number of arguments, OpenCL's printf 0; both -1 on failure. */
static void host_printf(struct emu_warp *w, const struct call_site *site, uint32_t lane,
                        bool packed)
{
    struct strbuf format = {0}, out = {0};
    struct arg_source source = {.w = w, .site = site, .lane = lane, .packed = packed, .param = 1};
    int result = -1;
    if (packed)
        source.at = argument(w, site, lane, 1, 8);
    if (lane_read_string(w, argument(w, site, lane, 0, 8), &format)) {
        int n = print_formatted(&out, strbuf_text(&format), &source);
        if (w->emu->print)
            w->emu->print(w->emu->print_user, strbuf_text(&out), out.len);
        w->emu->stats->printf_bytes += out.len;
        result = packed ? n : 0;
    }
    give_result(w, site, lane, (uint32_t)result);
    strbuf_destroy(&format);
    strbuf_destroy(&out);
}

/* --- memory and assertions --- */

void emu_forget_ranges(struct emu *e)
{
    memset(e->ranges, 0, e->program->n_ops * sizeof *e->ranges);
}

static void host_free(struct emu_warp *w, const struct call_site *site, uint32_t lane)
{
    uint64_t address = argument(w, site, lane, 0, 8);
    if (!address)
        return;
    if (!mem_free(w->emu->mem, address))
        emu_fault(w, FAULT_ACCESS, lane, "free of 0x%llx, which malloc did not return",
                  (unsigned long long)address);
    emu_forget_ranges(w->emu);
}

static void host_assert(struct emu_warp *w, const struct call_site *site, uint32_t lane)
{
    struct strbuf text = {0}, file = {0};
    lane_read_string(w, argument(w, site, lane, 0, 8), &text);
    lane_read_string(w, argument(w, site, lane, 1, 8), &file);
    emu_fault(w, FAULT_TRAP, lane, "assertion failed: %s (%s:%u)", strbuf_text(&text),
              strbuf_text(&file), (uint32_t)argument(w, site, lane, 2, 4));
    strbuf_destroy(&text);
    strbuf_destroy(&file);
}

static void call_one(struct emu_warp *w, const struct call_site *site, uint32_t lane)
{
    switch (site->host - 1) {
    case PTX_HOST_VPRINTF:
        host_printf(w, site, lane, true);
        break;
    case PTX_HOST_PRINTF:
        host_printf(w, site, lane, false);
        break;
    case PTX_HOST_MALLOC:
        give_result(w, site, lane,
                    mem_alloc(w->emu->mem, argument(w, site, lane, 0, 8), "device malloc"));
        break;
    case PTX_HOST_FREE:
        host_free(w, site, lane);
        break;
    default:
        host_assert(w, site, lane);
    }
}

bool is_heap_call(const struct call_site *site)
{
    return site->host - 1 == PTX_HOST_MALLOC || site->host - 1 == PTX_HOST_FREE;
}

static void call_lanes(struct emu_warp *w, const struct call_site *site, uint32_t mask)
{
    for (uint32_t m = mask; m && w->state != WARP_FAULTED; m &= m - 1)
        call_one(w, site, (uint32_t)__builtin_ctz(m));
}

/* Others may be reading the list of allocations, and the order of two calls must not depend on
 * which thread is ahead: it is performed when all SMs are at rest. */
void heap_put_off(struct emu_warp *w, const struct call_site *site, uint32_t mask)
{
    struct heap_calls *h = w->emu->heap;
    ARRAY_RESERVE(h->items, h->cap, h->n + 1);
    h->items[h->n++] = (struct heap_call){w, site, mask};
    w->state = WARP_AT_HEAP;
}

bool heap_perform(struct heap_calls *h)
{
    bool freed = false;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct heap_call *c = &h->items[i];
        c->warp->state = WARP_RUNNING;
        call_lanes(c->warp, c->site, c->mask);
        freed |= c->site->host - 1 == PTX_HOST_FREE;
    }
    h->n = 0;
    return freed;
}

void host_call(struct emu_warp *w, const struct call_site *site, uint32_t mask)
{
    if (!site->host) {
        const char *name = w->emu->program->funcs[site->callee].func->name;
        emu_fault(w, FAULT_CALL, (uint32_t)__builtin_ctz(mask),
                  "call of '%s', which has no body in this module and which the simulator does not "
                  "supply",
                  name);
        return;
    }
    if (w->emu->heap && is_heap_call(site))
        heap_put_off(w, site, mask);
    else
        call_lanes(w, site, mask);
}
