/* Any bytes as a trace. The first byte chooses how far in they get: as the file itself; as the
 * contents of its parts, in sound frames; as the streams of warps, in a sound file. Whatever they
 * are, replaying them ends, with a status and, if it is refused, a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "heddle/heddle.h"
#include "trace/bytes.h"
#include "trace/file.h"

/* Asks every kind of question. */
static const char kernel[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".func f(.param .b32 x) { ret; }\n.func g(.param .b32 x) { ret; }\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .u64 %d<6>;\n.reg .u32 %r<8>;\n.reg .pred %p<3>;\n.shared .u32 s[64];\n"
    "ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\n"
    "LOOP:\nld.global.u32 %r2, [%d1];\nst.shared.u32 [%r1], %r2;\nld.u32 %r3, [%d1];\n"
    "atom.global.add.u32 %r4, [%d1], 1;\nsetp.eq.u32 %p1, %r4, 3;\n@%p1 st.global.u32 [%d1], %r4;\n"
    "div.u32 %r5, %r4, %r3;\n"
    "ts: .branchtargets A, B, C;\nbrx.idx %r5, ts;\nA: add.u32 %r2, %r2, 1;\nbra D;\n"
    "B: add.u32 %r2, %r2, 2;\nC: add.u32 %r2, %r2, 3;\nD:\n"
    "mov.u64 %d2, f;\n{ .param .b32 x;\nst.param.b32 [x], %r1;\n"
    "pr: .callprototype _ (.param .b32 _);\ncall %d2, (x), pr; }\n"
    "{ .param .b64 a;\n.param .b64 b;\n.param .b32 c;\nst.param.b64 [a], %d1;\n"
    "st.param.b64 [b], %d1;\ncall (c), vprintf, (a, b); }\n"
    "barrier.sync %r5;\n@%p1 bra LOOP;\nexit;\n}\n";

/* --- files in memory --- */

struct memory_file {
    int fd;
    char path[64];
};

static void open_memory(struct memory_file *f)
{
    f->fd = memfd_create("trace", 0);
    snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
}

static bool write_memory(void *user, const void *data, size_t n)
{
    return write(((struct memory_file *)user)->fd, data, n) == (ssize_t)n;
}

/* --- inputs --- */

/* Cuts a piece off the input: its first two bytes say how long it is. */
static struct cursor cut(struct cursor *in)
{
    uint64_t n = cursor_get_fixed(in, 2), left = (uint64_t)(in->end - in->at);
    const uint8_t *data = cursor_get_raw(in, n < left ? n : left);
    return (struct cursor){data, data ? data + (n < left ? n : left) : data, false};
}

static void write_head(struct memory_file *f)
{
    struct bytes b = {0};
    bytes_put_raw(&b, TRACE_MAGIC, 12);
    bytes_put_fixed(&b, TRACE_VERSION, 4);
    write_memory(f, b.data, b.n);
    free(b.data);
}

/* Each part: its tag, then its content. The last one is taken for the footer. */
static void write_parts(struct memory_file *f, struct cursor in)
{
    uint64_t at = TRACE_HEAD_BYTES, last = at;
    write_head(f);
    while (in.at < in.end) {
        struct bytes b = {0}, packed = {0};
        uint8_t tag = cursor_get_byte(&in);
        struct cursor content = cut(&in);
        size_t n = (size_t)(content.end - content.at), bound = ZSTD_compressBound(n);
        packed.n = ZSTD_compress(bytes_reserve(&packed, bound), bound, content.at, n, 1);
        bytes_put_byte(&b, tag);
        bytes_put_fixed(&b, packed.n, 4);
        bytes_put_fixed(&b, n, 4);
        bytes_put_raw(&b, packed.data, packed.n);
        write_memory(f, b.data, b.n);
        last = at;
        at += b.n;
        free(b.data);
        free(packed.data);
    }
    struct bytes tail = {0};
    bytes_put_fixed(&tail, last, 8);
    bytes_put_raw(&tail, TRACE_END_MAGIC, 8);
    write_memory(f, tail.data, tail.n);
    free(tail.data);
}

static void write_streams(struct memory_file *f, struct cursor in)
{
    struct trace_about about = {0};
    struct trace_writer *w = trace_writer_create((struct sink){write_memory, f}, &about);
    uint64_t addresses[4] = {0};
    struct trace_module m = {.name = "fuzz.ptx",
                             .text = kernel,
                             .text_bytes = sizeof kernel - 1,
                             .addresses = addresses};
    trace_writer_module(w, &m);
    struct trace_launch l = {
        .kernel = "k", .grid = {2, 1, 1}, .block = {64, 1, 1}, .work_dim = 1, .shared_bytes = 256};
    trace_writer_begin_launch(w, &l);
    for (uint64_t cta = 0; cta < 2; cta++) {
        for (uint32_t warp = 0; warp < 2; warp++) {
            struct cursor piece = cut(&in);
            trace_writer_piece(w, cta, warp, piece.at, (size_t)(piece.end - piece.at));
        }
        trace_writer_end_cta(w, cta);
    }
    struct trace_launch_end end = {.warp_insts = 1000};
    trace_writer_end_launch(w, &end);
    trace_writer_finish(w);
    trace_writer_destroy(w);
}

static void replay(const char *path)
{
    static const char *const settings[] = {"n_sms=1", "memory.n_partitions=1"};
    struct heddle_options o = {.struct_size = sizeof o,
                               .gpu = "gtx480",
                               .timing = true,
                               .max_cycles = 20000,
                               .settings = settings,
                               .n_settings = 2};
    struct heddle_sim *sim;
    if (heddle_create(&o, &sim) != HEDDLE_OK)
        abort();
    enum heddle_status s = heddle_replay(sim, path, true);
    if ((s == HEDDLE_OK) != (heddle_error(sim)[0] == 0))
        abort();
    heddle_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct memory_file f;
    struct cursor in = {data + 1, data + size, false};
    open_memory(&f);
    if (data[0] % 3 == 0)
        write_memory(&f, data + 1, size - 1);
    else if (data[0] % 3 == 1)
        write_parts(&f, in);
    else
        write_streams(&f, in);
    replay(f.path);
    close(f.fd);
    return 0;
}
