/* Traces of other simulators from bytes written by hand after their own descriptions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/lab_stream.h"

typedef bool (*reader)(struct lab_stream *s, const char *path, struct strbuf *why);

static bool read_bytes(reader read, const void *bytes, size_t n, struct lab_stream *s,
                       struct strbuf *why)
{
    char path[64];
    int fd = memfd_create("records", 0);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, n), n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    bool ok = read(s, path, why);
    close(fd);
    return ok;
}

/* Two instructions: a load from 0x1000 and 0x2008 that also stores to 0x3010; a taken branch. */
static const unsigned char champsim[128] =
    "\x40\x30\x20\x10\xff\x7f\x00\x00" /* ip */
    "\x00\x00"                         /* is_branch, branch_taken */
    "\x05\x00"                         /* destination registers */
    "\x01\x02\x03\x04"                 /* source registers */
    "\x00\x00\x00\x00\x00\x00\x00\x00" /* destination memory */
    "\x10\x30\x00\x00\x00\x00\x00\x00"
    "\x00\x10\x00\x00\x00\x00\x00\x00" /* source memory */
    "\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x08\x20\x00\x00\x00\x00\x00\x80"
    /* the branch */
    "\x44\x30\x20\x10\xff\x7f\x00\x00"
    "\x01\x01";

static void champsims_addresses_are_loads_and_stores(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    struct strbuf why = {0};
    assert_true(read_bytes(lab_stream_read_champsim, champsim, sizeof champsim, &s, &why));
    assert_int_equal(s.n, 3);
    assert_int_equal(s.n_sms, 1);
    assert_int_equal(s.line_bytes, 64);
    static const struct lab_access want[] = {
        {.kind = LAB_LOAD, .address = 0x1000, .pc = 0x10203040},
        {.kind = LAB_LOAD, .address = 0x8000000000002008, .pc = 0x10203040},
        {.kind = LAB_STORE, .address = 0x3010, .pc = 0x10203040},
    };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s.items[i].kind, want[i].kind);
        assert_true(s.items[i].address == want[i].address);
        assert_int_equal(s.items[i].pc, want[i].pc);
        assert_int_equal(s.items[i].cycle, 0);
    }
    /* Two instructions of a thread: one before the accesses, which are its own, one after them. */
    assert_true(s.has_insts);
    assert_int_equal(s.n_insts, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s.insts[i].before, 3 * i);
        assert_int_equal(s.insts[i].n_issues * s.insts[i].n_lanes, 1);
    }
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
}

/* Three requests: object 7 of 100 bytes, object 2^63 + 1, object 7 again. */
static const unsigned char requests[72] = "\x10\x00\x00\x00" /* time */
                                          "\x07\x00\x00\x00\x00\x00\x00\x00"
                                          "\x64\x00\x00\x00"
                                          "\x02\x00\x00\x00\x00\x00\x00\x00"
                                          "\x11\x00\x00\x00"
                                          "\x01\x00\x00\x00\x00\x00\x00\x80"
                                          "\x01\x00\x00\x00"
                                          "\xff\xff\xff\xff\xff\xff\xff\xff"
                                          "\x11\x01\x00\x00"
                                          "\x07\x00\x00\x00\x00\x00\x00\x00"
                                          "\x64\x00\x00\x00"
                                          "\xff\xff\xff\xff\xff\xff\xff\x7f";

static void requests_are_loads_of_lines(void **state)
{
    (void)state;
    struct lab_stream s = {0};
    struct strbuf why = {0};
    if (!read_bytes(lab_stream_read_oracle_general, requests, sizeof requests, &s, &why))
        fail_msg("%s", strbuf_text(&why));
    assert_int_equal(s.n, 3);
    assert_int_equal(s.line_bytes, 1);
    assert_true(s.items[0].address == 7 && s.items[0].cycle == 0x10);
    assert_true(s.items[1].address == 0x8000000000000001);
    assert_true(s.items[2].address == 7 && s.items[2].cycle == 0x111);
    for (int i = 0; i < 3; i++)
        assert_int_equal(s.items[i].kind, LAB_LOAD);
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
}

static void refused(reader read, const unsigned char *bytes, size_t n, const char *reason)
{
    struct lab_stream s = {0};
    struct strbuf why = {0};
    assert_false(read_bytes(read, bytes, n, &s, &why));
    if (!strstr(strbuf_text(&why), reason))
        fail_msg("not '%s' but '%s'", reason, strbuf_text(&why));
    lab_stream_destroy(&s);
    strbuf_destroy(&why);
}

static void a_cut_or_foreign_file_is_refused_where_it_is_wrong(void **state)
{
    (void)state;
    unsigned char bad[128];
    refused(lab_stream_read_champsim, champsim, 127, "byte 64: the file ends in the middle");
    refused(lab_stream_read_champsim, champsim, 65, "byte 64: the file ends in the middle");
    refused(lab_stream_read_oracle_general, requests, 71, "byte 48: the file ends in the middle");
    refused(lab_stream_read_oracle_general, requests, 1, "byte 0: the file ends in the middle");
    for (int i = 72; i < 74; i++) { /* is_branch, branch_taken */
        memcpy(bad, champsim, sizeof bad);
        bad[i] = 2;
        refused(lab_stream_read_champsim, bad, sizeof bad,
                "byte 64: this is not a ChampSim instruction");
    }
    memcpy(bad, requests, sizeof requests);
    bad[64] = 2; /* the third one's next request would be itself */
    memset(bad + 65, 0, 7);
    refused(lab_stream_read_oracle_general, bad, sizeof requests,
            "byte 48: this is not an oracleGeneral request");
    memcpy(bad, requests, sizeof requests);
    memset(bad + 28, 0xff, 8);
    refused(lab_stream_read_oracle_general, bad, sizeof requests,
            "byte 24: object 18446744073709551615 is not supported");
    struct lab_stream s = {0};
    struct strbuf why = {0};
    assert_false(lab_stream_read_champsim(&s, "/nowhere/at/all", &why));
    assert_non_null(strstr(strbuf_text(&why), "cannot read it"));
    strbuf_destroy(&why);
}

/* More than are read at a time, and exactly as many. */
static void many_records_are_read(void **state)
{
    (void)state;
    enum { AT_A_TIME = 4096 };
    static unsigned char many[(2 * AT_A_TIME + 1) * 64];
    static const size_t counts[] = {0, AT_A_TIME, AT_A_TIME + 1, 2 * AT_A_TIME};
    for (size_t i = 0; i < sizeof many / 64; i++)
        memcpy(many + 64 * i, champsim, 64);
    for (int k = 0; k < 4; k++) {
        struct lab_stream s = {0};
        struct strbuf why = {0};
        assert_true(read_bytes(lab_stream_read_champsim, many, counts[k] * 64, &s, &why));
        assert_int_equal(s.n, 3 * counts[k]);
        if (counts[k])
            assert_int_equal(s.items[s.n - 1].cycle, counts[k] - 1);
        lab_stream_destroy(&s);
    }
    refused(lab_stream_read_champsim, many, AT_A_TIME * 64 + 3, "byte 262144: the file ends");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(champsims_addresses_are_loads_and_stores),
        cmocka_unit_test(requests_are_loads_of_lines),
        cmocka_unit_test(a_cut_or_foreign_file_is_refused_where_it_is_wrong),
        cmocka_unit_test(many_records_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
