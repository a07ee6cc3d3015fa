/* The store: what is stored can be read back, versions, and files that are not stores. Documents
 * are written by hand, and checked with the test's own SQL through SQLite itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "lab/model.h"
#include "lab/query.h"
#include "lab/store.h"
#include "lab/store_merge.h"

static char path[64];

static int set_up(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/heddle-store-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
    return 0;
}

static const char document[] =
    "{\"workload\": \"kmn\", \"size\": \"tiny\", \"seed\": 3, \"gpu\": \"g\", \"verified\": true,"
    " \"message\": null, \"scheduler\": \"lrr\", \"l1d_policy\": \"lru\", \"mode\": \"timing\","
    " \"config\": {\"n_sms\": 15, \"l1d.n_ways\": 4},"
    " \"stats\": {\"cycles\": 12345678901, \"ipc\": 0.1, \"l1d.mpki\": 7.5, \"unheard_of\": 2}}";

static struct store_result result_of(const char *key)
{
    return (struct store_result){
        .key = key, .document = document, .settings = "l1d.n_ways=4", .model = "m", .seconds = 1.5};
}

static struct store *open_store(enum store_access how, enum heddle_status want)
{
    struct store *s = NULL;
    enum heddle_status status = store_open(path, how, &s);
    if (status != want)
        print_error("%s\n", strbuf_text(&s->error));
    assert_int_equal(status, want);
    return s;
}

/* The only cell of an answer, as CSV writes it. */
static void expect(const char *sql, const char *want)
{
    struct store *s = open_store(STORE_READ, HEDDLE_OK);
    struct query_answer answer = {0};
    struct diag_list diags = {0};
    struct strbuf text = {0};
    assert_int_equal(query_run(s, sql, &answer, &diags), HEDDLE_OK);
    query_csv(&answer, &text);
    char *value = strchr(strbuf_text(&text), '\n');
    assert_non_null(value);
    value[strlen(value) - 1] = 0;
    assert_string_equal(value + 1, want);
    strbuf_destroy(&text);
    query_answer_destroy(&answer);
    diag_list_destroy(&diags);
    store_close(s);
}

static void a_result_comes_out_as_it_went_in(void **state)
{
    (void)state;
    struct store *s = open_store(STORE_WRITE, HEDDLE_OK);
    struct store_result r = result_of("k1");
    int64_t id = 0;
    assert_int_equal(store_put(s, &r, &id), HEDDLE_OK);
    store_close(s);
    assert_int_equal(id, 1);
    expect(
        "SELECT workload, size, seed, gpu, scheduler, l1d, settings, cycles, ipc, l1d_mpki, state"
        " FROM results",
        "kmn,tiny,3,g,lrr,lru,l1d.n_ways=4,12345678901,0.10000000000000001,7.5,done");
    expect("SELECT count(*) FROM stats WHERE run = 1", "4");
    expect("SELECT unit FROM stats WHERE name = 'cycles'", "core cycles");
    expect("SELECT group_concat(name || '=' || value) FROM parameters WHERE run = 1",
           "\"n_sms=15,l1d.n_ways=4\"");
}

static void a_key_is_stored_once_and_a_failure_gives_way(void **state)
{
    (void)state;
    struct store *s = open_store(STORE_WRITE, HEDDLE_OK);
    struct store_result r = result_of("k1"), failure = result_of("k1");
    failure.document = NULL;
    failure.workload = "kmn";
    failure.size = "tiny";
    failure.exit_status = 134;
    failure.message = "it crashed";
    int64_t id, again;
    enum store_state found;
    assert_int_equal(store_put(s, &failure, &id), HEDDLE_OK);
    assert_int_equal(store_find(s, "k1", &found, &id), HEDDLE_OK);
    assert_int_equal(found, STORE_FAILED);
    expect("SELECT state, message, cycles IS NULL FROM results", "failed,it crashed,1");
    assert_int_equal(store_put(s, &r, &id), HEDDLE_OK);
    assert_int_equal(store_find(s, "k1", &found, &id), HEDDLE_OK);
    assert_int_equal(found, STORE_DONE);
    /* A result that is there stays, whatever comes later. */
    failure.message = "later";
    assert_int_equal(store_put(s, &failure, &again), HEDDLE_OK);
    assert_int_equal(again, id);
    expect("SELECT count(*), max(state), max(cycles) FROM results", "1,done,12345678901");
    store_close(s);
}

