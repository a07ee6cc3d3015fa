/* What the tests of the compiler share: a folder for each test with its own cache, and a script in
 * clang's place that records its calls. */
#ifndef HEDDLE_TEST_FRONT_TEST_H
#define HEDDLE_TEST_FRONT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "front/front.h"

static char folder[64]; /* everything a test writes */
static struct strbuf ptx, error;

static inline const char *path_in_folder(const char *name)
{
    static char path[4][256];
    static unsigned turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static inline void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st, (void)kind, (void)place;
    return remove(path);
}

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test-front-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    setenv("HEDDLE_CACHE", path_in_folder("cache"), 1);
    unsetenv("HEDDLE_CLANG");
    unsetenv("HEDDLE_LIBCLC");
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    strbuf_destroy(&ptx);
    strbuf_destroy(&error);
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline enum heddle_status compile_named(enum front_language language, const char *name,
                                               const char *text, const char *options)
{
    strbuf_clear(&ptx);
    strbuf_clear(&error);
    return front_compile(language, name, text, strlen(text), options, &ptx, &error);
}

static inline enum heddle_status compile(const char *text, const char *options)
{
    return compile_named(FRONT_OPENCL_C, "kernel.cl", text, options);
}

#define assert_has(buffer, part)     assert_non_null(strstr(strbuf_text(&(buffer)), (part)))
#define assert_has_not(buffer, part) assert_null(strstr(strbuf_text(&(buffer)), (part)))

static const char scale_text[] = "__kernel void scale(__global float *a, float f)\n"
                                 "{\n"
                                 "    a[get_global_id(0)] *= f;\n"
                                 "}\n";

/* --- when clang is run --- */

static inline void count_clang_calls(void)
{
    char script[512];
    snprintf(script, sizeof script,
             "#!/bin/sh\n"
             "case \"$*\" in *-include-pch*core.bc*) echo c;; *-include-pch*) echo p;; *) echo x;; "
             "esac >> %s/calls\n"
             "exec clang \"$@\"\n",
             folder);
    write_file(path_in_folder("clang"), script);
    chmod(path_in_folder("clang"), 0755);
    setenv("HEDDLE_CLANG", path_in_folder("clang"), 1);
}

/* A letter for each call since the last question: 'p' if it used precompiled headers, 'c' if it
 * linked the core library besides, otherwise 'x'. */
static inline const char *clang_calls(void)
{
    static char letters[32];
    struct strbuf calls = {0};
    size_t n = 0;
    strbuf_read_file(&calls, path_in_folder("calls"));
    for (size_t i = 0; i < calls.len && n + 1 < sizeof letters; i++)
        if (calls.text[i] != '\n')
            letters[n++] = calls.text[i];
    letters[n] = '\0';
    strbuf_destroy(&calls);
    unlink(path_in_folder("calls"));
    return letters;
}

/* Runs `change` on every file of the cache whose name ends in `suffix`. */
static inline unsigned for_cache_files(const char *in, const char *suffix,
                                       void (*change)(const char *))
{
    unsigned n = 0;
    DIR *dir = opendir(in);
    assert_non_null(dir);
    struct strbuf path = {0};
    for (struct dirent *e; (e = readdir(dir));) {
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", in, e->d_name);
        if (strncmp(e->d_name, "support-", 8) == 0)
            n += for_cache_files(strbuf_text(&path), suffix, change);
        size_t len = strlen(e->d_name);
        if (len >= strlen(suffix) && strcmp(e->d_name + len - strlen(suffix), suffix) == 0) {
            change(strbuf_text(&path));
            n++;
        }
    }
    strbuf_destroy(&path);
    closedir(dir);
    return n;
}

static inline void truncate_to_half(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size / 2), 0);
}

static inline void flip_a_bit(const char *path)
{
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    fseek(f, -20, SEEK_END);
    int c = fgetc(f);
    fseek(f, -20, SEEK_END);
    fputc(c ^ 1, f);
    fclose(f);
}

static inline void make_empty(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

#endif
