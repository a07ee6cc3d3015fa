/* Files: CTAs in any order, long streams in many pieces, and every kind of damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <zstd.h>

#include "trace/bytes.h"
#include "trace/file.h"

enum { N_CTAS = 2500, N_WARPS = 3, N_LONG_PIECES = 40, LONG_PIECE = 9000 };
static char path[64];

static bool add(void *user, const void *data, size_t n)
{
    strbuf_add_n(user, data, n);
    return true;
}

static void fill_piece(uint8_t *to, uint64_t cta, uint32_t warp, uint32_t k, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(cta * 7 + warp * 3 + k + i * i);
}

/* Pieces of a warp: most have one, CTA 10 has many. */
static uint32_t pieces_of(uint64_t cta)
{
    return cta == 10 ? N_LONG_PIECES : 1;
}

static size_t piece_bytes(uint64_t cta, uint32_t warp)
{
    return cta == 10 ? LONG_PIECE : 1 + (cta + warp) % 50;
}

static void write_cta(struct trace_writer *w, uint64_t cta)
{
    uint8_t data[LONG_PIECE];
    for (uint32_t k = 0; k < pieces_of(cta); k++)
        for (uint32_t warp = 0; warp < N_WARPS; warp++) {
            fill_piece(data, cta, warp, k, piece_bytes(cta, warp));
            trace_writer_piece(w, cta, warp, data, piece_bytes(cta, warp));
        }
    trace_writer_end_cta(w, cta);
}

static void make_file(struct strbuf *out)
{
    static const uint64_t addresses[] = {0x10000000, 0, 0x10000100};
    struct trace_about about = {"1.2", "a test", "gpu", "{}"};
    struct trace_writer *w = trace_writer_create((struct sink){add, out}, &about);
    struct trace_module m = {"m.ptx", "text\0text", 9, addresses, 3};
    struct trace_launch l = {.module = trace_writer_module(w, &m),
                             .kernel = "kernel",
                             .grid = {N_CTAS / 5, 5, 1},
                             .block = {96, 1, 1},
                             .offset = {0, 1, 2},
                             .work_dim = 2,
                             .shared_bytes = 100,
                             .dynamic_shared_bytes = 10};
    struct trace_launch_end end = {.warp_insts = 12345};
    trace_writer_note(w, "workload", "bfs");
    trace_writer_begin_launch(w, &l);
    for (uint64_t i = 0; i < N_CTAS; i++) /* in a different order */
        write_cta(w, i * 1117 % N_CTAS);
    end.reasons[REASON_LOAD] = "here";
    trace_writer_end_launch(w, &end);
    l.grid[0] = l.grid[1] = 1;
    trace_writer_begin_launch(w, &l);
    write_cta(w, 0);
    trace_writer_end_launch(w, &(struct trace_launch_end){.warp_insts = 3});
    trace_writer_note(w, "seed", "");
    assert_true(trace_writer_finish(w));
    trace_writer_destroy(w);
}

