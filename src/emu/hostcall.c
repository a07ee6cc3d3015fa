#include "emu/hostcall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Argument `n` of the call in the caller's frame, or 0 where the call passes fewer. */
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
    uint32_t param; /* otherwise: the next parameter, and the byte in it */
    uint32_t param_at;
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

static uint64_t next_value(struct arg_source *s, uint32_t bytes)
{
    uint64_t v = 0;
    if (s->packed) {
        s->at = (s->at + bytes - 1) / bytes * bytes;
        read_generic(s->w, s->lane, s->at, bytes, &v);
        s->at += bytes;
        return v;
    }
    if (s->param >= s->site->n_args)
        return 0;
    const struct call_copy *arg = &s->site->args[s->param];
    uint32_t frame = s->w->frames[s->w->n_frames - 1].local_at;
    uint32_t n = bytes < arg->bytes - s->param_at ? bytes : arg->bytes - s->param_at;
    v = local_read(s->w, s->lane, frame + arg->from + s->param_at, n);
    s->param_at += bytes;
    if (s->param_at >= arg->bytes) {
        s->param++;
        s->param_at = 0;
    }
    return v;
}

struct conversion {
    char text[48];  /* "%-8.3", without length modifier and letter */
    uint32_t bytes; /* of an integer */
    uint32_t vector;
    bool float_vector;
    char letter;
};

/* Parses one conversion after its '%'; returns what follows it, or NULL if it is malformed. */
static const char *parse_conversion(const char *f, struct arg_source *source, struct conversion *c)
{
    size_t n = 0;
    *c = (struct conversion){.bytes = 4, .vector = 1};
    c->text[n++] = '%';
    while (*f && strchr("-+ #0123456789.*", *f)) {
        if (n + 12 >= sizeof c->text)
            return NULL;
        if (*f == '*')
            n += (size_t)snprintf(c->text + n, 12, "%d", (int)next_value(source, 4));
        else
            c->text[n++] = *f;
        f++;
    }
    c->text[n] = 0;
    if (*f == 'v') { /* OpenCL: %v4f, %v2hlx */
        c->vector = (uint32_t)strtoul(f + 1, (char **)&f, 10);
        c->float_vector = true;
        if (c->vector < 2 || c->vector > 16)
            return NULL;
    }
    while (*f && strchr("hlLqjzt", *f)) {
        if (*f == 'h' && f[1] == 'l') {
            f++; /* hl: 4-byte elements */
        } else if (*f == 'h') {
            c->bytes = c->vector > 1 ? (c->bytes == 2 ? 1 : 2) : 4;
        } else {
            c->bytes = 8;
            c->float_vector = false;
        }
        f++;
    }
    c->letter = *f;
    return *f ? f + 1 : NULL;
}

static void print_integer(struct strbuf *out, const struct conversion *c, uint64_t v)
{
    char format[64];
    uint32_t unused = 64 - c->bytes * 8;
    snprintf(format, sizeof format, "%sll%c", c->text, c->letter);
    if (c->letter == 'd' || c->letter == 'i')
        strbuf_addf(out, format, (long long)(v << unused) >> unused);
    else
        strbuf_addf(out, format, (unsigned long long)v);
}

/* A double; elements of OpenCL's float vectors are floats. */
static double next_double(const struct conversion *c, struct arg_source *source)
{
    double d;
    if (c->float_vector) {
        uint32_t word = (uint32_t)next_value(source, 4);
        float f;
        memcpy(&f, &word, 4);
        return (double)f;
    }
    uint64_t v = next_value(source, 8);
    memcpy(&d, &v, 8);
    return d;
}

static void print_value(struct strbuf *out, const struct conversion *c, struct arg_source *source)
{
    char format[64];
    struct strbuf s = {0};
    snprintf(format, sizeof format, "%s%c", c->text, c->letter);
    switch (c->letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        print_integer(out, c, next_value(source, c->bytes));
        break;
    case 'c':
        strbuf_addf(out, format, (int)next_value(source, 4));
        break;
    case 'p':
        strbuf_addf(out, "0x%llx", (unsigned long long)next_value(source, 8));
        break;
    case 's':
        if (!lane_read_string(source->w, next_value(source, 8), &s))
            strbuf_add(&s, "(unreadable string)");
        strbuf_addf(out, format, strbuf_text(&s));
        strbuf_destroy(&s);
        break;
    default: /* a, e, f, g */
        strbuf_addf(out, format, next_double(c, source));
    }
}

/* Returns how many conversions it has made. */
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
        if (!after || !strchr("diuxXocpsaAeEfFgG", c.letter)) {
            strbuf_add_char(out, '%'); /* not a conversion: shown as it stands */
            continue;
        }
        for (uint32_t k = 0; k < c.vector; k++) {
            if (k)
                strbuf_add_char(out, ',');
            print_value(out, &c, source);
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

/* Others may be reading the list of allocations, and which of two calls comes first must not depend
 * on who happens to be further: it is performed when everyone is at rest. */
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