static void configurations_are_shared(void **state)
{
    (void)state;
    struct store *s = open_store(STORE_WRITE, HEDDLE_OK);
    struct store_result a = result_of("a"), b = result_of("b");
    int64_t id;
    assert_int_equal(store_put(s, &a, &id), HEDDLE_OK);
    assert_int_equal(store_put(s, &b, &id), HEDDLE_OK);
    store_close(s);
    expect("SELECT (SELECT count(*) FROM config), count(*) FROM run", "1,2");
}

/* A claim holds against others while its process lives. */
static void claims_of_the_dead_count_for_nothing(void **state)
{
    (void)state;
    struct store *s = open_store(STORE_WRITE, HEDDLE_OK);
    char host[256] = "", sql[600];
    bool claimed;
    gethostname(host, sizeof host - 1);
    /* Process 1 lives, but began at another time than this says. */
    snprintf(sql, sizeof sql, "INSERT INTO claim VALUES ('k', '%s', 1, 'long ago')", host);
    assert_int_equal(sqlite3_exec(s->db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(store_claim(s, "k", &claimed), HEDDLE_OK);
    assert_true(claimed);
    /* Processes of other hosts are unknown here. */
    assert_int_equal(
        sqlite3_exec(s->db, "INSERT INTO claim VALUES ('l', 'elsewhere', 1, '')", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(store_claim(s, "l", &claimed), HEDDLE_OK);
    assert_false(claimed);
    /* What is done needs no claim. */
    struct store_result r = result_of("k");
    int64_t id;
    assert_int_equal(store_put(s, &r, &id), HEDDLE_OK);
    assert_int_equal(store_claim(s, "k", &claimed), HEDDLE_OK);
    assert_false(claimed);
    store_close(s);
}

/* --- queries --- */

/* The message of a query that must fail. */
static void expect_refusal(const char *sql, const char *want)
{
    struct store *s = open_store(STORE_WRITE, HEDDLE_OK);
    struct query_answer answer = {0};
    struct diag_list diags = {0};
    struct strbuf text = {0};
    assert_int_equal(query_run(s, sql, &answer, &diags), HEDDLE_BAD_INPUT);
    diag_format(&diags, &text);
    if (!strstr(strbuf_text(&text), want))
        print_error("%s\n", strbuf_text(&text));
    assert_non_null(strstr(strbuf_text(&text), want));
    strbuf_destroy(&text);
    query_answer_destroy(&answer);
    diag_list_destroy(&diags);
    store_close(s);
}

/* Though the store is open for writing. */
static void queries_only_read(void **state)
{
    (void)state;
    static const char *const writers[] = {
        "DELETE FROM run",         "INSERT INTO claim VALUES ('a', 'b', 1, 'c')",
        "DROP TABLE run",          "ATTACH '/tmp/other.db' AS other",
        "PRAGMA user_version = 1", "VACUUM",
        "CREATE TABLE t (x)"};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        expect_refusal(writers[i], "more than read");
    expect_refusal("SELECT 1; SELECT 2", "only one statement is allowed");
    expect_refusal(" -- nothing", "empty");
    expect_refusal("SELECT\n nosuch FROM run", "query:2:2: error: no such column: nosuch");
}

static void csv_is_quoted_and_exact(void **state)
{
    (void)state;
    store_close(open_store(STORE_WRITE, HEDDLE_OK));
    expect("SELECT 'a,b', 'say \"x\"', 'plain', 'two\nlines' AS text, NULL, 1e300 / 3,"
           " -9223372036854775808",
           "\"a,b\",\"say \"\"x\"\"\",plain,\"two\nlines\",,3.3333333333333335e+299,"
           "-9223372036854775808");
}

/* --- versions --- */

/* Version 1 as it was, frozen here: not made from the files of today. */
static const char version_1[] =
    "PRAGMA application_id = 0x4865646c; PRAGMA user_version = 1;"
    "CREATE TABLE config (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE,"
    " parameters TEXT NOT NULL);"
    "CREATE TABLE run (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, state TEXT NOT NULL,"
    " workload TEXT NOT NULL, size TEXT NOT NULL, seed INTEGER NOT NULL, gpu TEXT, mode TEXT,"
    " scheduler TEXT, l1d TEXT, l2 TEXT, settings TEXT NOT NULL, model TEXT NOT NULL,"
    " heddle_version TEXT, input_hash TEXT, output_hash TEXT, verified INTEGER NOT NULL,"
    " exit_status INTEGER NOT NULL, message TEXT, seconds REAL NOT NULL, stored_at TEXT NOT NULL,"
    " config INTEGER REFERENCES config (id));"
    "CREATE TABLE stat_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT "
    "NULL);"
    "CREATE TABLE stat_value (run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
    " stat INTEGER NOT NULL REFERENCES stat_name (id), value NUMERIC, PRIMARY KEY (run, stat))"
    " WITHOUT ROWID;"
    "CREATE VIEW stats AS SELECT v.run, n.name, v.value, n.unit FROM stat_value v"
    " JOIN stat_name n ON n.id = v.stat;"
    "CREATE VIEW parameters AS SELECT r.id AS run, j.key AS name, j.value AS value FROM run r"
    " JOIN config c ON c.id = r.config, json_each(c.parameters) j;"
    "INSERT INTO config VALUES (1, 'h', '{\"n_sms\":7}');"
    "INSERT INTO run VALUES (5, 'old', 'done', 'bfs', 'tiny', 1, 'gtx480', 'timing', 'gto', 'lru',"
    " 'lru', '', 'm0', '0.1.0', 'i', 'o', 1, 0, NULL, 2.5, '2026-01-01 00:00:00', 1);"
    "INSERT INTO stat_name VALUES (1, 'cycles', 'cycles'), (2, 'ipc', '');"
    "INSERT INTO stat_value VALUES (5, 1, 85486), (5, 2, 70.5);";

static void write_database(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void version_1_migrates(void **state)
{
    (void)state;
    write_database(version_1);
    /* Reading changes nothing, so it cannot migrate: it says what does. */
    struct store *s = open_store(STORE_READ, HEDDLE_BAD_INPUT);
    assert_non_null(strstr(strbuf_text(&s->error), "earlier Heddle"));
    store_close(s);
    s = open_store(STORE_WRITE, HEDDLE_OK);
    struct store_result r = result_of("new");
    int64_t id;
    bool claimed;
    assert_int_equal(store_claim(s, "other", &claimed), HEDDLE_OK);
    assert_true(claimed);
    assert_int_equal(store_put(s, &r, &id), HEDDLE_OK);
    store_close(s);
    expect("SELECT id, workload, cycles, ipc, seconds FROM results WHERE id = 5",
           "5,bfs,85486,70.5,2.5");
    expect("SELECT value FROM parameters WHERE run = 5", "7");
    expect("SELECT unit FROM stats WHERE run = 5 AND name = 'ipc'", "instructions/cycle");
    expect("SELECT count(*), max(cycles) FROM results", "2,12345678901");
}

static void a_later_version_is_refused(void **state)
{
    (void)state;
    store_close(open_store(STORE_WRITE, HEDDLE_OK));
    struct strbuf later = {0};
    strbuf_addf(&later, "PRAGMA user_version = %d", STORE_SCHEMA_VERSION + 1);
    write_database(strbuf_text(&later));
    strbuf_destroy(&later);
    struct store *s = open_store(STORE_WRITE, HEDDLE_BAD_INPUT);
    assert_non_null(strstr(strbuf_text(&s->error), "later Heddle"));
    store_close(s);
}

static void the_database_of_another_program_is_refused(void **state)
{
    (void)state;
    write_database("CREATE TABLE songs (title TEXT)");
    struct store *s = open_store(STORE_WRITE, HEDDLE_BAD_INPUT);
    assert_non_null(strstr(strbuf_text(&s->error), "another program"));
    store_close(s);
    sqlite3 *db;
    char *error = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "SELECT * FROM run", NULL, NULL, &error), SQLITE_ERROR);
    sqlite3_free(error);
    sqlite3_close(db);
}

/* --- everything that a run prints --- */

static const char whole_document[] =
    "{\"workload\": \"bfs\", \"size\": \"tiny\", \"seed\": 1, \"gpu\": \"g\", \"verified\": true,"
    " \"scheduler\": \"lrr\", \"l1d_policy\": \"lru\", \"l2_policy\": \"lru\", \"criticality\": "
    "\"cpl\","
    " \"atomics\": \"at_l2\", \"mode\": \"timing\", \"config\": {\"n_sms\": 15},"
    " \"input\": {\"graph\": \"tree\", \"edges\": 98304, \"size\": 7},"
    " \"launches\": 3, \"first_lru_difference\": {\"sm\": 2}, \"per_pc\": [{\"kernel\": \"k\", "
    "\"pc\": 4,"
    " \"ptx_line\": 9, \"instruction\": \"ld\", \"source_file\": null, \"source_line\": 0, "
    "\"hits\": 5}],"
    " \"units\": {\"scheduler.own\": \"sheep\"},"
    " \"stats\": {\"cycles\": 30, \"scheduler.own\": 4},"
    " \"kernels\": [{\"kernel\": \"first\", \"cycles\": 10, \"scheduler.own\": 1},"
    " {\"kernel\": \"second\", \"cycles\": 20, \"scheduler.own\": 3}],"
    " \"series\": {\"period_cycles\": 8, \"columns\": [\"cycle\", \"scheduler.own\", "
    "\"resident_warps\"],"
    " \"rows\": [[8, 1, 40], [16, 0, 41], [30, 3, 0]]}}";

static void put(const char *key, const char *text, const char *model)
{
    struct store *s = open_store(STORE_WRITE, HEDDLE_OK);
    struct store_result r = {.key = key,
                             .document = text,
                             .settings = "",
                             .model = model,
                             .command = "heddle run it's",
                             .inputs = "{\"graph\": \"not the document's\"}"};
    int64_t id;
    assert_int_equal(store_put(s, &r, &id), HEDDLE_OK);
    store_close(s);
}

static void all_of_a_document_is_kept(void **state)
{
    (void)state;
    put("k", whole_document, "m");
    expect("SELECT graph, edges, input_size, size, atomics, criticality, l2, command FROM results",
           "tree,98304,7,tiny,at_l2,cpl,lru,heddle run it's");
    expect("SELECT group_concat(kernel || ' ' || cycles, '; ') FROM kernels",
           "first 10; second 20");
    expect("SELECT value || ' ' || unit FROM kernel_stats WHERE position = 1 AND name ="
           " 'scheduler.own'",
           "3 sheep");
    expect("SELECT group_concat(cycle || ':' || value) FROM series WHERE name = 'scheduler.own'",
           "\"8:1,16:0,30:3\"");
    expect("SELECT sum(value), unit FROM series WHERE name = 'resident_warps'", "81,warps");
    expect("SELECT pc, name, value FROM per_pc WHERE name = 'hits'", "4,hits,5");
    expect("SELECT json_extract(value, '$.sm') FROM details WHERE name = 'first_lru_difference'",
           "2");
    /* No member of the document is lost. */
    expect("SELECT group_concat(name) FROM details", "\"first_lru_difference,launches,per_pc\"");
}

static void inputs_that_come_later_are_columns_too(void **state)
{
    (void)state;
    put("a", whole_document, "m");
    put("b",
        "{\"workload\": \"w\", \"size\": \"s\", \"seed\": 1, \"stats\": {\"cycles\": 1},"
        " \"input\": {\"say \\\"x\\\"\": 1}}",
        "m");
    expect("SELECT \"say \"\"x\"\"\", edges FROM results ORDER BY id DESC LIMIT 1", "1,");
}

/* A document without them has the inputs that the point knows. */
static void inputs_of_a_replay_are_the_points(void **state)
{
    (void)state;
    put("k", document, "m");
    expect("SELECT graph FROM results", "not the document's");
}

/* --- which rows are of today --- */

static int64_t count_hidden(void)
{
    struct store *s = open_store(STORE_READ, HEDDLE_OK);
    int64_t n = -1;
    assert_int_equal(store_show_current(s, &n), HEDDLE_OK);
    store_close(s);
    return n;
}

static void results_of_other_sources_are_hidden(void **state)
{
    (void)state;
    put("today", whole_document, model_engine_version());
    assert_int_equal(count_hidden(), 0);
    put("another engine", whole_document, "0.0.1+0123456789abcdef");
    assert_int_equal(count_hidden(), 1);
    put("another lrr", whole_document, model_engine_version());
    write_database("UPDATE run SET parts = json_set(parts, '$.\"scheduler lrr\"', 'other')"
                   " WHERE key = 'another lrr'");
    assert_int_equal(count_hidden(), 2);
    put("a policy that is no more", whole_document, model_engine_version());
    write_database("UPDATE run SET parts = json_set(parts, '$.\"cache policy gone\"', 'x')"
                   " WHERE key = 'a policy that is no more'");
    assert_int_equal(count_hidden(), 3);
    expect("SELECT group_concat(j.key, '; ') FROM run, json_each(parts) j WHERE run.key = 'today'",
           "atomics at_l2; cache policy lru; criticality cpl; scheduler lrr; workload bfs");
}

/* A plug-in's mechanism has the build that was noted last. */
static void results_of_other_builds_are_hidden(void **state)
{
    (void)state;
    put("k", whole_document, model_engine_version());
    write_database("UPDATE run SET l1d = 'mine',"
                   " parts = json_set(parts, '$.\"cache policy mine\"', 'one');"
                   "INSERT INTO plugin_build VALUES ('cache policy mine', 'one', '2020')");
    assert_int_equal(count_hidden(), 0);
    write_database("UPDATE plugin_build SET digest = 'two'");
    assert_int_equal(count_hidden(), 1);
    /* One that came before builds were noted. */
    write_database("UPDATE run SET parts = json_remove(parts, '$.\"cache policy mine\"')");
    assert_int_equal(count_hidden(), 1);
}

/* --- merging --- */

static char other_path[sizeof path + 8];

static enum heddle_status merge_into(struct store_merged *merged)
{
    struct store *s = NULL;
    assert_int_equal(store_open(other_path, STORE_WRITE, &s), HEDDLE_OK);
    enum heddle_status status = store_merge(s, path, merged);
    if (status != HEDDLE_OK)
        assert_non_null(strstr(strbuf_text(&s->error), "different results"));
    store_close(s);
    return status;
}

static void expect_other(const char *sql, const char *want)
{
    char kept[sizeof path];
    memcpy(kept, path, sizeof path);
    memcpy(path, other_path, sizeof path);
    expect(sql, want);
    memcpy(path, kept, sizeof path);
}

static void stores_are_merged(void **state)
{
    (void)state;
    struct store_merged merged;
    snprintf(other_path, sizeof other_path, "%s", path);
    set_up(NULL); /* `path` is another one now */
    put("a", whole_document, "m");
    put("b", document, "m");
    assert_int_equal(merge_into(&merged), HEDDLE_OK);
    assert_int_equal(merged.n_taken, 2);
    assert_int_equal(merge_into(&merged), HEDDLE_OK);
    assert_int_equal(merged.n_taken, 0);
    assert_int_equal(merged.n_there, 2);
    put("c", whole_document, "m");
    write_database("UPDATE run SET state = 'failed', message = 'it failed' WHERE key = 'c'");
    assert_int_equal(merge_into(&merged), HEDDLE_OK);
    expect_other("SELECT state FROM run WHERE key = 'c'", "failed");
    write_database("UPDATE run SET state = 'done' WHERE key = 'c'");
    assert_int_equal(merge_into(&merged), HEDDLE_OK);
    expect_other("SELECT state, graph, cycles FROM results WHERE id = (SELECT id FROM run WHERE"
                 " key = 'c')",
                 "done,tree,30");
    expect_other("SELECT (SELECT count(*) FROM kernel_stats), (SELECT count(*) FROM series),"
                 " (SELECT count(*) FROM inputs), (SELECT count(*) FROM stats),"
                 " (SELECT count(*) FROM config)",
                 "8,12,7,8,2");
    expect_other("SELECT DISTINCT value FROM kernel_stats WHERE position = 1 AND name ="
                 " 'scheduler.own'",
                 "3");
    /* A result that differs though its key is the same: one of the two is wrong. */
    write_database("UPDATE stat_value SET value = 31 WHERE stat = (SELECT id FROM stat_name WHERE"
                   " name = 'cycles') AND run = (SELECT id FROM run WHERE key = 'a')");
    assert_int_equal(merge_into(&merged), HEDDLE_WRONG_RESULT);
    expect_other("SELECT count(*) FROM run", "3");
    tear_down(NULL);
    memcpy(path, other_path, sizeof path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_a_document_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inputs_that_come_later_are_columns_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inputs_of_a_replay_are_the_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(results_of_other_sources_are_hidden, set_up, tear_down),
        cmocka_unit_test_setup_teardown(results_of_other_builds_are_hidden, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stores_are_merged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_result_comes_out_as_it_went_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_is_stored_once_and_a_failure_gives_way, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(configurations_are_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(claims_of_the_dead_count_for_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(queries_only_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(csv_is_quoted_and_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(version_1_migrates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_later_version_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_database_of_another_program_is_refused, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
