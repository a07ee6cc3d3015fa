/* CPU traces: packed or not, whole or broken. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <lzma.h>

#include "base/arena.h"
#include "cpu/programs.h"
#include "cpu/trace.h"

enum { N_INSTS = 5000 };

struct bytes {
    uint8_t *data;
    size_t n, cap;
};

static bool add_bytes(void *user, const void *data, size_t n)
{
    struct bytes *b = user;
    ARRAY_RESERVE(b->data, b->cap, b->n + n);
    memcpy(b->data + b->n, data, n);
    b->n += n;
    return true;
}

static struct cpu_inst make_inst(uint32_t i)
{
    return (struct cpu_inst){.ip = 0x400000 + 4ull * i,
                             .is_branch = i % 7 == 0,
                             .dest_regs = {(uint8_t)(i % 16), 0},
                             .source_memory = {i % 3 ? 0 : 0x10000 + 8ull * i}};
}

static struct bytes pack_zstd(size_t piece)
{
    struct bytes b = {0};
    struct cpu_inst insts[N_INSTS];
    for (uint32_t i = 0; i < N_INSTS; i++)
        insts[i] = make_inst(i);
    struct cpu_trace_writer *w =
        cpu_trace_write_begin((struct sink){add_bytes, &b}, "prog --with 'words'");
    for (size_t at = 0; at < sizeof insts; at += piece)
        assert_true(cpu_trace_write(w, (const char *)insts + at,
                                    piece < sizeof insts - at ? piece : sizeof insts - at));
    assert_true(cpu_trace_write_end(w));
    return b;
}

static struct bytes pack_raw(void)
{
    struct bytes b = {0};
    for (uint32_t i = 0; i < N_INSTS; i++) {
        struct cpu_inst inst = make_inst(i);
        add_bytes(&b, &inst, sizeof inst);
    }
    return b;
}

static struct bytes pack_xz(void)
{
    struct bytes raw = pack_raw(), b = {0};
    b.cap = lzma_stream_buffer_bound(raw.n);
    b.data = malloc(b.cap);
    assert_int_equal(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, raw.data, raw.n, b.data, &b.n, b.cap),
        LZMA_OK);
    free(raw.data);
    return b;
}

static char path[] = "/tmp/heddle_cpu_trace_XXXXXX";

static void write_file(const struct bytes *b, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(b->data, 1, n, f), n);
    fclose(f);
}

/* Reads all that is there; returns how many instructions, and checks each. */
static uint32_t read_all(struct cpu_trace *t)
{
    struct cpu_inst got;
    uint32_t n = 0;
    while (cpu_trace_next(t, &got)) {
        struct cpu_inst want = make_inst(n++);
        assert_memory_equal(&got, &want, sizeof want);
    }
    return n;
}

static void assert_whole(struct bytes b, const char *origin)
{
    struct strbuf why = {0};
    int error;
    write_file(&b, b.n);
    struct cpu_trace *t = cpu_trace_open(path, &error, &why);
    assert_non_null(t);
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(read_all(t), N_INSTS);
        assert_null(cpu_trace_error(t));
        cpu_trace_rewind(t);
    }
    if (origin)
        assert_string_equal(cpu_trace_origin(t), origin);
    else
        assert_null(cpu_trace_origin(t));
    cpu_trace_close(t);
    strbuf_destroy(&why);
    free(b.data);
}

static void traces_come_back(void **state)
{
    (void)state;
    assert_whole(pack_zstd(1 << 20), "prog --with 'words'");
    assert_whole(pack_zstd(37), "prog --with 'words'"); /* pieces that part records */
    assert_whole(pack_xz(), NULL);
    assert_whole(pack_raw(), NULL);
}

static void assert_broken(struct bytes b, size_t n, const char *message)
{
    struct strbuf why = {0};
    int error;
    write_file(&b, n);
    struct cpu_trace *t = cpu_trace_open(path, &error, &why);
    assert_non_null(t);
    struct cpu_inst any; /* damage is noticed after the damaged part */
    while (cpu_trace_next(t, &any))
        ;
    assert_non_null(cpu_trace_error(t));
    if (!strstr(cpu_trace_error(t), message))
        fail_msg("%s", cpu_trace_error(t));
    cpu_trace_close(t);
    strbuf_destroy(&why);
    free(b.data);
}

static void truncated_traces_are_told_with_their_offset(void **state)
{
    (void)state;
    struct bytes zstd = pack_zstd(1 << 20), xz = pack_xz(), raw = pack_raw();
    char at[64];
    snprintf(at, sizeof at, "at byte %zu of the file", zstd.n - 20);
    assert_broken(zstd, zstd.n - 20, at);
    snprintf(at, sizeof at, "at byte %zu of the file", xz.n - 40);
    assert_broken(xz, xz.n - 40, at);
    assert_broken(raw, 64 * 100 + 10, "the last record is incomplete");
}

static void damage_is_noticed(void **state)
{
    (void)state;
    struct bytes zstd = pack_zstd(1 << 20), xz = pack_xz();
    zstd.data[zstd.n / 2] ^= 0x55;
    assert_broken(zstd, zstd.n, "at byte");
    xz.data[xz.n / 2] ^= 0x55;
    assert_broken(xz, xz.n, "the xz data are broken");
}

static void an_empty_file_has_no_instruction(void **state)
{
    (void)state;
    struct bytes none = {0};
    struct strbuf why = {0};
    int error;
    write_file(&none, 0);
    struct cpu_trace *t = cpu_trace_open(path, &error, &why);
    assert_int_equal(read_all(t), 0);
    assert_null(cpu_trace_error(t));
    cpu_trace_close(t);
    assert_null(cpu_trace_open("/nowhere/at/all", &error, &why));
    assert_true(error && why.len);
    strbuf_destroy(&why);
}

/* `FILE:SKIP+N` begins after SKIP instructions, each time; the next N are its first run. */
static void a_part_of_a_trace_begins_behind_what_is_skipped(void **state)
{
    (void)state;
    struct bytes b = pack_zstd(1 << 20);
    struct strbuf word = {0}, why = {0};
    const struct cpu_open o = {.max_insts = 3};
    enum heddle_status status;
    write_file(&b, b.n);
    strbuf_addf(&word, "%s:%d+5", path, N_INSTS - 9);
    struct cpu_source *s = cpu_program_open(strbuf_text(&word), &o, &status, &why);
    assert_non_null(s);
    assert_int_equal(s->n_counted, 5);
    for (int twice = 0; twice < 2; twice++) {
        for (uint32_t i = N_INSTS - 9; i < N_INSTS; i++) {
            struct cpu_inst want = make_inst(i);
            assert_memory_equal(cpu_source_next(s), &want, sizeof want);
        }
        assert_null(cpu_source_next(s));
        assert_null(s->error);
        cpu_source_rewind(s);
    }
    cpu_source_close(s);
    strbuf_add(&word, "x"); /* that is the name of another file */
    assert_null(cpu_program_open(strbuf_text(&word), &o, &status, &why));
    assert_non_null(strstr(strbuf_text(&why), strbuf_text(&word)));
    strbuf_destroy(&word);
    strbuf_destroy(&why);
    free(b.data);
}

int main(void)
{
    close(mkstemp(path));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_come_back),
        cmocka_unit_test(truncated_traces_are_told_with_their_offset),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(an_empty_file_has_no_instruction),
        cmocka_unit_test(a_part_of_a_trace_begins_behind_what_is_skipped),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