static void put_file(const char *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void check_warp(struct trace_reader *r, const struct trace_cta *c, uint32_t warp)
{
    struct strbuf why = {0};
    struct bytes piece = {0};
    uint8_t expected[LONG_PIECE];
    uint64_t done = 0;
    size_t n = piece_bytes(c->number, warp);
    for (uint32_t k = 0; k < pieces_of(c->number); k++) {
        assert_true(trace_reader_piece(r, c, warp, &done, &piece, &why));
        fill_piece(expected, c->number, warp, k, n);
        assert_int_equal(piece.n, n);
        assert_memory_equal(piece.data, expected, n);
    }
    assert_false(trace_reader_piece(r, c, warp, &done, &piece, &why));
    assert_int_equal(why.len, 0);
    free(piece.data);
    strbuf_destroy(&why);
}

static void check_launch(struct trace_reader *r, uint32_t i, uint64_t n_ctas, uint64_t step)
{
    struct strbuf why = {0};
    struct trace_launch l;
    struct trace_launch_end end;
    struct trace_cta c = {0};
    assert_true(trace_reader_launch(r, i, &l, &end, &why));
    assert_string_equal(l.kernel, "kernel");
    assert_int_equal(l.offset[2], 2);
    assert_int_equal(l.dynamic_shared_bytes, 10);
    assert_int_equal(end.warp_insts, i ? 3 : 12345);
    assert_int_equal(end.reasons[REASON_LOAD] != NULL, i == 0);
    assert_null(end.reasons[REASON_CLOCK]);
    for (uint64_t k = 0; k < n_ctas; k++) {
        assert_true(trace_reader_cta(r, k * step % n_ctas, &c, &why));
        for (uint32_t warp = 0; warp < N_WARPS; warp++)
            check_warp(r, &c, warp);
    }
    trace_cta_destroy(&c);
    strbuf_destroy(&why);
}

static struct trace_reader *open_trace(struct strbuf *why)
{
    bool cannot_read;
    return trace_reader_open(path, &cannot_read, why);
}

static void check_notes(const struct trace_reader *r)
{
    uint32_t n;
    const struct trace_note *notes = trace_reader_notes(r, &n);
    assert_int_equal(n, 2);
    assert_string_equal(notes[0].name, "workload");
    assert_string_equal(notes[0].value, "bfs");
    assert_string_equal(notes[1].name, "seed");
    assert_string_equal(notes[1].value, "");
}

static void a_file_gives_back_what_was_written(void **state)
{
    struct strbuf file = {0}, why = {0};
    struct trace_module m;
    (void)state;
    make_file(&file);
    put_file(file.text, file.len);
    struct trace_reader *r = open_trace(&why);
    assert_non_null(r);
    assert_string_equal(trace_reader_about(r)->origin, "a test");
    assert_int_equal(trace_reader_version(r), 2);
    check_notes(r);
    assert_int_equal(trace_reader_modules(r), 1);
    assert_int_equal(trace_reader_launches(r), 2);
    assert_true(trace_reader_module(r, 0, &m, &why));
    assert_int_equal(m.text_bytes, 9);
    assert_memory_equal(m.text, "text\0text", 9);
    assert_int_equal(m.n_addresses, 3);
    assert_true(m.addresses[2] == 0x10000100);
    check_launch(r, 0, N_CTAS, 1); /* as a dispatcher asks */
    check_launch(r, 1, 1, 1);
    check_launch(r, 0, N_CTAS, 611); /* and in any other order */
    trace_reader_close(r);
    strbuf_destroy(&file);
    strbuf_destroy(&why);
}

/* Reads all there is; true if every part was sound. */
static bool read_all(struct strbuf *why)
{
    struct trace_reader *r = open_trace(why);
    struct trace_module m;
    struct trace_launch l;
    struct trace_launch_end end;
    struct trace_cta c = {0};
    struct bytes piece = {0};
    bool ok = r && trace_reader_module(r, 0, &m, why);
    for (uint32_t i = 0; ok && i < trace_reader_launches(r); i++) {
        ok = trace_reader_launch(r, i, &l, &end, why);
        for (uint64_t k = 0; ok && k < (uint64_t)l.grid[0] * l.grid[1]; k++) {
            ok = trace_reader_cta(r, k, &c, why);
            for (uint32_t warp = 0; ok && warp < N_WARPS; warp++)
                for (uint64_t done = 0; trace_reader_piece(r, &c, warp, &done, &piece, why);)
                    ;
            ok = ok && !why->len;
        }
    }
    trace_cta_destroy(&c);
    free(piece.data);
    trace_reader_close(r);
    return ok;
}

/* The same without reading it as a replay does; returns the number of parts. */
static bool check_all(uint64_t *n_parts, struct strbuf *why)
{
    struct trace_check found = {0};
    struct trace_reader *r = open_trace(why);
    bool ok = r && trace_reader_check(r, &found, NULL, NULL, why);
    *n_parts = found.n_parts;
    trace_reader_close(r);
    return ok;
}

/* Counted in the bytes themselves. */
static uint64_t count_parts(const struct strbuf *file)
{
    uint64_t n = 0;
    for (size_t at = 16; at < file->len - 16; n++) {
        uint32_t packed;
        memcpy(&packed, file->text + at + 1, sizeof packed);
        at += 9 + packed;
    }
    return n;
}

static void a_sound_file_is_checked_from_end_to_end(void **state)
{
    struct strbuf file = {0}, why = {0};
    uint64_t n_parts;
    (void)state;
    make_file(&file);
    put_file(file.text, file.len);
    assert_true(check_all(&n_parts, &why));
    assert_int_equal(n_parts, count_parts(&file));
    assert_true(n_parts > 12); /* module; twice launch, pieces, index, end; footer */
    /* Nothing but its letter is wrong with each part in turn. */
    for (size_t at = 16; at < file.len - 16;) {
        uint32_t packed;
        const char kept = file.text[at];
        memcpy(&packed, file.text + at + 1, sizeof packed);
        file.text[at] = kept == 'P' ? 'I' : 'P';
        put_file(file.text, file.len);
        strbuf_clear(&why);
        if (check_all(&n_parts, &why))
            fail_msg("the part at byte %zu may be of any kind", at);
        file.text[at] = kept;
        at += 9 + packed;
    }
    strbuf_destroy(&file);
    strbuf_destroy(&why);
}

static void every_flipped_byte_is_noticed(void **state)
{
    struct strbuf file = {0}, why = {0};
    uint64_t n_parts;
    (void)state;
    make_file(&file);
    for (size_t at = 0; at < file.len; at += at < 200 || at + 200 > file.len ? 1 : 997) {
        file.text[at] ^= (char)0xff;
        put_file(file.text, file.len);
        strbuf_clear(&why);
        if (read_all(&why))
            fail_msg("byte %zu of %zu may be anything", at, file.len);
        assert_non_null(strstr(strbuf_text(&why), "byte "));
        strbuf_clear(&why);
        if (check_all(&n_parts, &why))
            fail_msg("byte %zu of %zu passes the check", at, file.len);
        assert_non_null(strstr(strbuf_text(&why), "byte "));
        file.text[at] ^= (char)0xff;
    }
    strbuf_destroy(&file);
    strbuf_destroy(&why);
}

static void every_cut_is_noticed(void **state)
{
    struct strbuf file = {0}, why = {0};
    (void)state;
    make_file(&file);
    for (size_t n = 0; n < file.len; n += n < 100 || n + 100 > file.len ? 1 : 4999) {
        put_file(file.text, n);
        strbuf_clear(&why);
        assert_null(open_trace(&why));
        assert_non_null(strstr(strbuf_text(&why), "byte "));
        assert_non_null(strstr(strbuf_text(&why), n == 0   ? "empty"
                                                  : n < 16 ? "not a Heddle trace"
                                                           : "cut off"));
    }
    strbuf_destroy(&file);
    strbuf_destroy(&why);
}

static void complains(const char *data, size_t n, const char *of)
{
    struct strbuf why = {0};
    put_file(data, n);
    assert_null(open_trace(&why));
    if (!strstr(strbuf_text(&why), of))
        fail_msg("'%s' does not say '%s'", strbuf_text(&why), of);
    strbuf_destroy(&why);
}

static void strangers_are_named(void **state)
{
    struct strbuf file = {0}, why = {0};
    bool cannot_read;
    (void)state;
    make_file(&file);
    complains("HEDDLEL1D and so on and on", 26, "byte 0: this is not a Heddle trace");
    file.text[12] = 3;
    complains(file.text, file.len,
              "byte 12: version 3 of the format; this Heddle reads versions 1 to 2");
    file.text[12] = 0;
    complains(file.text, file.len, "byte 12: version 0 of the format");
    file.text[12] = 2;
    for (size_t i = 1; i <= 8; i++) { /* nothing is missing: it is not cut off */
        struct strbuf of = {0};
        strbuf_addf(&of, "byte %zu: the mark at the end of the file is damaged", file.len - 8);
        file.text[file.len - i] ^= 1;
        complains(file.text, file.len, strbuf_text(&of));
        file.text[file.len - i] ^= 1;
        strbuf_destroy(&of);
    }
    memset(file.text + file.len - 16, 0xff, 8);
    complains(file.text, file.len, "the offset of the footer is after the end");
    unlink(path);
    assert_null(trace_reader_open(path, &cannot_read, &why));
    assert_false(cannot_read); /* a name that does not exist is the caller's mistake */
    assert_null(trace_reader_open("/", &cannot_read, &why));
    strbuf_destroy(&file);
    strbuf_destroy(&why);
}

/* Whatever follows a trace, the message says where the trace ended: bytes, text, or something that
 * only looks like an end; a long tail, a short one, one that crosses read blocks. */
static void what_was_appended_is_named(void **state)
{
    static const size_t lengths[] = {1, 7, 8, 15, 16, 65520, 65528, 65529, 65536, 200000};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (int filler = 0; filler < 2; filler++) {
            struct strbuf file = {0}, of = {0};
            make_file(&file);
            strbuf_addf(&of, "byte %zu: the trace ends here, but %zu bytes follow", file.len,
                        lengths[i]);
            for (size_t k = 0; k < lengths[i]; k++)
                strbuf_add_char(&file, filler ? "HEDDLEnd!"[k % 9] : 0);
            complains(file.text, file.len, strbuf_text(&of));
            strbuf_destroy(&file);
            strbuf_destroy(&of);
        }
}

/* Sizes that lie: nothing is allocated for what cannot be there. */
static void lying_sizes_are_refused(void **state)
{
    struct strbuf file = {0};
    (void)state;
    make_file(&file);
    uint64_t footer;
    memcpy(&footer, file.text + file.len - 16, 8);
    char *head = file.text + footer;
    char kept[9];
    memcpy(kept, head, 9);
    memset(head + 1, 0xff, 4);
    complains(file.text, file.len, "exceeds the size limit");
    memcpy(head, kept, 9);
    memcpy(head + 1, "\xff\xff\xff\x00", 4);
    complains(file.text, file.len, "the file ends in the middle");
    memcpy(head, kept, 9);
    memset(head + 5, 0xff, 4);
    complains(file.text, file.len, "exceeds the size limit");
    memcpy(head, kept, 9);
    head[5]++;
    complains(file.text, file.len, "differs from the size in its head");
    memcpy(head, kept, 9);
    head[0] = 'L';
    complains(file.text, file.len, "another kind of part");
    strbuf_destroy(&file);
}

/* A file of version 1, made by hand: a footer without notes, of no modules and no launches. */
static void the_first_version_is_read(void **state)
{
    static const uint8_t content[] = {1, 'v', 1, 'o', 1, 'g', 2, '{', '}', 0, 0};
    uint8_t packed[256];
    struct strbuf file = {0}, why = {0};
    uint32_t n_notes;
    (void)state;
    size_t n = ZSTD_compress(packed, sizeof packed, content, sizeof content, 1);
    assert_false(ZSTD_isError(n));
    strbuf_add_n(&file, "HEDDLE\x1aTRACE\1\0\0\0F", 17);
    strbuf_add_n(&file, (const char[]){(char)n, 0, 0, 0, sizeof content, 0, 0, 0}, 8);
    strbuf_add_n(&file, (const char *)packed, n);
    strbuf_add_n(&file, "\x10\0\0\0\0\0\0\0HEDDLEnd", 16);
    put_file(file.text, file.len);
    struct trace_reader *r = open_trace(&why);
    if (!r)
        fail_msg("%s", strbuf_text(&why));
    assert_int_equal(trace_reader_version(r), 1);
    assert_string_equal(trace_reader_about(r)->gpu, "g");
    trace_reader_notes(r, &n_notes);
    assert_int_equal(n_notes, 0);
    assert_int_equal(trace_reader_launches(r), 0);
    trace_reader_close(r);
    strbuf_destroy(&file);
    strbuf_destroy(&why);
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/heddle-trace-%d", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gives_back_what_was_written),
        cmocka_unit_test(a_sound_file_is_checked_from_end_to_end),
        cmocka_unit_test(every_flipped_byte_is_noticed),
        cmocka_unit_test(every_cut_is_noticed),
        cmocka_unit_test(strangers_are_named),
        cmocka_unit_test(what_was_appended_is_named),
        cmocka_unit_test(the_first_version_is_read),
        cmocka_unit_test(lying_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
